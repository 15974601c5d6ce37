/* Attention whose truth is known: a model whose keys and values are the embeddings of the source themselves, so that a
 * weight on a position can carry its symbol and nothing else. It copies and reverses lists. docs/why.md has the figures
 * that are asserted here. */
#include "lookback/lookback.h"
#include "lookback/op.h"
#include "metrics/measures.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    LENGTH = 8,
    WIDTH = 32,
    STEPS = 800,
    BATCH = 32,
    LISTS = 100,
    TEXT = 2 * LENGTH,
    CELLS = LENGTH * LENGTH
};

/* ---- The model: query(step) . (embedding(symbol) + place(position)) are the scores. Nothing else of the source
 * reaches the output, and the decoder does not read what it has written. ---- */

typedef struct bare {
    lb_model base;
    int64_t vocabulary;
    lb_embedding symbol, place, query;
    lb_linear output, end; /* of the context and of the step */
} bare;

typedef struct bare_state {
    lb_tensor *keys, *values, *mask;
    int64_t step;
} bare_state;

/* The numbers from `first` on, as if they were symbols, in each row. */
static lb_tensor *count_from(const lb_embedding *embedding, lb_tape *tape, int64_t first, int64_t batch,
                             int64_t length)
{
    int32_t *id, *lengths;
    lb_tokens numbers = lb_tokens_new(tape, batch, length, &id, &lengths);
    for (int64_t i = 0; i < numbers.batch * length; i++) id[i] = (int32_t)(first + i % length);
    for (int64_t row = 0; row < numbers.batch; row++) lengths[row] = (int32_t)length;
    return lb_embedding_forward(embedding, numbers);
}

static lb_decoder_state encode(const lb_model *model, lb_tokens source)
{
    const bare *b = (const bare *)model;
    bare_state *s = lb_tape_alloc(source.tape, sizeof *s);
    lb_tensor *symbols = lb_announce(lb_embedding_forward(&b->symbol, source), "encoder.embedding", -1);
    lb_tensor *places = count_from(&b->place, source.tape, 0, source.batch, source.length);
    if (s) *s = (bare_state){lb_add(symbols, places), symbols, lb_tokens_mask(source), 0};
    return s;
}

static lb_model_step decode(const lb_model *model, lb_decoder_state from, lb_tokens target_in)
{
    const bare *b = (const bare *)model;
    const bare_state *before = from;
    bare_state *after = lb_tape_alloc(target_in.tape, sizeof *after);
    if (!before || !after)
        return (lb_model_step){.logits = lb_tape_fail(target_in.tape, LB_ERROR_MEMORY, "out of memory")};
    lb_tensor *query = count_from(&b->query, target_in.tape, before->step, target_in.batch, target_in.length);
    lb_tensor *context =
        lb_attend_dot(query, before->keys, before->values, lb_key_mask(before->mask), NULL, 1, 1, 0);
    lb_tensor *logits = lb_add(lb_linear_forward(&b->output, context), lb_linear_forward(&b->end, query));
    *after = *before;
    after->step += target_in.length;
    return (lb_model_step){logits, lb_op_output(context, 1), after};
}

static lb_decoder_state select_rows(const lb_model *model, lb_tape *tape, lb_decoder_state from,
                                    const int64_t *row, int64_t count)
{
    (void)model;
    const bare_state *before = from;
    bare_state *after = lb_tape_alloc(tape, sizeof *after);
    if (after)
        *after = (bare_state){lb_select_rows(tape, before->keys, row, count),
                              lb_select_rows(tape, before->values, row, count),
                              lb_select_rows(tape, before->mask, row, count), before->step};
    return after;
}

static const lb_config_field fields[] = {
    {"vocabulary", offsetof(bare, vocabulary), LB_CONFIG_SIZE, LB_CONFIG_NEEDED, NULL}, {0}};

static char *write_config(const lb_model *model)
{
    return lb_config_write(fields, model);
}

static lb_model *add_bare(lb_params *params, const char *name, int64_t vocabulary);

static lb_model *restore(lb_params *params, const char *name, const char *json, const lb_extensions *own,
                         lb_error *error)
{
    (void)own;
    bare read;
    if (lb_config_read(fields, json, &read, error)) return NULL;
    return add_bare(params, name, read.vocabulary);
}

static const lb_model_kind bare_kind = {.name = "bare",
                                        .encode = encode,
                                        .decode = decode,
                                        .select = select_rows,
                                        .config_json = write_config,
                                        .restore = restore};

static lb_model *add_bare(lb_params *params, const char *name, int64_t vocabulary)
{
    bare *b = lb_params_alloc(params, sizeof *b);
    const lb_linear_config output = {.inputs = WIDTH, .outputs = vocabulary};
    ck_assert_ptr_nonnull(b);
    *b = (bare){.base = {.kind = &bare_kind,
                         .source_vocab = vocabulary,
                         .target_vocab = vocabulary,
                         .layers = 1,
                         .heads = 1,
                         .step_reals = 8 * WIDTH,
                         .state_reals = 2 * WIDTH},
                .vocabulary = vocabulary};
    lb_embedding_init(&b->symbol, params, lb_params_scope(params, name, "symbol"), vocabulary, WIDTH, 0.3);
    lb_embedding_init(&b->place, params, lb_params_scope(params, name, "place"), 2 * LENGTH, WIDTH, 0.3);
    lb_embedding_init(&b->query, params, lb_params_scope(params, name, "query"), 8 * LENGTH, WIDTH, 0.3);
    lb_linear_init(&b->output, params, lb_params_scope(params, name, "output"), output);
    lb_linear_init(&b->end, params, lb_params_scope(params, name, "end"), output);
    ck_assert_int_eq(lb_params_status(params), LB_OK);
    return &b->base;
}

/* ---- It learns a task, and is measured on lists of the test. ---- */

typedef struct lesson {
    lb_model *model;
    lb_sort_task task;
} lesson;

static lb_tensor *loss(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    const lesson *l = context;
    lb_batch batch = lb_sort_batch(&l->task, tape, BATCH, step);
    *tokens += BATCH * (LENGTH + 1);
    return lb_cross_entropy(lb_model_forward(l->model, batch.source, batch.target_in), batch.target_out,
                            LB_PAD);
}

static lb_status evaluate_lists(void *context, lb_tape *tape, lb_evaluation *found)
{
    const lesson *l = context;
    return lb_sort_evaluate(l->model, &l->task, tape, LISTS, &found->exact_match);
}

/* Trains, and opens what was saved. */
static lb_translator *learn(lb_list_task what, double *exact)
{
    static const lb_model_kind *const kinds[] = {&bare_kind, NULL};
    static const lb_extensions extensions = {.kinds = kinds};
    lb_error error = {0};
    lb_train_history history = {0};
    lb_params *params = lb_params_new(1);
    lesson l = {
        .task = {.max_value = 9, .min_length = LENGTH, .max_length = LENGTH, .seed = 7, .what = what}};
    l.model = add_bare(params, "", lb_sort_vocab(&l.task));
    lb_trainer_config config = {.params = params,
                                .context = &l,
                                .loss = loss,
                                .evaluate = evaluate_lists,
                                .steps = STEPS,
                                .evaluate_every = STEPS,
                                .schedule = {.kind = LB_SCHEDULE_COSINE, .lr = 0.02, .period = STEPS},
                                .optimizer = {.clip_norm = 1}};
    ck_assert_msg(lb_train(config, &history, &error) == LB_OK, "%s", error.message);
    *exact = lb_train_best(&history)->dev.exact_match;
    lb_translator_texts texts = {.sort = &l.task};
    ck_assert_msg(lb_translator_save(l.model, params, support_path("bare.safetensors"), texts, &error) ==
                      LB_OK,
                  "%s", error.message);
    lb_release(history.points);
    lb_params_free(params);
    lb_translator *translator =
        lb_translator_open_with(support_path("bare.safetensors"), &extensions, &error);
    ck_assert_msg(translator, "%s", error.message);
    return translator;
}

static void widen(double *wide, const lb_real *map)
{
    for (int i = 0; i < CELLS; i++) wide[i] = (double)map[i];
}

/* The agreement of attention with erasure, and that of the weights of the list before; without the end, which depends
 * on no symbol. */
static void expect_agreement(lb_list_task what)
{
    static char text[LISTS][TEXT + 1];
    const char *texts[LISTS];
    double exact, weights[2][CELLS], erasure[CELLS];
    lb_translator *translator = learn(what, &exact);
    ck_assert_double_ge(exact, 0.99);
    for (int i = 0; i < LISTS; i++) {
        lb_rng rng = {.seed = 5, .step = (uint32_t)i};
        for (int k = 0; k < LENGTH; k++)
            snprintf(text[i] + 2 * k, 3, "%d ", (int)lb_rng_below(rng, (uint64_t)k, 10));
        texts[i] = text[i];
    }
    lb_translate_config config = {.attention = true, .erasure = true, .limit = LENGTH};
    lb_translations *all = lb_translate_all(translator, texts, LISTS, config, NULL);
    ck_assert_ptr_nonnull(all);
    lb_agreement own = {0}, another = {0};
    for (int i = 0; i < LISTS; i++) {
        const lb_output *output = all->text[i].output;
        ck_assert_int_eq(output->steps, LENGTH);
        widen(weights[i % 2], output->weights);
        widen(erasure, output->erasure);
        lb_agreement found, other = {0};
        lb_status status = lb_agreement_of(weights[i % 2], erasure, LENGTH, LENGTH, &found, NULL);
        if (i > 0 && !status)
            status = lb_agreement_of(weights[1 - i % 2], erasure, LENGTH, LENGTH, &other, NULL);
        ck_assert_int_eq(status, LB_OK);
        own = (lb_agreement){own.tau + found.tau / LISTS, own.first + found.first / LISTS};
        another =
            (lb_agreement){another.tau + other.tau / (LISTS - 1), another.first + other.first / (LISTS - 1)};
        for (int step = 0; step < LENGTH; step++) { /* what is looked at is needed, and nothing else is */
            int at = what == LB_LIST_REVERSE ? LENGTH - 1 - step : step;
            for (int k = 0; k < LENGTH; k++) {
                double lost = erasure[step * LENGTH + k];
                ck_assert_msg(k == at ? lost > 0.3 : fabs(lost) < 0.3, "step %d, symbol %d: %g", step, k,
                              lost);
            }
        }
    }
    /* The others matter so little that their order is of what disturbs least. */
    ck_assert_double_ge(own.first, 0.99);
    ck_assert_double_eq_tol(own.tau, 0.22, 0.06);
    /* Where it looks follows from the step alone. */
    ck_assert_double_ge(another.first, 0.99);
    ck_assert_double_gt(another.tau, own.tau);
    lb_translations_free(all);
    lb_translator_close(translator);
}

START_TEST(test_known_copy_looks_where_it_depends)
{
    expect_agreement(LB_LIST_COPY);
}
END_TEST

START_TEST(test_known_reverse_looks_where_it_depends)
{
    expect_agreement(LB_LIST_REVERSE);
}
END_TEST
