/* compare FILE: any settings and seeds on pairs, with tests; a table of means and intervals, and a chart.
 * It takes seconds. */
#include "support/pair_program.h"
#include "support/picture.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/lookback.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA    "train.tsv", "--dev", "dev.tsv", "--test", "near=near.tsv", "--test", "far=far.tsv"
#define COMPARE DATA, SUPPORT_SMALL, "--out", "out"

static void write_files(void)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 50, 2);
    support_write_pairs("near.tsv", 40, 3);
    support_write_text("far.tsv", "123\t3 2 1\nxyz1\t1 z y x\nab1\t1 b a\n");
}

#define RUN(...) SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "compare", __VA_ARGS__)

static void expect(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "\"%s\" is not in\n%s", part, text);
}

/* The cell of a table with tabs, in a row that ends in `name`; NaN if it is empty. */
static double cell(const char *file, const char *name, const char *column)
{
    char *table = support_text(file), *header = table, *row = strchr(table, '\n') + 1;
    int place = 0;
    header[strcspn(header, "\n")] = '\0';
    const char *key = header;
    while (strncmp(key, column, strcspn(key, "\t")) != 0 || strlen(column) != strcspn(key, "\t")) {
        key += strcspn(key, "\t") + 1;
        ck_assert_msg(*key, "no %s in %s", column, file);
        place++;
    }
    for (char *line = row; (line = strchr(line, '\n')) != NULL; row = ++line) {
        *line = '\0';
        if (strcmp(strrchr(row, '\t') + 1, name) == 0) break;
    }
    ck_assert_msg(strcmp(strrchr(row, '\t') + 1, name) == 0, "no %s in %s", name, file);
    while (place-- > 0) row = strchr(row, '\t') + 1;
    double number = *row == '\t' ? NAN : strtod(row, NULL);
    free(table);
    return number;
}

/* The legend is above the middle of the plot, in the first 36 of the 720 points that the chart is wide. */
static void check_legend(const unsigned char *pixels, int width)
{
    int first = width, last = -1;
    for (int i = 0; i < width * (36 * width / 720); i++)
        if (pixels[3 * i] < 200 || pixels[3 * i + 1] < 200 || pixels[3 * i + 2] < 200) {
            first = i % width < first ? i % width : first;
            last = i % width > last ? i % width : last;
        }
    ck_assert_msg(last - first > width / 8 && first + last > width && first + last < width * 4 / 3,
                  "from %d to %d of %d", first, last, width);
}

/* Each model is what `train` makes of the same settings; its measures are in the means. */
START_TEST(test_compare_pairs_means_and_intervals_are_those_of_the_trainings)
{
    write_files();
    RUN(COMPARE, "--steps", "60", "--kinds", "none,additive", "--seeds", "3");
    support_assert_trained();
    expect(support_ran.output, "means over 3 seeds, with 95 % intervals\n\nexact match ");
    double sum = 0, squares = 0, found[3];
    for (int seed = 1; seed <= 3; seed++) {
        char name[64], number[12];
        snprintf(number, sizeof number, "%d", seed);
        SUPPORT_TRAIN(DATA, SUPPORT_SMALL, "--steps", "60", "--attention", "additive", "--seed", number,
                      "--out", "one", "--fresh");
        support_assert_trained();
        snprintf(name, sizeof name, "out/additive,seed=%d/model.safetensors", seed);
        support_assert_same_weights(name, "one/model.safetensors");
        const char *said = strstr(support_ran.output, "exact match ");
        found[seed - 1] = strtod(said + strlen("exact match "), NULL) / 100;
        sum += found[seed - 1];
    }
    const double mean = sum / 3;
    for (int i = 0; i < 3; i++) squares += (found[i] - mean) * (found[i] - mean);
    const double half = 4.302653 * sqrt(squares / 2 / 3);
    ck_assert_double_gt(half, 0);
    ck_assert_double_eq_tol(cell("out/compare.tsv", "additive", "exact_match"), mean, 1e-4);
    ck_assert_double_eq_tol(cell("out/compare.tsv", "additive", "exact_match.low"), mean - half, 5e-4);
    ck_assert_double_eq_tol(cell("out/compare.tsv", "additive", "exact_match.high"), mean + half, 5e-4);
    ck_assert_double_gt(cell("out/compare.tsv", "additive", "near.exact_match"), 0);
    ck_assert_double_eq(cell("out/compare.tsv", "none", "far.exact_match"), 0);
    ck_assert_double_eq(cell("out/compare.tsv", "none", "seeds"), 3);
    int width, height;
    unsigned char *pixels = support_picture_read(support_path("out/compare.png"), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    ck_assert_int_gt(width, 500);
    check_legend(pixels, width);
    free(pixels);
}
END_TEST

static int chart_height(const char *name)
{
    int width, height = 0;
    unsigned char *pixels = support_picture_read(support_path(name), &width, &height);
    ck_assert_ptr_nonnull(pixels);
    free(pixels);
    return height;
}

/* That of the loss has no row for the tests, which are measured by exact match. */
START_TEST(test_compare_pairs_chart_is_of_what_the_models_are_chosen_by)
{
    write_files();
    RUN(COMPARE, "--steps", "4", "--hidden", "8,16");
    support_assert_trained();
    RUN(COMPARE, "--steps", "4", "--hidden", "8,16", "--choose", "loss", "--out", "loss");
    support_assert_trained();
    const int tests = 2 * 2 * 13, legend = 26;
    ck_assert_double_eq_tol(chart_height("out/compare.png") - chart_height("loss/compare.png"),
                            (tests + legend) * 100 / 72.0, 1);
}
END_TEST

START_TEST(test_compare_pairs_lists_of_values_and_a_grid_make_all_combinations)
{
    static const char *const names[] = {
        "dropout=0,hidden=8,copy=false",    "dropout=0,hidden=8,copy=true",
        "dropout=0,hidden=16,copy=false",   "dropout=0,hidden=16,copy=true",
        "dropout=0.1,hidden=8,copy=false",  "dropout=0.1,hidden=8,copy=true",
        "dropout=0.1,hidden=16,copy=false", "dropout=0.1,hidden=16,copy=true"};
    write_files();
    support_write_text("grid.json", "{\"dropout\": [0, 0.1]}");
    support_write_text("config.json", "{\"hidden\": 12, \"steps\": 5}");
    RUN(COMPARE, "--hidden", "3,4,5", "--hidden", "8,16", "--set", "copy=false,true", "--sweep", "grid.json",
        "--steps", "10", "--config", "config.json");
    support_assert_trained();
    const char *at = support_ran.output;
    for (int i = 0; i < 8; i++) {
        char end[64];
        snprintf(end, sizeof end, " %s\n", names[i]);
        at = strstr(at, end);
        ck_assert_msg(at != NULL, "no %s in its place in\n%s", names[i], support_ran.output);
    }
    ck_assert_int_eq(support_line_count("out/compare.tsv"), 9);
    ck_assert_double_eq(cell("out/compare.tsv", names[7], "step"), 10);
    RUN(COMPARE, "--hidden", "8,16", "--hidden", "12", "--seed", "5,6", "--steps", "10", "--out", "last");
    support_assert_trained();
    expect(support_ran.output, " 2     model\n");
    ck_assert(support_exists("last/seed=5/model.safetensors"));
}
END_TEST

/* A setting of some kinds only is not handed to the others. */
START_TEST(test_compare_pairs_kinds_take_back_what_is_of_others)
{
    write_files();
    RUN(COMPARE, "--kinds", "rotary,lstm-backward,luong", "--set", "kv-heads=2", "--cell", "lstm", "--steps",
        "4", "--set", "merge=false");
    support_assert_trained();
    ck_assert(support_exists("out/general/model.safetensors"));
    ck_assert(support_exists("out/lstm-backward/model.safetensors"));
    char *rotary = support_text("out/rotary/model.safetensors");
    expect(rotary + 8, /* behind the length of the header */ "\\\"merge\\\": false");
    free(rotary);
}
END_TEST

START_TEST(test_compare_pairs_the_same_again_and_another_grid_train_what_is_new)
{
    write_files();
    RUN(COMPARE, "--hidden", "4,8", "--steps", "20");
    support_assert_trained();
    char *first = support_text("out/hidden=8/log.jsonl"), *table = support_text("out/compare.tsv");
    RUN(COMPARE, "--hidden", "4,8", "--steps", "20");
    support_assert_trained();
    char *again = support_text("out/compare.tsv");
    ck_assert_str_eq(again, table); /* the seconds, too */
    RUN(COMPARE, "--hidden", "8,12", "--steps", "20");
    support_assert_trained();
    char *kept = support_text("out/hidden=8/log.jsonl");
    ck_assert_str_eq(kept, first);
    ck_assert_ptr_null(strstr(support_ran.output, "hidden=4"));
    ck_assert(support_exists("out/hidden=4/model.safetensors"));
    RUN(COMPARE, "--hidden", "8,12", "--steps", "20", "--batch", "7");
    support_assert_refused(
        65, "hidden=8: failed with status 65; see out/hidden=8/train.log: cannot resume from ");
    ck_assert_str_eq(support_ran.output, "");
    free(first);
    free(table);
    free(again);
    free(kept);
}
END_TEST

START_TEST(test_compare_pairs_killed_again_and_again_ends_with_the_same)
{
    write_files();
    RUN(COMPARE, "--hidden", "8,12", "--steps", "100", "--out", "whole");
    support_assert_trained();
    const char *argv[] = {BIN_DIR "/lookback", "compare", COMPARE, "--hidden", "8,12",
                          "--steps",           "100",     NULL};
    const support_command command = {.argv = argv, .directory = support_tempdir()};
    ck_assert_int_gt(support_kill_until_done(command, &support_ran), 5);
    support_assert_same_files("whole/hidden=8/model.safetensors", "out/hidden=8/model.safetensors");
    support_assert_same_files("whole/hidden=12/model.safetensors", "out/hidden=12/model.safetensors");
    ck_assert_double_eq(cell("whole/compare.tsv", "hidden=12", "near.exact_match"),
                        cell("out/compare.tsv", "hidden=12", "near.exact_match"));
}
END_TEST

START_TEST(test_compare_pairs_a_seed_that_fails_is_not_in_the_mean)
{
    write_files();
    RUN(COMPARE, "--lr", "0.02,1e30", "--seeds", "2", "--steps", "50");
    ck_assert_int_eq(support_ran.status, 75);
    expect(support_ran.error, ": 2 of 4 trainings failed: ");
    expect(support_ran.error, "; the same command tries them again\n");
    expect(support_ran.error, "training diverged"); /* by the loss, or the norm of a gradient */
    expect(support_ran.output, "\nfailed ");
    expect(support_ran.output, " 0     lr=1e30\n");
    ck_assert(isnan(cell("out/compare.tsv", "lr=1e30", "exact_match")));
    ck_assert_double_eq(cell("out/compare.tsv", "lr=0.02", "seeds"), 2);
}
END_TEST

static const struct {
    const char *flags[10];
    int status;
    const char *message;
} wrong[] = {
    {{"train.tsv"}, 2, "expected something to compare, such as --kinds none,additive"},
    {{"train.tsv", "--kinds", "none,dot"}, 2, "dot: attention: dot needs encoder states as wide as"},
    {{"train.tsv", "--kinds", "none,dott"},
     2,
     "--kinds: found \"dott\" (did you mean dot?), expected one of"},
    {{"train.tsv", "--attention", "none,dott"}, 2, "attention=dott: --attention: expected additive, "},
    {{"train.tsv", "--attention", "none,"}, 2, "attention=: --attention: expected additive, "},
    {{"train.tsv", "--hidden", "8,16,8"}, 2, "found hidden=8 and hidden=8 with the same folder"},
    {{"train.tsv", "--hidden", "8,16", "--sweep", "grid.json"},
     2,
     "found \"hidden\" twice, once in grid.json, expected it once"},
    {{"train.tsv", "--sweep", "kinds.json"}, 65, "kinds.json:2: kinds: found \"dott\" (did you mean dot?)"},
    {{"train.tsv", "--sweep", "unknown.json"},
     65,
     "unknown.json:1: found \"hiden\", expected the name of an option"},
    {{"train.tsv", "--seeds", "2", "--seed", "1,2"}, 2, "found \"seed\" twice, expected it once"},
    {{"train.tsv", "--quick", "--seeds", "2"},
     2,
     "--quick: expected no FILE, since it is about lists to sort"},
    {{"train.tsv", "--seeds", "2", "--no-hold-out"},
     2,
     "--no-hold-out leaves no pairs to compare the models on"},
    {{"empty.tsv", "--hidden", "8,16"}, 65, "empty.tsv: found an empty file"},
    {{"no.tsv", "--hidden", "8,16"}, 66, "hidden=8: no.tsv: cannot read"},
    {{"train.tsv", "--ensemble", "2", "--hidden", "8,16"}, 2, "unknown option --ensemble"},
};

START_LOOP_TEST(test_compare_pairs_that_cannot_be_is_refused_in_words, sizeof wrong / sizeof *wrong)
{
    write_files();
    support_write_text("empty.tsv", "");
    support_write_text("grid.json", "{\"hidden\": [8]}");
    support_write_text("kinds.json", "{\"hidden\": [8],\n \"kinds\": [\"dott\"]}");
    support_write_text("unknown.json", "{\"hiden\": [8, 16]}");
    support_run_lookback("compare", wrong[_i].flags);
    support_assert_refused(wrong[_i].status, wrong[_i].message);
    ck_assert_str_eq(support_ran.output, "");
}
END_TEST
