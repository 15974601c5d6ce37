/* Models whose file asks for long outputs and that never write an end: what a translation takes is in proportion to the
 * text, whatever the file says. It takes seconds. */
#include "lookback/translate.h"
#include "models/built_in.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 65535, MOST_STEPS = 300, MOST_BYTES = 100000000 };

static lb_error error;
static const char *path;

/* An end is never likely. */
static void forbid_end(lb_params *params)
{
    lb_params_find(params, "output.bias")->data[LB_EOS] = -1000;
}

static lb_model *make_seq2seq(lb_params *params, int64_t symbols)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {.source_vocab = symbols, .target_vocab = symbols, .embed = 4, .hidden = 4};
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return &model->base;
}

/* As `lookback train` makes it. */
static lb_model *make_default(lb_params *params, int64_t symbols)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {
        .source_vocab = symbols, .target_vocab = symbols, .embed = 128, .hidden = 192, .bidirectional = true};
    ck_assert_int_eq(lb_seq2seq_init(model, params, "", config), LB_OK);
    return &model->base;
}

static lb_model *make_transformer(lb_params *params, int64_t symbols)
{
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    lb_transformer_config config = {.source_vocab = symbols,
                                    .target_vocab = symbols,
                                    .width = 8,
                                    .heads = 2,
                                    .positions = LB_POSITIONAL_NONE};
    ck_assert_int_eq(lb_transformer_init(model, params, "", config), LB_OK);
    return &model->base;
}

static void save_endless(lb_model *(*make)(lb_params *params, int64_t symbols), int32_t longest_source,
                         int32_t longest_target)
{
    /* More than a beam follows: an end that is the worst of all symbols never gets into it. */
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    lb_text_model made = {.params = lb_params_new(1),
                          .source = lb_vocabulary_new_reserved(&error),
                          .shortest_source = 1,
                          .longest_source = longest_source,
                          .longest_target = longest_target};
    made.target = made.source;
    ck_assert_int_eq(lb_vocabulary_add(made.source, letters, 8, &error), LB_OK);
    made.model = make(made.params, lb_vocabulary_size(made.source));
    forbid_end(made.params);
    ck_assert_msg(!lb_text_model_save(path = support_path("model"), &made, &error), "%s", error.message);
    lb_text_model_free(&made);
}

/* The steps of one translation, in little memory. */
static int64_t steps_of(const char *text, lb_translate_config config)
{
    support_watch_allocations();
    lb_translator *model = lb_translator_open(path, &error);
    ck_assert_msg(model, "%s", error.message);
    config.attention = true;
    lb_translations *all = lb_translate_all(model, &text, 1, config, &error);
    ck_assert_msg(all && all->text[0].count > 0, "%s", error.message);
    ck_assert(!all->text[0].output[0].finished);
    int64_t steps = all->text[0].output[0].steps;
    lb_translations_free(all);
    lb_translator_close(model);
    ck_assert_uint_lt(support_allocated_bytes(), MOST_BYTES);
    return steps;
}

START_TEST(test_translate_by_a_model_that_never_ends_ends_in_time)
{
    lb_model *(*const make[])(lb_params *, int64_t) = {make_seq2seq, make_transformer};
    lb_set_threads(1);
    for (size_t i = 0; SUPPORT_ROW(i, make); i++) {
        save_endless(make[i], 2, LONGEST);
        ck_assert_int_lt(steps_of("ab", (lb_translate_config){0}), MOST_STEPS);
        ck_assert_int_lt(steps_of("ab", (lb_translate_config){.sample = true}), MOST_STEPS);
        save_endless(make[i], LONGEST, 2);
        ck_assert_int_lt(steps_of("ab", (lb_translate_config){0}), MOST_STEPS);
    }
}
END_TEST

START_TEST(test_translate_to_a_limit_of_the_caller_obeys_it)
{
    lb_set_threads(1);
    save_endless(make_seq2seq, 2, LONGEST);
    ck_assert_int_eq(steps_of("ab", (lb_translate_config){.limit = 2 * MOST_STEPS, .beam = 1}),
                     2 * MOST_STEPS);
}
END_TEST

/* The most bytes in use while a text of `length` symbols is translated, the model not among them. */
static double memory_of(size_t length, lb_translate_config config)
{
    char *text = malloc(length + 1);
    memset(text, 'c', length);
    text[length] = 0;
    support_watch_allocations();
    lb_translator *model = lb_translator_open(path, &error);
    ck_assert_msg(model, "%s", error.message);
    double before = (double)support_live_bytes();
    lb_translations *all = lb_translate_all(model, &(const char *){text}, 1, config, &error);
    ck_assert_msg(all, "%s", error.message);
    ck_assert(!all->text[0].output[0].finished);
    double most = (double)support_most_bytes();
    lb_translations_free(all);
    lb_translator_close(model);
    free(text);
    return most - before;
}

/* Four times the length takes about four times the memory; blocks of a tape grow by doubling. */
START_TEST(test_translate_a_long_text_takes_memory_in_proportion_to_its_length)
{
    const lb_translate_config configs[] = {{0}, {.n_best = 5}, {.sample = true, .n_best = 3}};
    lb_set_threads(1);
    save_endless(make_seq2seq, 2, 2);
    for (size_t i = 0; SUPPORT_ROW(i, configs); i++) {
        double quarter = memory_of(250, configs[i]), half = memory_of(500, configs[i]),
               full = memory_of(1000, configs[i]);
        ck_assert_double_lt(full, 6 * quarter);
        ck_assert_double_lt(full, 3 * half);
        ck_assert_double_lt(full, 10e6);
    }
}
END_TEST

/* The formula of SECURITY.md, which is below 200 MB. What a step leaves behind is small, so that a few steps show what
 * the others need. */
START_TEST(test_translate_a_long_text_by_the_default_model_takes_what_the_formula_says)
{
    enum { STEPS = 12, LENGTH = 1000, ALL_STEPS = 2008, BEAM = 5, KEYS_AND_VALUES = 576 };
    const double each_step = 256.0 * BEAM, all = 24.0 * BEAM * LENGTH * (KEYS_AND_VALUES + 1);
    lb_set_threads(1);
    save_endless(make_default, 2, 2);
    double found = memory_of(LENGTH, (lb_translate_config){.limit = STEPS}),
           longer = memory_of(LENGTH, (lb_translate_config){.limit = 2 * STEPS});
    ck_assert_double_lt(found, all);
    ck_assert_double_lt(longer - found, STEPS * each_step);
    ck_assert_double_lt(all + ALL_STEPS * each_step, 200e6);
}
END_TEST
