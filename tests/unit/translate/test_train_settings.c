/* Trainings with each setting of a model: interrupted and resumed they end with the same bits, and the settings are
 * those of the file. It takes seconds. */
#include "models/built_in.h"
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/apply/translator.h"
#include <lookback/translate.h>

#include <stdlib.h>
#include <string.h>

static int64_t stop_after; /* steps; 0: never */
static lb_error error;

static bool stop(void *context)
{
    (void)context;
    return stop_after > 0 && stop_after-- == 1;
}

static const lb_training_config settings[] = {
    {.model = "transformer", .positions = LB_POSITIONAL_RELATIVE, .softcap = 3},
    {.model = "transformer", .positions = LB_POSITIONAL_ALIBI, .window = 2},
    {.model = "transformer", .positions = LB_POSITIONAL_ROTARY, .kv_heads = 2},
    {.model = "transformer", .positions = LB_POSITIONAL_NONE, .kv_heads = 1},
    {.model = "transformer", .positions = LB_POSITIONAL_FIRE, .embedding_scale = 0.25},
    {.model = "transformer", .positions = LB_POSITIONAL_RANDOM},
    {.model = "seq2seq", .cell = LB_CELL_LSTM},
    {.model = "seq2seq", .cell = LB_CELL_LSTM, .attention = LB_ATTENTION_GENERAL},
    {.model = "seq2seq", .attention = LB_ATTENTION_COVERAGE},
    {.model = "seq2seq", .cell = LB_CELL_LSTM, .attention = LB_ATTENTION_LOCATION, .window = 2},
    {.model = "seq2seq", .attention = LB_ATTENTION_LOCAL_M, .window = 1},
    {.model = "seq2seq", .attention = LB_ATTENTION_LOCAL_P, .window = 2, .direction = "backward"},
};

/* Trains in this folder; the setting says which model. */
static lb_status train(lb_training_config config, const char *folder)
{
    error = (lb_error){0};
    config.train = support_path("train.tsv");
    config.out = support_path(folder);
    config.target_separator = " ";
    config.hidden = 16;
    config.embed = strcmp(config.model, "seq2seq") == 0 ? 8 : 0;
    config.batch = 16;
    config.steps = 30;
    config.evaluate_every = 10;
    config.seed = 3;
    config.stop = stop;
    lb_training_result result;
    return lb_translator_train(config, &result, &error);
}

START_LOOP_TEST(test_train_any_setting_interrupted_and_resumed_ends_with_the_same_bits,
                sizeof settings / sizeof *settings)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 200, 1);
    stop_after = 0;
    ck_assert_msg(train(settings[_i], "whole") == LB_OK, "%s", error.message);
    for (int64_t steps = 7; steps < 30; steps += 9) {
        stop_after = steps == 7 ? 7 : 9;
        ck_assert_msg(train(settings[_i], "parts") == LB_ERROR_INTERRUPTED, "%s", error.message);
    }
    stop_after = 0;
    ck_assert_msg(train(settings[_i], "parts") == LB_OK, "%s", error.message);
    size_t whole_size, parts_size;
    char *whole = support_content("whole/model.safetensors", &whole_size),
         *parts = support_content("parts/model.safetensors", &parts_size);
    ck_assert_uint_eq(whole_size, parts_size);
    ck_assert_mem_eq(whole, parts, whole_size);
    free(whole);
    free(parts);
}
END_TEST

static void check_seq2seq(const lb_seq2seq_config *found, const lb_training_config *wanted)
{
    ck_assert_int_eq(found->cell, wanted->cell);
    ck_assert_int_eq(found->attention, wanted->attention);
    ck_assert_int_eq(found->window, wanted->window);
}

static void check_transformer(const lb_transformer_config *found, const lb_training_config *wanted)
{
    ck_assert_int_eq(found->positions, wanted->positions);
    ck_assert_int_eq(found->kv_heads, wanted->kv_heads);
    ck_assert_int_eq(found->window, wanted->window);
    ck_assert(found->softcap == wanted->softcap && found->embedding_scale == wanted->embedding_scale);
}

START_LOOP_TEST(test_train_any_setting_is_that_of_the_model_and_of_one_that_starts_from_it,
                sizeof settings / sizeof *settings)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 200, 1);
    stop_after = 0;
    ck_assert_msg(train(settings[_i], "base") == LB_OK, "%s", error.message);
    lb_training_config open = {.model = settings[_i].model, .from = support_path("base")};
    ck_assert_msg(train(open, "more") == LB_OK, "%s", error.message);
    for (int i = 0; i < 2; i++) {
        lb_translator *translator = lb_translator_open(support_path(i ? "more" : "base"), &error);
        ck_assert_msg(translator, "%s", error.message);
        const lb_model *model = translator->model.model;
        ck_assert_str_eq(model->kind->name, settings[_i].model);
        if (model->kind == &lb_transformer_kind)
            check_transformer(&((const lb_transformer *)model)->config, &settings[_i]);
        if (model->kind == &lb_seq2seq_kind)
            check_seq2seq(&((const lb_seq2seq *)model)->config, &settings[_i]);
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_train_settings_of_a_transformer_are_refused_for_a_seq2seq)
{
    const lb_training_config bad[] = {{.positions = LB_POSITIONAL_NONE}, {.kv_heads = 2}, {.softcap = 1}};
    for (size_t i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_training_config config = bad[i];
        config.model = "seq2seq";
        ck_assert_int_eq(train(config, "bad"), LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.message,
                             "positions, kv_heads, softcap and embedding_scale are options of a transformer"),
                      "%s", error.message);
    }
    lb_training_config wide = {.model = "seq2seq", .attention = LB_ATTENTION_COVERAGE, .window = 1};
    ck_assert_int_eq(train(wide, "bad"), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "window is an option of a transformer and of local-m, local-p and "
                                    "location attention, not of coverage");
    ck_assert_int_eq(train((lb_training_config){.model = "transformer", .softcap = -1}, "bad"),
                     LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, "softcap: found -1, expected 0 or more"), "%s", error.message);
}
END_TEST
