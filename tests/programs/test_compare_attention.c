/* lookback compare from the user's view: table, chart and JSON have the same numbers, and it survives a kill. This is
 * too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/picture.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/lookback.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPARE BIN_DIR "/lookback", "compare"
/* Lists of 2 to 7 digits, and a model that learns a little in a second. */
#define SMALL                                                                                                \
    "--max-number", "9", "--min-length", "2", "--max-length", "7", "--hidden", "16", "--batch", "16",        \
        "--threads", "1"

enum { KINDS = 9, SHORTEST = 2, LENGTHS = 6, LISTS = 1000 };

#define RUN(...) SUPPORT_RUN(&support_ran, NULL, COMPARE, __VA_ARGS__)

/* The numbers of the printed table: a row for each length, `kinds` columns. */
static void read_table(int kinds, double table[LENGTHS][KINDS])
{
    const char *at = strstr(support_ran.output, "\n    length ");
    ck_assert_ptr_nonnull(at);
    at = strchr(at + 1, '\n');
    for (int i = 0; i < LENGTHS; i++) {
        char *end;
        ck_assert_int_eq(strtol(at, &end, 10), SHORTEST + i);
        for (int k = 0; k < kinds; k++) {
            at = end;
            table[i][k] = strtod(at, &end);
            ck_assert_ptr_ne(end, at);
        }
        at = end;
    }
    ck_assert_int_eq(strncmp(at, "\nparameters ", 12), 0);
    /* Apart from the results, which are the same in every run. */
    at = strstr(support_ran.error, " ms a step ");
    ck_assert_ptr_nonnull(at);
    at += strlen(" ms a step ");
    for (int k = 0; k < kinds; k++) {
        char *end;
        ck_assert_double_gt(strtod(at, &end), 0);
        at = end;
    }
    ck_assert_str_eq(at, "\n");
}

START_TEST(test_compare_attention_table_chart_and_json_show_every_kind_and_length)
{
    static const char *const names[KINDS] = {"none",       "additive",  "dot",    "general",    "scaled-dot",
                                             "multi-head", "sparsemax", "entmax", "transformer"};
    double table[LENGTHS][KINDS];
    RUN(SMALL, "--steps", "120", "--out", "a/b");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output,
                                 "exact match on 1000 held-out lists of each length, after 120 "
                                 "steps\n\n    length     none  additive      dot  general  "
                                 "scaled-dot  multi-head  sparsemax   entmax  transformer\n"));
    read_table(KINDS, table);
    size_t count;
    char *json = support_content("a/b/exact_match.json", &count);
    const char *at = strstr(json, "\"lists\":1000,\"lengths\":[2,3,4,5,6,7],\n\"models\":[\n");
    ck_assert_msg(at != NULL, "%s", json);
    for (int k = 0; SUPPORT_ROW(k, names); k++) {
        char key[64], file[64];
        snprintf(key, sizeof key, "{\"name\":\"%s\",\"parameters\":", names[k]);
        at = strstr(at, key);
        ck_assert_msg(at != NULL, "no %s in %s", key, json);
        at = strstr(at, "\"exact_match\":[");
        at += strlen("\"exact_match\":[");
        for (int i = 0; i < LENGTHS; i++) {
            char *end;
            ck_assert_double_eq_tol(strtod(at, &end), table[i][k], 5.1e-4);
            ck_assert_int_eq(*end, i + 1 < LENGTHS ? ',' : ']');
            at = end + 1;
        }
        snprintf(file, sizeof file, "a/b/%s/sort.safetensors", names[k]);
        ck_assert_msg(support_exists(file), "no %s", file);
    }
    free(json);
    int width, height;
    unsigned char *pixels = support_picture_read(support_path("a/b/exact_match.png"), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_gt(width, 500);
    free(pixels);
}
END_TEST

START_TEST(test_compare_attention_attention_sorts_long_lists_and_none_does_not)
{
    double table[LENGTHS][KINDS];
    RUN(SMALL, "--hidden", "32", "--steps", "1500", "--kinds", "bahdanau,none", "--out", "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n    length     none  additive\n"));
    read_table(2, table);
    ck_assert_double_gt(table[LENGTHS - 1][1], table[LENGTHS - 1][0] + 0.3);
    ck_assert_double_gt(table[0][0], table[LENGTHS - 1][0] + 0.3);
    ck_assert_double_gt(table[LENGTHS - 1][1], 0.7);
}
END_TEST

/* The table shows, for each length, the result of the saved model on lists of that length. */
START_TEST(test_compare_attention_a_row_is_measured_on_lists_of_its_length)
{
    double table[LENGTHS][KINDS], exact_match;
    RUN(SMALL, "--steps", "600", "--seed", "5", "--kinds", "scaled-dot", "--out", "a");
    support_assert_trained();
    read_table(1, table);
    lb_error error = {0};
    lb_set_threads(1);
    lb_translator *sort = lb_translator_open(support_path("a/scaled-dot/sort.safetensors"), &error);
    ck_assert_msg(sort != NULL, "%s", error.message);
    lb_translator_facts facts = lb_translator_about(sort);
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(facts.shortest_source, SHORTEST);
    ck_assert_int_eq(facts.longest_source, SHORTEST + LENGTHS - 1);
    for (int i = 0; i < LENGTHS; i++) {
        const lb_sort_task task = {
            .max_value = 9, .min_length = SHORTEST + i, .max_length = SHORTEST + i, .seed = 5};
        ck_assert_int_eq(lb_sort_evaluate(facts.model, &task, tape, LISTS, &exact_match), LB_OK);
        ck_assert_double_eq_tol(exact_match, table[i][0], 5.1e-4);
    }
    lb_tape_free(tape);
    ck_assert_double_gt(table[0][0], table[LENGTHS - 1][0]);
    lb_translator_close(sort);
}
END_TEST

START_TEST(test_compare_attention_any_number_of_threads_gives_the_same_numbers_and_a_seed_others)
{
    RUN(SMALL, "--steps", "200", "--kinds", "dot,transformer", "--out", "one");
    support_assert_trained();
    char *one = strdup(support_ran.output);
    RUN(SMALL, "--steps", "200", "--kinds", "transformer,dot", "--out", "three", "--threads", "3");
    ck_assert_str_eq(support_ran.output, one);
    RUN(SMALL, "--steps", "200", "--kinds", "dot,transformer", "--out", "other", "--seed", "2");
    support_assert_trained();
    ck_assert_str_ne(support_ran.output, one);
    free(one);
}
END_TEST

START_TEST(test_compare_attention_killed_again_and_again_prints_the_same_table)
{
    RUN(SMALL, "--steps", "1000", "--kinds", "none,general", "--out", "whole");
    support_assert_trained();
    char *whole = strdup(support_ran.output);
    const char *argv[] = {COMPARE,        SMALL,   "--steps", "1000", "--kinds",
                          "none,general", "--out", "killed",  NULL};
    const support_command command = {.argv = argv, .directory = support_tempdir()};
    ck_assert_int_gt(support_kill_until_done(command, &support_ran), 5);
    ck_assert_str_eq(support_ran.output, whole);
    free(whole);
}
END_TEST

START_TEST(test_compare_attention_what_is_finished_is_not_trained_again)
{
    size_t before;
    RUN(SMALL, "--steps", "100", "--kinds", "none", "--out", "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, "[1/1] none: exact match "));
    char *old = support_content("a/none/checkpoint.safetensors", &before);
    RUN(SMALL, "--steps", "100", "--kinds", "none,dot", "--out", "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.error, " dot: exact match "));
    support_assert_content("a/none/checkpoint.safetensors", old, before);
}
END_TEST

START_TEST(test_compare_attention_checkpoint_of_another_run_is_refused_and_fresh_replaces_it)
{
    RUN(SMALL, "--steps", "20", "--kinds", "none", "--out", "a");
    support_assert_trained();
    RUN(SMALL, "--steps", "20", "--batch", "3", "--kinds", "none", "--out", "a");
    support_assert_refused(
        65,
        "a/none/train.log: cannot resume from a/none/checkpoint.safetensors: it was trained with --batch ");
    ck_assert_ptr_nonnull(
        strstr(support_ran.error, ", this run has --batch 3; --fresh starts over, or choose "));
    RUN(SMALL, "--steps", "10", "--kinds", "none", "--out", "a");
    support_assert_refused(65, "checkpoint.safetensors: it is at step 20, this run has --steps 10");
    RUN(SMALL, "--steps", "30", "--kinds", "none", "--out", "a");
    support_assert_trained();
    RUN(SMALL, "--steps", "20", "--batch", "3", "--kinds", "none", "--out", "a", "--fresh");
    support_assert_trained();
}
END_TEST

/* A column for each value. Of the first seed, the weights are those of a comparison without others. */
START_TEST(test_compare_attention_any_setting_varies_and_seeds_make_means)
{
    RUN(SMALL, "--steps", "60", "--kinds", "general", "--out", "one");
    support_assert_trained();
    RUN(SMALL, "--steps", "60", "--kinds", "general", "--set", "copy=false,true", "--seeds", "2", "--out",
        "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(
        strstr(support_ran.output, "; means of 2 seeds, with the half of 95 % intervals\n\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, "    length  general,copy=false  general,copy=true\n"));
    ck_assert_ptr_nonnull(strstr(support_ran.output, " +- "));
    support_assert_same_files("one/general/sort.safetensors", "a/general,copy=false,seed=1/sort.safetensors");
    size_t count;
    char *json = support_content("a/exact_match.json", &count);
    ck_assert_ptr_nonnull(strstr(json, "],\"seeds\":2,\"half_interval\":["));
    free(json);
}
END_TEST

/* Beyond the lengths of the training; another task has other answers. */
START_TEST(test_compare_attention_lengths_of_tests_are_measured_too)
{
    double table[LENGTHS][KINDS];
    RUN("--task", "reverse", "--max-number", "9", "--lengths", "2-4", "--test", "long=5-7", "--hidden", "32",
        "--batch", "16", "--steps", "600", "--kinds", "additive,fire", "--threads", "1", "--out", "a");
    support_assert_trained();
    read_table(2, table);
    ck_assert_double_gt(table[0][0], 0.5);
    ck_assert_double_gt(table[0][0], table[LENGTHS - 1][0] + 0.3);
    size_t count;
    char *json = support_content("a/exact_match.json", &count);
    ck_assert_ptr_nonnull(strstr(json, "{\"task\":\"reverse\",\"max_number\":9,"));
    free(json);
    RUN(SMALL, "--task", "add", "--steps", "2", "--max-number", "8", "--kinds", "none", "--out", "a");
    support_assert_refused(2, "expected 9, the largest digit, to add");
}
END_TEST

START_TEST(test_compare_attention_one_length_is_enough)
{
    RUN("--max-number", "99", "--min-length", "4", "--max-length", "4", "--hidden", "8", "--steps", "3",
        "--kinds", "multi-head", "--out", "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n         4       0.000\n"));
    ck_assert(support_exists("a/exact_match.png"));
}
END_TEST

START_TEST(test_compare_attention_kinds_with_a_window_or_a_past_are_compared_on_request)
{
    double table[LENGTHS][KINDS];
    RUN(SMALL, "--steps", "20", "--kinds", "location,local-p,coverage,local-m", "--out", "a");
    support_assert_trained();
    ck_assert_ptr_nonnull(strstr(support_ran.output, "\n    length  local-m  local-p  coverage  location\n"));
    read_table(4, table);
    ck_assert(support_exists("a/local-m/sort.safetensors") && support_exists("a/location/sort.safetensors"));
    const char *argv[] = {COMPARE, SMALL, "--steps", "40", "--kinds", "coverage,location",
                          "--out", "b",   NULL};
    const support_command command = {.argv = argv, .directory = support_tempdir()};
    ck_assert_int_gt(support_kill_until_done(command, &support_ran), 5);
    RUN(SMALL, "--steps", "40", "--kinds", "coverage,location", "--out", "c");
    support_assert_trained();
    support_assert_same_files("b/coverage/sort.safetensors", "c/coverage/sort.safetensors");
    support_assert_same_files("b/location/sort.safetensors", "c/location/sort.safetensors");
}
END_TEST

static const struct {
    const char *flags[8];
    int status;
    const char *message;
} wrong[] = {
    {{"--no-such-flag"}, 2, "--no-such-flag"},
    {{"--kinds", "none,sideways"}, 2, "found \"sideways\", expected one of none, additive, "},
    {{"--kinds", "none,"}, 2, "found \"\""},
    {{"--kinds", "dotted"}, 2, "found \"dotted\""},
    {{"--kinds", "do"}, 2, "found \"do\" (did you mean dot?)"},
    {{"--kinds", "bahdanaus"}, 2, "found \"bahdanaus\""},
    {{"--steps", "0"}, 2, "--steps"},
    {{"--lengths", "long"}, 2, "--lengths: found \"long\", expected lengths of lists, such as 5-10"},
    {{"--test", "long=far.tsv"}, 2, "test long: found \"far.tsv\", expected lengths of lists, such as 5-10"},
    {{"--test", "long=11-300"}, 2, "found lists of 300 numbers, expected at most 200"},
    {{"--hidden", "12", "--kinds", "none,transformer"}, 2, "transformer: "},
    {{"--hidden", "12", "--kinds", "none,transformer"}, 2, "cannot divide a width of 6 into 4 heads"},
    {{"--min-length", "9", "--max-length", "3"}, 2, "9 to 3"},
    /* There are enough lists in all, but none of the shortest ones is held out. */
    {{"--max-number", "1", "--min-length", "1", "--max-length", "9"}, 2, "1 to 1 numbers from 0..1"},
    {{"operand", "second"}, 2, "unexpected argument \"second\""},
    {{"operand", "--kinds", "none"}, 66, "none: operand: cannot read"},
    {{"--dropout", "0.5"}, 2, "--dropout: expected FILE, since trainings on lists to sort do not have it"},
    {{"--hidden", "16,a"}, 2, "hidden=a: --hidden: expected a whole number from 0 to 65536, found \"a\""},
    {{"--out", "/proc/nothing/here"}, 74, "/proc/nothing"},
};

START_LOOP_TEST(test_compare_attention_wrong_usage_is_one_clear_line_before_any_training,
                sizeof wrong / sizeof *wrong)
{
    support_run_lookback("compare", wrong[_i].flags);
    support_assert_refused(wrong[_i].status, wrong[_i].message);
    ck_assert_ptr_eq(strchr(support_ran.error, '\n'), support_ran.error + support_ran.error_length - 1);
    ck_assert_int_eq(strncmp(support_ran.error, "lookback compare: ", 18), 0);
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST
