/* A training loop of one's own: pairs in arrays, a step, a pause, and a second part in which the encoder is frozen.
 * lb_train does all of this but the freezing in one call (docs/guide.md); this is for a loop that does something else
 * between its steps. Usage: own_loop [FOLDER] */
#include <lookback/lookback.h>

#include <stdio.h>

enum { PAIRS = 12, STEPS = 300, PAUSE = 200, TELL = 50, SAMPLES = 4 };

static const char *const present[PAIRS] = {"walk", "talk", "jump", "work",  "look",  "play",
                                           "stay", "stop", "chat", "carry", "hurry", "dance"};
static const char *const past[PAIRS] = {"walked", "talked",  "jumped",  "worked",  "looked",  "played",
                                        "stayed", "stopped", "chatted", "carried", "hurried", "danced"};

/* A model with its optimiser. Both are made anew after the pause, as in another process. */
typedef struct part {
    lb_params *params;
    lb_seq2seq model;
    lb_optimizer *adam;
} part;

static lb_status part_open(part *p, const lb_vocabulary *letters, lb_tape *tape, lb_error *error)
{
    p->params = lb_params_new(1);
    lb_status status = lb_seq2seq_init(&p->model, p->params, "",
                                       (lb_seq2seq_config){.source_vocab = lb_vocabulary_size(letters),
                                                           .target_vocab = lb_vocabulary_size(letters),
                                                           .embed = 24,
                                                           .hidden = 48,
                                                           .dropout = (lb_real)0.1});
    p->adam = lb_optimizer_new(p->params,
                               (lb_optimizer_config){.lr = (lb_real)0.005, .clip_norm = 1, .tape = tape});
    return status ? lb_error_set(error, status, "%s", lb_params_error(p->params)) : LB_OK;
}

static void part_close(part *p)
{
    lb_optimizer_free(p->adam);
    lb_params_free(p->params);
}

/* A step draws its dropout from a seed and its own number, so a step after a pause draws what it would have drawn. */
static lb_status take_step(part *p, lb_pairs *pairs, const lb_vocabulary *letters, lb_tape *tape, int step,
                           lb_error *error)
{
    int64_t number[PAIRS];
    for (int i = 0; i < PAIRS; i++) number[i] = i;
    lb_tape_reset(tape);
    lb_tape_seed(tape, 1, (uint32_t)step);
    lb_batch batch = lb_pair_batch(pairs, letters, letters, tape, number, PAIRS);
    lb_tensor *logits = lb_seq2seq_forward(&p->model, batch.source, batch.target_in);
    lb_tensor *loss = lb_cross_entropy(logits, batch.target_out, LB_PAD);
    lb_status status = lb_backward(loss, error);
    if (!status) status = lb_optimizer_step(p->adam, error);
    lb_optimizer_facts facts = lb_optimizer_about(p->adam);
    if (!status && (step + 1) % TELL == 0)
        printf("step %3lld  loss %.3f  gradient %.3f\n", (long long)facts.steps, (double)lb_item(loss),
               facts.grad_norm);
    return status;
}

static lb_status take_steps(part *p, lb_pairs *pairs, const lb_vocabulary *letters, lb_tape *tape, int first,
                            int end, lb_error *error)
{
    lb_status status = LB_OK;
    for (int step = first; step < end && !status; step++)
        status = take_step(p, pairs, letters, tape, step, error);
    return status;
}

/* The encoder stays as it is from here on. */
static lb_status take_last_steps(part *p, lb_pairs *pairs, const lb_vocabulary *letters, lb_tape *tape,
                                 lb_error *error)
{
    int64_t frozen = lb_params_freeze(p->params, "encoder");
    printf("after the pause, %lld parameters are frozen\n", (long long)frozen);
    return take_steps(p, pairs, letters, tape, PAUSE, STEPS, error);
}

/* Outputs drawn from the model, for the first word. */
static lb_status show_samples(const part *p, lb_pairs *pairs, const lb_vocabulary *letters, lb_tape *tape,
                              lb_error *error)
{
    lb_tape_reset(tape);
    lb_batch batch = lb_pair_batch(pairs, letters, letters, tape, (const int64_t[]){0}, 1);
    lb_beam drawn = lb_sample(&p->model.base, batch.source,
                              (lb_sample_config){.count = SAMPLES, .limit = 12, .temperature = 2});
    if (lb_tape_status(tape)) return lb_error_set(error, lb_tape_status(tape), "%s", lb_tape_error(tape));
    printf("samples of %s:", present[0]);
    for (int64_t i = 0; i < drawn.n_best; i++) {
        printf(" ");
        for (int64_t j = 0; j < drawn.hypothesis[i].length; j++)
            printf("%s", lb_vocabulary_symbol(letters, drawn.hypothesis[i].id[j]));
    }
    printf("\n");
    return LB_OK;
}

/* The file has the vocabularies, so `lookback predict` opens it, too. */
static lb_status save_and_apply(const part *p, const lb_vocabulary *letters, const char *path,
                                lb_error *error)
{
    lb_translator_texts texts = {.source = letters, .target = letters};
    lb_status status = lb_translator_save(&p->model.base, p->params, path, texts, error);
    if (status) return status;
    lb_translator *translator = lb_translator_open(path, error);
    char *found = translator ? lb_translate(translator, "walk", error) : NULL;
    if (found) printf("walk: %s\n", found);
    lb_release(found);
    lb_translator_close(translator);
    return found ? LB_OK : error->status;
}

/* All letters that occur, with the special symbols. */
static lb_vocabulary *letters_of(lb_error *error)
{
    lb_vocabulary *letters = lb_vocabulary_new_reserved(error);
    for (int i = 0; i < 2 * PAIRS && letters; i++)
        for (const char *c = i < PAIRS ? present[i] : past[i - PAIRS]; *c; c++) {
            const char *symbol = (const char[]){*c, '\0'};
            if (!lb_vocabulary_add(letters, &symbol, 1, error)) continue;
            lb_vocabulary_free(letters);
            return NULL;
        }
    return letters;
}

int main(int argc, char **argv)
{
    char pause[1000], model[1000];
    const char *folder = argc > 1 ? argv[1] : ".";
    snprintf(pause, sizeof pause, "%s/own_loop.pause", folder);
    snprintf(model, sizeof model, "%s/own_loop.safetensors", folder);
    lb_error error = {0};
    part first = {0}, second = {0};
    lb_tape *tape = lb_tape_new();
    lb_vocabulary *letters = letters_of(&error);
    lb_pairs *pairs = lb_pairs_from_memory((lb_pair_texts){.count = PAIRS, .source = present, .target = past},
                                           (lb_pair_format){0}, &error);
    lb_status status = letters && pairs ? part_open(&first, letters, tape, &error) : error.status;
    if (!status) status = take_steps(&first, pairs, letters, tape, 0, PAUSE, &error);
    if (!status) status = lb_optimizer_save(first.adam, pause, &error);
    if (!status) status = part_open(&second, letters, tape, &error);
    if (!status) status = lb_optimizer_load(second.adam, pause, &error);
    if (!status) status = take_last_steps(&second, pairs, letters, tape, &error);
    if (!status) status = show_samples(&second, pairs, letters, tape, &error);
    if (!status) status = save_and_apply(&second, letters, model, &error);
    if (status) fprintf(stderr, "own_loop: %s\n", error.message);
    part_close(&second);
    part_close(&first);
    lb_pairs_close(pairs);
    lb_vocabulary_free(letters);
    lb_tape_free(tape);
    return status ? lb_status_exit(status) : 0;
}
