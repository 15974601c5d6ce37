/* Values of settings: how they are named, checked, filled in, copied to a model and back, and printed. */
#include "settings/settings.h"

#include "base/alloc.h"
#include "models/file/model_formats.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static lb_error error;

static const lb_setting *find(const char *name)
{
    const lb_setting *s = lb_setting_find(name);
    ck_assert_msg(s != NULL, "%s", name);
    return s;
}

START_TEST(test_setting_has_the_names_of_its_field_its_option_and_its_model)
{
    char text[LB_SETTING_WORDS], name[LB_SETTING_NAME], all[64];
    ck_assert_ptr_eq(find("kv-heads"), find("kv_heads"));
    ck_assert_ptr_eq(find("bidirectional"), find("one_direction"));
    ck_assert_ptr_eq(find("width"), find("hidden"));
    ck_assert_ptr_null(lb_setting_find("wide"));
    ck_assert_str_eq(lb_setting_field("width"), "hidden");
    ck_assert_str_eq(lb_setting_field("bidirectional"), "bidirectional");
    ck_assert_str_eq(lb_setting_option(find("no_hold_out"), name), "hold-out");
    ck_assert_str_eq(lb_setting_words(find("warm_up"), text), "--warm-up");
    ck_assert_str_eq(lb_setting_words(find("kv_heads"), text), "--set kv-heads");
    ck_assert_int_eq(lb_setting_choice(find("attention"), "luong"), LB_ATTENTION_GENERAL);
    ck_assert_int_eq(lb_setting_choice(find("attention"), "bahdanau"), LB_ATTENTION_ADDITIVE);
    ck_assert_int_eq(lb_setting_choice(find("attention"), "dot"), LB_ATTENTION_DOT);
    ck_assert_int_eq(lb_setting_choice(find("attention"), "new"), -1);
    ck_assert_str_eq(lb_choices_text(find("choose")->choices, all, sizeof all),
                     "exact, symbol, loss, bleu or chrf");
    ck_assert_str_eq(lb_choices_text(find("model")->choices, all, sizeof all), "seq2seq or transformer");
}
END_TEST

START_TEST(test_setting_add_test_keeps_names_apart_and_replaces_the_same)
{
    lb_test tests[LB_MOST_TESTS] = {{.file = NULL}};
    char name[LB_TEST_NAME + 1] = "";
    ck_assert(lb_setting_add_test(tests, "long=", 4, "a"));
    ck_assert(lb_setting_add_test(tests, "longer", 6, "b"));
    ck_assert(lb_setting_add_test(tests, "long", 4, "c"));
    ck_assert_str_eq(tests[0].name, "long");
    ck_assert_str_eq(tests[0].file, "c");
    ck_assert_str_eq(tests[1].name, "longer");
    ck_assert_str_eq(tests[1].file, "b");
    ck_assert_str_eq(tests[2].name, "");
    memset(name, 'x', LB_TEST_NAME);
    ck_assert(!lb_setting_add_test(tests, name, LB_TEST_NAME, "d"));
    ck_assert(!lb_setting_add_test(tests, "", 0, "d"));
    ck_assert(!lb_setting_add_test(tests, "a b", 3, "d"));
    ck_assert(!lb_setting_add_test(tests, "ab", 2, ""));
    for (int i = 2; i < LB_MOST_TESTS; i++) ck_assert(lb_setting_add_test(tests, name, (size_t)i, "e"));
    ck_assert(!lb_setting_add_test(tests, "more", 4, "f"));
    ck_assert(lb_setting_add_test(tests, "longer", 6, "g"));
    ck_assert_str_eq(tests[1].file, "g");
}
END_TEST

START_TEST(test_settings_that_are_open_get_their_usual_value_and_others_stay)
{
    lb_training_config c = {.heads = 2, .any_target = true};
    lb_settings_fill_in(&c);
    ck_assert_int_eq(c.heads, 2);
    ck_assert_int_eq(c.seeds, 1);
    ck_assert_int_eq(c.evaluate_every, 250);
    ck_assert_int_eq(c.film, 2);
    ck_assert_double_eq(c.average, 0.998);
    ck_assert_str_eq(c.normalize, "nfd");
    ck_assert_str_eq(c.model, "seq2seq");
    ck_assert_str_eq(c.direction, "forward");
    ck_assert_ptr_null(c.choose); /* the recipe's */
    ck_assert_int_eq(c.embed, 0);
    c.model = "transformer";
    lb_settings_fill_in(&c);
    ck_assert_str_eq(c.model, "transformer");
    lb_setting_reset(find("model"), &c);
    lb_setting_reset(find("heads"), &c);
    lb_setting_reset(find("average"), &c);
    lb_setting_reset(find("any_target"), &c);
    ck_assert(!c.model && !c.heads && c.average == 0 && !c.any_target);
}
END_TEST

START_TEST(test_settings_beyond_their_range_are_refused_with_name_and_value)
{
    static const struct {
        lb_training_config config;
        const char *message; /* NULL: it is valid */
    } cases[] = {
        {{.model = NULL}, NULL},
        {{.tied = -1, .warm_up = -1, .dropout = -1, .lr = 1e9}, NULL},
        {{.dropout = 1}, "dropout: found 1, expected less than 1"},
        {{.hallucinate = 1}, NULL},
        {{.hallucinate = 1.5}, "hallucinate: found 1.5, expected at most 1"},
        {{.lr = -1}, "lr: found -1, expected 0 or more"},
        {{.lr = NAN}, "lr: found nan, expected 0 or more"},
        {{.steps = -2}, "steps: found -2, expected 0 or more"},
        {{.cell = (lb_cell_kind)2}, "cell: found 2, expected 0 to 1"},
        {{.cell = (lb_cell_kind)-1}, "cell: found -1, expected 0 to 1"},
        {{.cell = LB_CELL_LSTM}, NULL},
        {{.model = "rnn"}, "model: expected seq2seq or transformer, found \"rnn\""},
        {{.test = {{.name = "a"}, {.name = "b c"}}},
         "test: found the name \"b c\", expected letters, digits, - and _"},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        error = (lb_error){0};
        ck_assert_int_eq(lb_settings_check(&cases[i].config, &error),
                         cases[i].message ? LB_ERROR_ARGUMENT : LB_OK);
        ck_assert_str_eq(error.message, cases[i].message ? cases[i].message : "");
    }
}
END_TEST

START_TEST(test_settings_of_another_kind_are_refused_by_name_or_forgotten)
{
    const lb_training_config usual = {.embed = 64};
    lb_training_config c = {.model = "transformer", .embed = 64, .cell = LB_CELL_LSTM};
    ck_assert_int_eq(lb_settings_fit_kind(&c, &usual, true, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "--cell is an option of --model seq2seq, not of transformer");
    error = (lb_error){0};
    c.embed = 32; /* those of the first number are named first */
    ck_assert_int_eq(lb_settings_fit_kind(&c, &usual, false, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "embed, one_direction and attention are options of a seq2seq, not of a transformer");
    c.embed = 64;
    c.cell = LB_CELL_GRU;
    c.kv_heads = 2;
    ck_assert_int_eq(lb_settings_fit_kind(&c, &usual, false, &error), LB_OK);
    ck_assert_int_eq(c.embed, 0);
    ck_assert_int_eq(c.kv_heads, 2);
    ck_assert(lb_setting_is_of(find("kv_heads"), "transformer") && lb_setting_is_of(find("lr"), "ensemble"));
}
END_TEST

START_TEST(test_settings_go_to_a_model_and_come_back)
{
    lb_training_config c = {.hidden = 48,
                            .embed = 24,
                            .layers = 2,
                            .cell = LB_CELL_LSTM,
                            .one_direction = true,
                            .dropout = -1,
                            .tied = -1,
                            .copy = true},
                       back = {.layers = 3};
    lb_seq2seq_config model = {.dropout = (lb_real)0.5, .tied = true};
    lb_settings_to_model(&c, lb_model_fields("seq2seq"), &model);
    ck_assert(model.hidden == 48 && model.embed == 24 && model.layers == 2 && model.cell == LB_CELL_LSTM &&
              !model.bidirectional && model.dropout == 0 && !model.tied && model.copy);
    model.dropout = (lb_real)0.5;
    lb_settings_from_model(&back, lb_model_fields("seq2seq"), &model);
    ck_assert(back.hidden == 48 && back.embed == 24 && back.layers == 3 && back.cell == LB_CELL_LSTM &&
              back.one_direction && back.dropout == 0 && back.copy);
    model.bidirectional = true;
    back = (lb_training_config){0};
    lb_settings_from_model(&back, lb_model_fields("seq2seq"), &model);
    ck_assert(!back.one_direction && back.layers == 2);
}
END_TEST

static void expect_printed(const lb_training_config *config, lb_setting_list list, int from, int to,
                           const char *expected)
{
    lb_buffer json = {0};
    lb_settings_print(&json, config, list, from, to);
    ck_assert_str_eq(json.text ? json.text : "", expected);
    lb_release(json.text);
}

START_TEST(test_settings_are_printed_in_the_order_of_their_list)
{
    const lb_sort_task lists = {0};
    lb_training_config c = {.model = "seq2seq",
                            .min_count = 2,
                            .batch = 8,
                            .lr = 0.25,
                            .seed = 7,
                            .warm_up = -1,
                            .source_separator = " ",
                            .freeze = "encoder",
                            .any_target = true,
                            .no_hold_out = true};
    expect_printed(
        &c, LB_SETTINGS_IDENTITY, 1, 6,
        "\"freeze\":\"encoder\",\"min_count\":2,\"batch\":8,\"source_column\":0,\"target_column\":0");
    expect_printed(&c, LB_SETTINGS_IDENTITY, 8, 9, "\"source_separator\":\" \",\"target_separator\":\"\"");
    expect_printed(&c, LB_SETTINGS_IDENTITY, 13, 14, "\"lr\":0.25,\"warm_up\":0");
    expect_printed(&c, LB_SETTINGS_IDENTITY, 17, LB_SETTINGS_END,
                   "\"seed\":\"7\",\"average\":0,\"any_target\":true,\"hold_out\":false");
    expect_printed(&c, LB_SETTINGS_IN_FORCE, 8, 9, "\"direction\":\"\"");
    c.model = "transformer";
    c.direction = "backward";
    expect_printed(&c, LB_SETTINGS_IN_FORCE, 8, 9, "\"direction\":\"backward\",\"kv_heads\":0");
    expect_printed(&c, LB_SETTINGS_IDENTITY, 2, 2, "\"direction\":\"backward\"");
    c.direction = "forward";
    c.sort = &lists;
    expect_printed(&c, LB_SETTINGS_IDENTITY, 1, 4, "\"freeze\":\"encoder\",\"batch\":8");
}
END_TEST

START_TEST(test_settings_of_a_part_are_set_or_not)
{
    lb_training_config c = {.model = "seq2seq", .seeds = 1, .index = LB_INDEX_AUTO};
    for (int part = LB_SETTING_DATA; part <= LB_SETTING_FILES; part++)
        ck_assert(!lb_settings_are_set(&c, (lb_setting_part)part));
    c.seeds = 2;
    ck_assert(lb_settings_are_set(&c, LB_SETTING_TRAINING) && !lb_settings_are_set(&c, LB_SETTING_DATA));
    c.test[0] = (lb_test){.name = "a", .file = "f"};
    ck_assert(lb_settings_are_set(&c, LB_SETTING_DATA) && !lb_settings_are_set(&c, LB_SETTING_MODEL));
    c.model = "transformer";
    ck_assert(lb_settings_are_set(&c, LB_SETTING_MODEL) && !lb_settings_are_set(&c, LB_SETTING_FILES));
}
END_TEST
