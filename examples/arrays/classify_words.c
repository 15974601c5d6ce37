/* A classifier: learns from words of three languages to tell the language of others. */
#include <lookback/lookback.h>
#include <stdio.h>

enum { LONGEST = 12, MOST = 200, LANGUAGES = 3, LETTERS = 27, HIDDEN = 48 };

static const char *const names[] = {"English", "German", "Spanish"};
static const char *const words[] = {
    "through should because between thought weather which there their other those things children "
    "together nothing something always never night right house world people without friends yesterday",
    "zwischen menschen schwester wirklich nicht durch schon kommen gekommen machen wissen sehen nacht "
    "recht haus welt leute ohne freunde gestern morgen andere kinder zusammen nichts etwas",
    "entre hombres hermana siempre ciudad trabajo noche derecho casa mundo gente amigos ayer manana otro "
    "juntos nada algo nunca tiempo semana cuando donde porque mientras pensamiento hacer vosotros"};

typedef struct net {
    lb_embedding letters;
    lb_gru reader;
    lb_linear judge;
} net;

static lb_tensor *apply(void *model, lb_example_input input)
{
    const net *n = model;
    lb_gru_result read = lb_gru_forward_tokens(&n->reader, &n->letters, input.tokens, NULL);
    return lb_linear_forward(&n->judge, read.final ? read.final[0] : NULL);
}

int main(void)
{
    static int32_t id[MOST][LONGEST], length[MOST], label[MOST];
    lb_examples e = {.ids = id[0], .lengths = length, .length = LONGEST, .vocabulary = LETTERS};
    e.labels = label;
    e.classes = LANGUAGES;
    for (int32_t l = 0; l < LANGUAGES; l++, e.count++)
        for (const char *at = words[l]; *at; at++) { /* a is 1 and z is 26; a blank ends a word */
            label[e.count] = l;
            if (*at != ' ') id[e.count][length[e.count]++] = *at - 'a' + 1;
            e.count += *at == ' ';
        }
    net n;
    lb_error error = {0};
    lb_evaluation found;
    lb_params *params = lb_params_new(1);
    lb_set_threads(1); /* in such a small model, threads would only wait for each other */
    lb_embedding_init(&n.letters, params, "letters", LETTERS, 16, 0);
    lb_gru_init(&n.reader, params, "reader", (lb_gru_config){.input = 16, .hidden = HIDDEN});
    lb_linear_init(&n.judge, params, "judge", (lb_linear_config){.inputs = HIDDEN, .outputs = LANGUAGES});
    if (!lb_fit(params, e, (lb_fit_config){.model = &n, .apply = apply, .batch = 8, .held_out = 0.25}, &found,
                &error))
        printf("%.0f %% of the words that are held out are right\n", 100 * found.exact_match);
    lb_tape *tape = lb_tape_new();
    lb_tokens word = lb_tokens_from(tape, (const int32_t[]){19, 3, 8, 23, 1, 18, 26}, NULL, 1, 7);
    lb_tensor *logits = apply(&n, (lb_example_input){.tape = tape, .tokens = word});
    if (lb_is_sound(logits)) printf("\"schwarz\" is %s\n", names[lb_argmax(logits->data, LANGUAGES)]);
    fprintf(stderr, "%s", error.message);
    lb_tape_free(tape);
    lb_params_free(params);
    return lb_status_exit(error.status);
}
