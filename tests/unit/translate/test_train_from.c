/* Training that starts from a trained model: what it keeps, adds, freezes and rejects.
 * It takes seconds. */
#include "io/safetensors.h"
#include "models/built_in.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 10 };

static lb_error error;
static double first_loss;  /* of the first evaluation of the last training that has steps */
static int64_t stop_after; /* steps; 0: never */
static const char *train_file, *new_file, *new_dev, *base, *out;

static lb_status see(void *context, const lb_event *event, lb_error *failure)
{
    const lb_train_history *history = event->history;
    (void)context, (void)failure;
    if (event->kind == LB_EVENT_POINT)
        first_loss = history->points[history->points[0].step == 0 && history->count > 1].loss;
    return LB_OK;
}

static bool stop(void *context)
{
    (void)context;
    return stop_after > 0 && stop_after-- == 1;
}

/* The pairs of a file with a, b and c replaced by x, y and z: new symbols on both sides. */
static void write_new(const char *from, const char *to)
{
    size_t count;
    char *text = support_content(from, &count);
    for (size_t i = 0; i < count; i++)
        if (text[i] >= 'a' && text[i] <= 'c') text[i] = (char)(text[i] + 'x' - 'a');
    support_write_file(support_path(to), text, count);
    free(text);
}

static lb_training_config usual(void)
{
    return (lb_training_config){.train = train_file,
                                .target_separator = " ",
                                .embed = 16,
                                .hidden = 32,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = -1,
                                .lr = 0.02,
                                .evaluate_every = EVERY,
                                .steps = 200,
                                .seed = 1,
                                .out = base,
                                .tell = see,
                                .stop = stop};
}

/* The configuration of a second training: other pairs, and nothing about the model. */
static lb_training_config second(void)
{
    lb_training_config config = usual();
    config.from = base;
    config.train = new_file;
    config.dev = new_dev;
    config.target_separator = NULL;
    config.embed = config.hidden = 0;
    config.out = out;
    return config;
}

static void train_base(const char *model, bool tied)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
    write_new("train.tsv", "new.tsv");
    write_new("dev.tsv", "new_dev.tsv");
    train_file = support_path("train.tsv");
    new_file = support_path("new.tsv");
    new_dev = support_path("new_dev.tsv");
    base = support_path("base");
    out = support_path("out");
    lb_training_config config = usual();
    config.model = model;
    config.tied = tied;
    config.embed = model ? 0 : 16;
    support_small_train(&config);
}

static lb_safetensors *open_model(const char *folder)
{
    lb_safetensors *file = lb_model_file_open(folder, NULL, &error);
    ck_assert_msg(file, "%s", error.message);
    return file;
}

static bool is_frozen(const char *name, const char *const *frozen)
{
    for (; *frozen; frozen++)
        if (strncmp(name, *frozen, strlen(*frozen)) == 0 && strchr(".", name[strlen(*frozen)])) return true;
    return false;
}

/* Asserts that parameters of these modules equal those of the base, bit for bit, in the rows of the base, and that all
 * others differ, except those of the attention, whose gradients may be zero. Returns the number of added rows. */
static int64_t compare_rows(const char *const *frozen, bool all)
{
    lb_safetensors *before = open_model(base), *after = open_model(out);
    int64_t added = 0;
    ck_assert_int_eq(lb_safetensors_count(before), lb_safetensors_count(after));
    for (int64_t i = 0; i < lb_safetensors_count(before); i++) {
        const lb_safetensors_tensor *a = lb_safetensors_at(before, i),
                                    *b = lb_safetensors_find(after, a->name);
        ck_assert_ptr_nonnull(b);
        bool same = memcmp(a->data, b->data, (size_t)lb_shape_count(a->shape) * sizeof(lb_real)) == 0;
        if (all || is_frozen(a->name, frozen))
            ck_assert_msg(same, "%s has changed", a->name);
        else
            ck_assert_msg(!same || strstr(a->name, "attention") || strstr(a->name, "attn"), "%s is frozen",
                          a->name);
        added += b->shape.dim[0] - a->shape.dim[0];
    }
    lb_safetensors_close(before);
    lb_safetensors_close(after);
    return added;
}

/* The logits of a model for "abc" and `target`, [1, length, target_vocab]. */
static lb_tensor *logits_of(const lb_translator *translator, lb_tape *tape, const int32_t *target,
                            int32_t length)
{
    static const char *const source[] = {"a", "b", "c"};
    lb_translator_facts facts = lb_translator_about(translator);
    int32_t id[3], count = 3;
    lb_vocabulary_encode(facts.source, source, 3, id, 3);
    lb_tokens in = {tape, 1, 3, id, &count}, out_tokens = {tape, 1, length, target, &length};
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    return lb_model_forward(facts.model, in, out_tokens);
}

/* Asserts that the logits of old symbols have not changed. */
static void expect_same_logits(const lb_translator *old, const lb_translator *grown)
{
    static const int32_t target[] = {LB_BOS, LB_FIRST_TOKEN + 2, LB_FIRST_TOKEN, LB_FIRST_TOKEN + 5};
    lb_tape *tape = lb_tape_new();
    const lb_tensor *a = logits_of(old, tape, target, 4), *b = logits_of(grown, tape, target, 4);
    int64_t before = lb_dim(a, -1), after = lb_dim(b, -1);
    ck_assert_int_eq(after, before + 3);
    for (int64_t t = 0; t < 4; t++)
        for (int64_t k = 0; k < before; k++)
            ck_assert_double_eq_tol((double)a->data[t * before + k], (double)b->data[t * after + k], 1e-5);
    lb_tape_free(tape);
}

static void expect_same_outputs(lb_translator *old, lb_translator *grown)
{
    static const char *const words[] = {"abc", "hg", "deaf", "b", "gbh"};
    for (size_t i = 0; SUPPORT_ROW(i, words); i++) {
        char *a = lb_translate(old, words[i], &error), *b = lb_translate(grown, words[i], &error);
        ck_assert_str_eq(a, b);
        lb_release(a);
        lb_release(b);
    }
}

static void expect_same_model(bool is_sure)
{
    lb_translator *old = lb_translator_open(base, &error), *grown = lb_translator_open(out, &error);
    ck_assert_msg(old && grown, "%s", error.message);
    expect_same_logits(old, grown);
    if (is_sure) expect_same_outputs(old, grown);
    lb_translator_close(old);
    lb_translator_close(grown);
}

static const struct {
    const char *model;
    bool tied;
    int rows; /* for x, y and z on both sides: embeddings, output's weight, and its bias */
} kinds[] = {{NULL, false, 12}, {NULL, true, 9}, {"transformer", false, 12}, {"transformer", true, 9}};

/* A step too small to change anything: the model is the old one with new symbols. */
START_LOOP_TEST(test_train_from_a_model_begins_with_its_weights_and_adds_symbols,
                sizeof kinds / sizeof *kinds)
{
    static const char *const none[] = {NULL};
    train_base(kinds[_i].model, kinds[_i].tied);
    lb_training_config config = second();
    config.steps = 1;
    config.lr = 1e-30;
    support_small_train(&config);
    ck_assert_int_eq(compare_rows(none, true), kinds[_i].rows);
    expect_same_model(
        !kinds[_i].model); /* such a small transformer is unsure: new symbols change its outputs */
    lb_translator *translator = lb_translator_open(out, &error);
    lb_translator_facts facts = lb_translator_about(translator);
    ck_assert_str_eq(facts.target_rule.separator, " ");
    ck_assert_int_ge(lb_vocabulary_id(facts.source, "x"), LB_FIRST_TOKEN + 8);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_train_from_a_model_starts_below_a_new_one_and_learns_new_symbols)
{
    train_base(NULL, false);
    lb_training_config config = second(), fresh = usual();
    config.steps = fresh.steps = 100;
    fresh.train = new_file;
    fresh.dev = new_dev;
    fresh.out = out;
    support_small_train(&fresh);
    double fresh_loss = first_loss;
    config.fresh = true;
    double share = support_small_train(&config).dev.exact_match;
    ck_assert_msg(first_loss < 0.7 * fresh_loss, "loss %g, of a new model %g", first_loss, fresh_loss);
    ck_assert_double_ge(share, 0.8); /* the old one knows none of the new symbols: it has 0.1 */
}
END_TEST

START_LOOP_TEST(test_train_from_a_model_with_frozen_modules_leaves_their_bits, sizeof kinds / sizeof *kinds)
{
    static const char *const frozen[] = {"source_embedding", "encoder", NULL};
    static const char *const of_transformer[] = {"source_embedding", "transformer.encoder", NULL};
    bool transformer = kinds[_i].model != NULL;
    train_base(kinds[_i].model, kinds[_i].tied);
    lb_training_config config = second();
    config.dev = NULL;
    config.no_hold_out = true; /* else it might keep what it started from */
    config.dropout = 0.2;
    config.steps = 30;
    config.freeze = transformer ? "source_embedding,transformer.encoder" : "source_embedding,encoder";
    support_small_train(&config);
    ck_assert_int_eq(compare_rows(transformer ? of_transformer : frozen, false), kinds[_i].rows);
}
END_TEST

START_TEST(test_train_from_a_model_interrupted_and_resumed_ends_with_the_same_bits)
{
    train_base(NULL, false);
    lb_training_config config = second();
    config.steps = 50;
    config.freeze = "target_embedding";
    support_small_train(&config);
    config.out = support_path("stopped");
    for (int steps = 1; steps <= 14; steps += 13) { /* also before the first one */
        config.fresh = true;
        stop_after = steps;
        error = (lb_error){0};
        ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
        config.fresh = false;
        support_small_train(&config);
        support_assert_same_weights("out/model.safetensors", "stopped/model.safetensors");
    }
}
END_TEST

static lb_train_point kept;

static lb_status keep(void *context, const lb_event *event, lb_error *failure)
{
    (void)context, (void)failure;
    if (event->kind == LB_EVENT_POINT) kept = *event->run->kept;
    return LB_OK;
}

/* Steps that are much too large. */
START_TEST(test_train_from_a_model_that_is_better_than_what_follows_keeps_it)
{
    train_base(NULL, false);
    lb_training_config config = second();
    config.train = train_file;
    config.dev = support_path("dev.tsv");
    config.steps = 2 * EVERY;
    config.lr = 0.3;
    config.tell = keep;
    for (int steps = 0; steps <= EVERY + 2; steps += EVERY + 2) {
        config.fresh = true;
        stop_after = steps;
        if (steps) ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
        config.fresh = !steps;
        lb_training_result result = support_small_train(&config);
        ck_assert_int_eq(kept.step, 0);
        ck_assert_double_eq(result.dev.exact_match, kept.dev.exact_match);
        ck_assert_double_gt(result.dev.exact_match, 0.5);
        support_assert_same_weights("base/model.safetensors", "out/model.safetensors");
    }
}
END_TEST

static void expect_refused(const lb_training_config *config, lb_status status, const char *text)
{
    error = (lb_error){0};
    ck_assert_msg(lb_translator_train(*config, NULL, &error) == status, "%s", error.message);
    ck_assert_msg(strstr(error.message, text), "\"%s\" does not say \"%s\"", error.message, text);
}

START_TEST(test_train_from_another_model_is_another_run)
{
    train_base(NULL, false);
    lb_training_config config = second(), other = usual();
    config.steps = EVERY;
    support_small_train(&config);
    config.freeze = "encoder";
    expect_refused(&config, LB_ERROR_FORMAT, "it was trained with freeze unset, this run has freeze encoder");
    config.freeze = NULL;
    other.seed = 2;
    other.fresh = true;
    support_small_train(&other);
    expect_refused(&config, LB_ERROR_FORMAT, "base has changed, or is a different one)");
    other.out = out;
    other.train = new_file;
    other.dev = new_dev;
    other.fresh = false;
    other.seed = 1;
    other.steps = EVERY;
    expect_refused(&other, LB_ERROR_FORMAT, "it started from a trained model");
    other.fresh = true;
    support_small_train(&other);
    expect_refused(&config, LB_ERROR_FORMAT, "it did not start from a trained model");
}
END_TEST

#define REFUSED(field, value, text)                                                                          \
    do {                                                                                                     \
        lb_training_config c = second();                                                                     \
        c.field = value;                                                                                     \
        expect_refused(&c, LB_ERROR_ARGUMENT, text);                                                         \
    } while (0)

START_TEST(test_train_from_a_model_that_does_not_fit_is_refused_in_words)
{
    lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
    train_base(NULL, false);
    REFUSED(hidden, 64, "it has hidden 32, this run has hidden 64");
    REFUSED(layers, 2, "it has layers 1, this run has layers 2");
    REFUSED(tied, true, "it has tied false, this run has tied true");
    REFUSED(attention, LB_ATTENTION_GENERAL, "it has attention additive, this run has attention general");
    REFUSED(model, "transformer", "it has model seq2seq, this run has model transformer");
    REFUSED(target_separator, "-", "it has target_separator ' ', this run has target_separator -");
    REFUSED(normalize, "nfc", "it has normalize nfd, this run has normalize nfc");
    REFUSED(freeze, "encoder,decodr",
            "found \"decodr\", expected a parameter or a module of the model: source_embedding, "
            "target_embedding, encoder, bridge, attention, decoder, output");
    REFUSED(freeze, "source_embedding,target_embedding,encoder,bridge,decoder,attention,output",
            "nothing is left to train");
    REFUSED(out, base, "this run would overwrite it");
    lb_training_config config = second();
    config.train = config.dev = NULL;
    config.sort = &task;
    expect_refused(&config, LB_ERROR_ARGUMENT, "it was trained on pairs of texts, this run sorts lists");
    config = usual();
    config.seeds = 2;
    config.steps = EVERY;
    config.fresh = true;
    support_small_train(&config);
    config = second();
    expect_refused(&config, LB_ERROR_ARGUMENT, "it is an ensemble, expected a single model");
}
END_TEST

START_TEST(test_train_from_a_model_that_no_setting_makes_is_refused)
{
    support_write_pairs("train.tsv", 40, 1);
    lb_vocabulary *symbols = lb_vocabulary_new_reserved(NULL);
    lb_params *params = lb_params_new(1);
    lb_transformer model;
    lb_transformer_config part = {LB_FIRST_TOKEN, LB_FIRST_TOKEN, .width = 8, .heads = 2,
                                  .no_self_attention = true};
    lb_translator_texts texts = {
        .source = symbols, .target = symbols, .longest_source = 5, .longest_target = 5};
    ck_assert_int_eq(lb_transformer_init(&model, params, "", part), LB_OK);
    ck_assert_int_eq(
        lb_translator_save(&model.base, params, base = support_path("part.safetensors"), texts, &error),
        LB_OK);
    lb_training_config config = {
        .from = base, .train = train_file = support_path("train.tsv"), .out = support_path("out")};
    expect_refused(&config, LB_ERROR_ARGUMENT,
                   "its no_self_attention is true, and no setting makes such a model");
    lb_params_free(params);
    lb_vocabulary_free(symbols);
}
END_TEST

START_TEST(test_train_from_a_model_that_sorts_adds_numbers)
{
    const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 4},
                       larger = {.max_value = 19, .min_length = 1, .max_length = 4},
                       smaller = {.max_value = 8, .min_length = 1, .max_length = 4};
    lb_set_threads(1);
    lb_training_config config = {.sort = &task,
                                 .hidden = 16,
                                 .embed = 8,
                                 .steps = EVERY,
                                 .seed = 1,
                                 .batch = 8,
                                 .out = base = support_path("base")};
    support_small_train(&config);
    config.sort = &larger;
    config.from = base;
    config.out = out = support_path("out");
    config.hidden = config.embed = 0;
    config.lr = 1e-30;
    config.steps = 1;
    support_small_train(&config);
    ck_assert_int_eq(compare_rows((const char *const[]){NULL}, true), 40);
    config.sort = &smaller;
    config.fresh = true;
    expect_refused(&config, LB_ERROR_ARGUMENT, "it has max_number 9, this run has max_number 8");
}
END_TEST
