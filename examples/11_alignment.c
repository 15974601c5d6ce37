/* Lesson 11: a model that has learned to translate knows where each word came from. The page is
 * docs/lessons/11_alignment.md. */
#include <lookback/lookback.h>

#include <stdio.h>
#include <string.h>

enum { LONGEST = 10, WITH_END = LONGEST + 1, STEPS = 800, BATCH = 32, HELD_OUT = 500 };

/* ---- Sentences, with the English word behind each Spanish one. ---- */

typedef enum word_kind { ARTICLE, NOUN, ADJECTIVE, NO, ESTA, VERB, PREPOSITION, KINDS } word_kind;

typedef struct noun {
    const char *english, *spanish;
    bool feminine;
} noun;

static const noun animals[] = {{"cat", "gato", false},      {"hen", "gallina", true},
                               {"dog", "perro", false},     {"cow", "vaca", true},
                               {"horse", "caballo", false}, {"sheep", "oveja", true},
                               {"bird", "pájaro", false},   {"turtle", "tortuga", true}};
static const noun places[] = {{"mat", "estera", true}, {"roof", "tejado", false}, {"table", "mesa", true},
                              {"sofa", "sofá", false}, {"chair", "silla", true},  {"wall", "muro", false},
                              {"bed", "cama", true},   {"bench", "banco", false}};
static const char *const adjectives[][3] = {{"black", "negro", "negra"},     {"old", "viejo", "vieja"},
                                            {"white", "blanco", "blanca"},   {"red", "rojo", "roja"},
                                            {"small", "pequeño", "pequeña"}, {"new", "nuevo", "nueva"}};
static const char *const verbs[][2] = {{"sleeping", "durmiendo"}, {"eating", "comiendo"},
                                       {"waiting", "esperando"},  {"playing", "jugando"},
                                       {"singing", "cantando"},   {"jumping", "saltando"}};
static const char *const prepositions[][2] = {{"on", "en"}, {"under", "bajo"}, {"behind", "tras"}};

typedef struct sentence {
    const char *english[LONGEST], *spanish[LONGEST];
    int origin[LONGEST]; /* of each Spanish word: the English word that it translates */
    int noun[LONGEST];   /* of each Spanish article: the English noun that decides between el and la */
    word_kind kind[LONGEST];
    int length; /* of both */
} sentence;

/* Each number below SENTENCES is a sentence: its digits are the choices. */
enum { SENTENCES = 7 * 7 * 2 * 8 * 8 * 6 * 3, SHOWN = 1 + 7 * (2 + 7 * 1), SPLIT = 11 };

static int choose(int *number, int choices)
{
    int choice = *number % choices;
    *number /= choices;
    return choice;
}

static void put(sentence *s, word_kind kind, int at, int origin, const char *english, const char *spanish)
{
    s->kind[at] = kind;
    s->origin[at] = origin;
    s->english[origin] = english;
    s->spanish[at] = spanish;
    s->length++;
}

/* "the black cat" is "el gato negro": the adjective follows its noun, and article and adjective agree with it. */
static void put_noun(sentence *s, const noun *what, int adjective)
{
    int article = s->length, place = article + (adjective > 0 ? 2 : 1);
    put(s, ARTICLE, article, article, "the", what->feminine ? "la" : "el");
    put(s, NOUN, article + 1, place, what->english, what->spanish);
    s->noun[article] = place;
    if (adjective == 0) return;
    const char *const *word = adjectives[adjective - 1];
    put(s, ADJECTIVE, article + 2, article + 1, word[0], word[what->feminine ? 2 : 1]);
}

static sentence sentence_of(int number)
{
    sentence s = {.length = 0};
    int described = choose(&number, 7), also = choose(&number, 7), denied = choose(&number, 2);
    put_noun(&s, &animals[choose(&number, 8)], described);
    const noun *where = &places[choose(&number, 8)];
    const char *const *verb = verbs[choose(&number, 6)], *const *preposition = prepositions[number];
    int is = s.length;
    if (denied) put(&s, NO, is, is + 1, "not", "no"); /* "is not" is "no está" */
    put(&s, ESTA, is + denied, is, "is", "está");
    put(&s, VERB, s.length, s.length, verb[0], verb[1]);
    put(&s, PREPOSITION, s.length, s.length, preposition[0], preposition[1]);
    put_noun(&s, where, also);
    return s;
}

/* One sentence in eleven is held out. Eleven divides no number of choices, so all words are on both sides. */
static int draw_sentence(const char *stream, uint64_t *next, bool held_out)
{
    lb_rng rng = {.seed = 1, .stream = lb_rng_stream(stream)};
    int number;
    do number = (int)lb_rng_below(rng, (*next)++, SENTENCES);
    while ((number % SPLIT == SHOWN % SPLIT) != held_out);
    return number;
}

/* ---- Sentences as batches. ---- */

/* Shared by all parts of the lesson. */
typedef struct lesson {
    lb_vocabulary *english, *spanish;
    int held_out[HELD_OUT]; /* the first one is SHOWN */
    const char *folder;
    lb_error error;
} lesson;

static lb_status prepare(lesson *l)
{
    uint64_t next = 0;
    l->english = lb_vocabulary_new_reserved(&l->error);
    l->spanish = l->english ? lb_vocabulary_new_reserved(&l->error) : NULL;
    lb_status status = l->spanish ? LB_OK : l->error.status;
    for (int i = 0; i < 1000 && !status; i++) {
        sentence s = sentence_of(draw_sentence("train", &next, false));
        status = lb_vocabulary_add(l->english, s.english, s.length, &l->error);
        if (!status) status = lb_vocabulary_add(l->spanish, s.spanish, s.length, &l->error);
    }
    if (status) return status;
    lb_vocabulary_sort(l->english, 1);
    lb_vocabulary_sort(l->spanish, 1);
    next = 0;
    for (int i = 0; i < HELD_OUT; i++) l->held_out[i] = i ? draw_sentence("test", &next, true) : SHOWN;
    return LB_OK;
}

static lb_batch batch_of(const lesson *l, lb_tape *tape, const int *number, int count)
{
    lb_batch batch = {0};
    int32_t *source, *in, *out, *lengths[3];
    batch.source = lb_tokens_new(tape, count, LONGEST, &source, &lengths[0]);
    batch.target_in = lb_tokens_new(tape, count, WITH_END, &in, &lengths[1]);
    batch.target_out = lb_tokens_new(tape, count, WITH_END, &out, &lengths[2]);
    if (lb_tape_status(tape)) return batch;
    for (int i = 0; i < count; i++, source += LONGEST, in += WITH_END, out += WITH_END) {
        sentence s = sentence_of(number[i]);
        lengths[0][i] = s.length;
        lengths[1][i] = lengths[2][i] = s.length + 1;
        in[0] = LB_BOS;
        for (int k = 0; k < s.length; k++) {
            source[k] = lb_vocabulary_id(l->english, s.english[k]);
            in[k + 1] = out[k] = lb_vocabulary_id(l->spanish, s.spanish[k]);
        }
        out[s.length] = LB_EOS;
    }
    return batch;
}

/* ---- Models. ---- */

typedef struct learner {
    lb_params *params;
    lb_tape *tape;
    lb_seq2seq seq2seq;
    lb_transformer transformer;
    const lb_model *model; /* one of the two */
} learner;

static void learner_new(const lesson *l, learner *new, const char *name, int seed)
{
    int32_t source = lb_vocabulary_size(l->english), target = lb_vocabulary_size(l->spanish);
    lb_seq2seq_config recurrent = {.source_vocab = source,
                                   .target_vocab = target,
                                   .embed = 16,
                                   .hidden = 32,
                                   .bidirectional = true,
                                   .heads = 1};
    lb_transformer_config transformer = {.source_vocab = source,
                                         .target_vocab = target,
                                         .width = 32,
                                         .heads = 1,
                                         .feed_forward = 64,
                                         .layers = 1};
    *new = (learner){.params = lb_params_new((uint64_t)seed), .tape = lb_tape_new()};
    if (strcmp(name, "transformer") == 0) {
        new->model = &new->transformer.base;
        lb_transformer_init(&new->transformer, new->params, "", transformer);
    } else {
        while (strcmp(lb_attention_names[recurrent.attention], name) != 0) recurrent.attention++;
        new->model = &new->seq2seq.base;
        lb_seq2seq_init(&new->seq2seq, new->params, "", recurrent);
    }
}

static void learner_free(learner *old)
{
    lb_params_free(old->params);
    lb_tape_free(old->tape);
}

static lb_status learn(lesson *l, learner *by)
{
    lb_optimizer *adam = lb_optimizer_new(by->params, (lb_optimizer_config){.clip_norm = 1});
    lb_schedule schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 1e-2, .period = STEPS};
    lb_status status = LB_OK;
    uint64_t next = 0;
    for (int step = 0; step < STEPS && !status; step++) {
        int number[BATCH];
        for (int i = 0; i < BATCH; i++) number[i] = draw_sentence("train", &next, false);
        lb_tape_reset(by->tape);
        lb_batch batch = batch_of(l, by->tape, number, BATCH);
        lb_tensor *logits = lb_model_forward(by->model, batch.source, batch.target_in);
        status = lb_backward(lb_cross_entropy(logits, batch.target_out, LB_PAD), &l->error);
        lb_optimizer_set_lr(adam, (lb_real)lb_schedule_lr(&schedule, step));
        if (!status) status = lb_optimizer_step(adam, &l->error);
    }
    lb_optimizer_free(adam);
    return status;
}

/* Reads `count` held-out sentences: what would follow each correct word, and where the model looks for it. */
static lb_model_step read_held_out(const lesson *l, const learner *by, int count, lb_batch *batch)
{
    lb_tape_reset(by->tape);
    lb_tape_set_mode(by->tape, LB_MODE_EVALUATE);
    *batch = batch_of(l, by->tape, l->held_out, count);
    lb_decoder_state state = by->model->kind->encode(by->model, batch->source);
    lb_model_step step = by->model->kind->decode(by->model, state, batch->target_in);
    lb_tape_set_mode(by->tape, LB_MODE_TRAIN);
    return step;
}

/* ---- Measures: is it translated, and does it look where it should? ---- */

typedef struct found {
    int exact;        /* sentences without a mistake */
    int words[KINDS]; /* Spanish words */
    int right[KINDS]; /* those that look most at the English word that they translate */
    int at_noun;      /* articles that look most at their noun */
} found;

static void print_found(const char *what, const found *all)
{
    double right = 0, words = 0, share[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        right += all->right[kind];
        words += all->words[kind];
        share[kind] = (double)all->right[kind] / all->words[kind];
    }
    printf("measured: %-12s %5.3f   %5.3f   %5.3f   %5.3f   %5.3f     %5.3f", what,
           (double)all->exact / HELD_OUT, right / words, share[ARTICLE],
           (double)all->at_noun / all->words[ARTICLE], share[NOUN], share[ADJECTIVE]);
    printf(" %5.3f  %5.3f  %5.3f       %5.3f\n", share[NO], share[ESTA], share[VERB], share[PREPOSITION]);
}

static lb_status measure(lesson *l, const learner *by, const char *name)
{
    lb_batch batch;
    lb_model_step step = read_held_out(l, by, HELD_OUT, &batch);
    int64_t classes = by->model->target_vocab;
    found all = {0};
    if (lb_tape_status(by->tape))
        return lb_error_set(&l->error, lb_tape_status(by->tape), "%s", lb_tape_error(by->tape));
    for (int i = 0; i < HELD_OUT; i++) {
        sentence s = sentence_of(l->held_out[i]);
        bool exact = true;
        for (int k = 0; k <= s.length; k++) {
            int at = i * WITH_END + k;
            exact = exact && lb_argmax(step.logits->data + at * classes, classes) == batch.target_out.id[at];
            if (k == s.length) continue;
            int seen = lb_argmax(step.weights->data + (int64_t)at * LONGEST, s.length);
            all.words[s.kind[k]]++;
            all.right[s.kind[k]] += seen == s.origin[k];
            all.at_noun += s.kind[k] == ARTICLE && seen == s.noun[k];
        }
        all.exact += exact;
    }
    print_found(name, &all);
    return LB_OK;
}

/* ---- Pictures. ---- */

static const char *figure(const lesson *l, const char *what)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/11_alignment_%s.png", l->folder, what);
    return path;
}

static lb_heatmap map_of(const sentence *s, const lb_tensor *weights, const char *title)
{
    return (lb_heatmap){.values = lb_doubles(weights),
                        .rows = LONGEST,
                        .columns = LONGEST,
                        .row_labels = s->spanish,
                        .column_labels = s->english,
                        .title = title,
                        .x_label = "English words (source)",
                        .y_label = "Spanish words (target)",
                        .bar_label = "attention weight"};
}

/* The alignment of one sentence, as a map and, if they have a name, as arrows. */
static lb_status show(lesson *l, const learner *by, const char *title, const char *map, const char *arrows)
{
    lb_batch batch;
    sentence s = sentence_of(SHOWN);
    double strong[LONGEST * LONGEST];
    lb_heatmap heatmap = map_of(&s, read_held_out(l, by, 1, &batch).weights, title);
    lb_status status = lb_heatmap_save(&heatmap, figure(l, map), &l->error);
    if (status || !arrows) return status;
    for (int i = 0; i < LONGEST * LONGEST; i++) strong[i] = heatmap.values[i] < 0.05 ? 0 : heatmap.values[i];
    lb_diagram diagram = {.sources = LONGEST,
                          .targets = LONGEST,
                          .source_labels = s.english,
                          .target_labels = s.spanish,
                          .weights = strong,
                          .title = "After Training, as Arrows"};
    lb_panel panel = lb_diagram_panel(&diagram);
    return lb_figure_save(&(lb_figure){.panels = &panel, .count = 1}, figure(l, arrows), &l->error);
}

/* ---- The parts of the lesson. ---- */

static void print_sentence(const lesson *l)
{
    sentence s = sentence_of(SHOWN);
    printf("%d sentences of %d English and %d Spanish words\n", SENTENCES,
           lb_vocabulary_size(l->english) - LB_FIRST_TOKEN, lb_vocabulary_size(l->spanish) - LB_FIRST_TOKEN);
    for (int i = 0; i < LONGEST; i++) printf("%s%s", s.english[i], i + 1 < LONGEST ? " " : "\n");
    for (int i = 0; i < LONGEST; i++)
        printf("%s (%s)%s", s.spanish[i], s.english[s.origin[i]], i + 1 < LONGEST ? " " : "\n");
}

/* One model, before and after its training. */
static lb_status before_and_after(lesson *l)
{
    learner by;
    print_sentence(l);
    printf("%-22s exact aligned article to noun    noun adjective   no   está   verb preposition\n", "");
    learner_new(l, &by, "additive", 1);
    lb_status status = measure(l, &by, "untrained");
    if (!status) status = show(l, &by, "Before Training", "before", NULL);
    if (!status) status = learn(l, &by);
    if (!status) status = measure(l, &by, "additive");
    if (!status) status = show(l, &by, "After Training", "after_measured", "arrows_measured");
    learner_free(&by);
    return status;
}

/* The three attentions of a transformer. */
static lb_status show_three(lesson *l, const learner *by)
{
    lb_batch batch;
    char shape[3][LB_SHAPE_TEXT];
    sentence s = sentence_of(SHOWN);
    const char *read[WITH_END] = {"<bos>"};
    memcpy(read + 1, s.spanish, sizeof s.spanish);
    lb_tensor *cross = read_held_out(l, by, 1, &batch).weights;
    lb_tape_set_mode(by->tape, LB_MODE_EVALUATE);
    lb_self_attention self = lb_model_self_attention(by->model, batch.source, batch.target_in);
    printf("encoder %s, decoder %s, between %s\n", lb_shape_format(self.encoder->shape, shape[0]),
           lb_shape_format(self.decoder->shape, shape[1]), lb_shape_format(cross->shape, shape[2]));
    lb_heatmap maps[] = {map_of(&s, self.encoder, "Encoder: Self-Attention"),
                         map_of(&s, self.decoder, "Decoder: Self-Attention"),
                         map_of(&s, cross, "Between: Cross-Attention")};
    maps[0].row_labels = s.english;
    maps[0].y_label = "English words (source)";
    maps[1].row_labels = maps[1].column_labels = read;
    maps[1].rows = maps[1].columns = WITH_END;
    maps[1].x_label = maps[1].y_label = "Spanish words (target)";
    return lb_heatmap_save_grid(maps, 3, 1, NULL, figure(l, "three_measured"), &l->error);
}

/* Others learn it, too. Do they look at the same words? */
static lb_status compare(lesson *l)
{
    static const char *const names[] = {"additive", "multi-head", "transformer"};
    lb_status status = LB_OK;
    for (int i = 0; i < 3 && !status; i++) {
        learner by;
        learner_new(l, &by, names[i], i ? 1 : 2);
        status = learn(l, &by);
        if (!status) status = measure(l, &by, i ? names[i] : "seed 2");
        if (!status && i == 1) status = show(l, &by, "Multi-Head, One Head", "shifted_measured", NULL);
        if (!status && i == 2) status = show_three(l, &by);
        learner_free(&by);
    }
    return status;
}

int main(int argc, char **argv)
{
    lesson l = {.folder = argc > 1 ? argv[1] : "."};
    lb_set_threads(1); /* the models are too small to share */
    lb_status status = prepare(&l);
    if (!status) status = before_and_after(&l);
    if (!status) status = compare(&l);
    if (status) fprintf(stderr, "%s\n", l.error.message);
    lb_vocabulary_free(l.english);
    lb_vocabulary_free(l.spanish);
    return status != LB_OK;
}
