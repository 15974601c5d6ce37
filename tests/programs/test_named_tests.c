/* train --test NAME=FILE: measured at each evaluation, never chosen by, and in all that a training leaves.
 * It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/lookback.h>

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN  SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv"
#define TESTED TRAIN, "--test", "near=near.tsv", "--test", "far=far.tsv"

/* The far pairs have symbols that no training has seen. */
static void write_files(void)
{
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 50, 2);
    support_write_pairs("near.tsv", 40, 3);
    support_write_text("far.tsv", "123\t3 2 1\nxyz1\t1 z y x\nab1\t1 b a\n");
}

/* A number of the last line of a log, or of that of a step. */
static double logged(const char *name, int64_t step, const char *key)
{
    char *log = support_text(name), *line = log, *end;
    double found = NAN;
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        cJSON *json = cJSON_ParseWithLength(line, (size_t)(end - line));
        if (step == 0 || cJSON_GetObjectItem(json, "step")->valueint == step)
            found = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(json, key));
        cJSON_Delete(json);
    }
    free(log);
    return found;
}

static void expect(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "\"%s\" is not in\n%s", part, text);
}

START_TEST(test_named_tests_are_in_log_picture_and_record_and_change_no_weights)
{
    write_files();
    SUPPORT_TRAIN(TRAIN, "--out", "plain");
    support_assert_trained();
    SUPPORT_TRAIN(TESTED, "--out", "tested");
    support_assert_trained();
    support_assert_same_weights("plain/model.safetensors", "tested/model.safetensors");
    expect(support_ran.output, " of near.tsv, test near\n");
    expect(support_ran.output, "exact match 0.00 % (greedy) on 3 pairs of far.tsv, test far\n");
    expect(support_ran.error,
           "test near: 40 pairs, near.tsv\n"
           "  27 pairs with a source that is also in train.tsv, 27 of them with the same target\n");
    char *table = support_text("tested/log.csv");
    expect(table,
           "step,loss,dev_loss,exact_match,symbol_error,lr,grad_norm,near.exact_match,near.symbol_error,"
           "near.loss,far.exact_match,far.symbol_error,far.loss,weights,seconds,tokens\n");
    free(table);
    ck_assert_double_gt(logged("tested/log.jsonl", 0, "near.exact_match"), 0.5);
    ck_assert_double_eq(logged("tested/log.jsonl", 0, "far.exact_match"), 0);
    ck_assert_double_eq(logged("tested/log.jsonl", 0, "exact_match"),
                        logged("plain/log.jsonl", 0, "exact_match"));
}
END_TEST

/* What dev measures, a test on the same pairs measures. */
START_TEST(test_named_tests_are_measured_as_dev_is)
{
    write_files();
    SUPPORT_TRAIN(TRAIN, "--test", "same=dev.tsv", "--steps", "100", "--out", "out");
    support_assert_trained();
    for (int64_t step = 50; step <= 100; step += 50) {
        ck_assert_double_eq(logged("out/log.jsonl", step, "same.exact_match"),
                            logged("out/log.jsonl", step, "exact_match"));
        ck_assert_double_eq(logged("out/log.jsonl", step, "same.symbol_error"),
                            logged("out/log.jsonl", step, "symbol_error"));
        ck_assert_double_eq(logged("out/log.jsonl", step, "same.loss"),
                            logged("out/log.jsonl", step, "dev_loss"));
    }
}
END_TEST

START_TEST(test_named_tests_killed_and_run_again_have_the_same_log)
{
    write_files();
    SUPPORT_TRAIN(TESTED, "--dropout", "0.3", "--steps", "100", "--out", "whole");
    support_assert_trained();
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(TESTED, "--dropout", "0.3", "--steps", "100", "--out", "killed"),
                     1);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
    for (int64_t step = 50; step <= 100; step += 50) {
        ck_assert_double_eq(logged("killed/log.jsonl", step, "near.loss"),
                            logged("whole/log.jsonl", step, "near.loss"));
        ck_assert_double_eq(logged("killed/log.jsonl", step, "far.symbol_error"),
                            logged("whole/log.jsonl", step, "far.symbol_error"));
    }
}
END_TEST

START_TEST(test_named_tests_that_differ_are_another_run)
{
    write_files();
    SUPPORT_TRAIN(TESTED, "--steps", "20", "--out", "out");
    support_assert_trained();
    SUPPORT_TRAIN(TRAIN, "--test", "near=near.tsv", "--steps", "20", "--out", "out");
    support_assert_refused(65, "it has other tests, or other pairs in one of them");
    SUPPORT_TRAIN(TESTED, "--steps", "20", "--set", "choose-on=far", "--out", "out");
    support_assert_refused(65, "this run has --set choose-on=far");
}
END_TEST

/* Dev gets better and better; the other targets are right only by chance, at first. */
START_TEST(test_named_tests_can_be_chosen_on_and_are_then_spent)
{
    write_files();
    support_write_text("first.tsv", "abc\tx\nbca\ty\ncab\tz\nacb\ty x\n");
    SUPPORT_TRAIN(TRAIN, "--test", "first=first.tsv", "--out", "dev");
    support_assert_trained();
    SUPPORT_TRAIN(TRAIN, "--test", "first=first.tsv", "--set", "choose-on=first", "--out", "chosen");
    support_assert_trained();
    expect(support_ran.output, ", test first, which is spent: the model was chosen on it\n");
    lb_evaluation best = {.symbol_error = INFINITY};
    int64_t step = 0;
    for (int64_t at = 50; at <= 300; at += 50) {
        const lb_evaluation found = {
            .exact_match = logged("chosen/log.jsonl", at, "first.exact_match"),
            .symbol_error = logged("chosen/log.jsonl", at, "first.symbol_error"),
            .loss = logged("chosen/log.jsonl", at, "first.loss"),
        };
        if (lb_evaluation_is_better(&found, &best)) {
            best = found;
            step = at;
        }
    }
    char kept[64];
    snprintf(kept, sizeof kept, "kept the model of step %d:", (int)step);
    expect(support_ran.error, kept);
    ck_assert_double_eq(logged("dev/log.jsonl", 300, "first.symbol_error"),
                        logged("chosen/log.jsonl", 300, "first.symbol_error"));
}
END_TEST

START_TEST(test_named_tests_come_from_a_config_and_go_into_one)
{
    write_files();
    support_write_text("config.json", "{\"test\": {\"near\": \"near.tsv\", \"far\": \"dev.tsv\"}}");
    SUPPORT_TRAIN(TRAIN, "--config", "config.json", "--test", "far=far.tsv", "--print-config");
    support_assert_trained();
    expect(support_ran.output, "\"test\": {\"far\": \"far.tsv\", \"near\": \"near.tsv\"}");
    SUPPORT_TRAIN(TRAIN, "--print-config");
    expect(support_ran.output, "\"test\": {}");
    support_write_text("config.json", "{\"test\": [\"near.tsv\"]}");
    SUPPORT_TRAIN(TRAIN, "--config", "config.json");
    support_assert_refused(65, "expected an object of files by the names of tests");
}
END_TEST

START_TEST(test_named_tests_that_cannot_be_are_refused)
{
    write_files();
    SUPPORT_TRAIN(TRAIN, "--test", "near.tsv");
    support_assert_refused(2, "--test: expected NAME=FILE with letters, digits, - and _ in the name");
    SUPPORT_TRAIN(TRAIN, "--test", "a b=near.tsv");
    support_assert_refused(2, "--test: expected NAME=FILE");
    SUPPORT_TRAIN(TRAIN, "--test", "near=");
    support_assert_refused(2, "--test: expected NAME=FILE");
    SUPPORT_TRAIN(TRAIN, "--test", "near=none.tsv");
    support_assert_refused(66, "none.tsv");
    SUPPORT_TRAIN(TESTED, "--set", "choose-on=dev");
    support_assert_refused(2, "choose_on: found \"dev\", expected the name of a test");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--test", "near=near.tsv", "--set",
                  "choose-on=near");
    support_assert_refused(2, "choose_on and no_hold_out");
}
END_TEST

START_TEST(test_named_tests_of_a_sweep_are_columns)
{
    write_files();
    support_write_text("sweep.json", "{\"hidden\": [4, 32]}");
    SUPPORT_TRAIN(TESTED, "--steps", "100", "--sweep", "sweep.json", "--out", "sweep");
    support_assert_trained();
    expect(support_ran.output, " near     far      training\n");
    char *table = support_text("sweep/sweep.tsv");
    expect(table, "\tnear.exact_match\tfar.exact_match\ttraining\n");
    free(table);
}
END_TEST

START_TEST(test_named_tests_of_a_vote_are_lines)
{
    write_files();
    SUPPORT_TRAIN(TESTED, "--steps", "20", "--ensemble", "2", "--out", "vote");
    support_assert_trained();
    expect(support_ran.output, "(beam 5) on 40 pairs of near.tsv, test near\n");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--test", "near=near.tsv",
                  "--steps", "20", "--ensemble", "2", "--out", "whole");
    support_assert_trained();
    expect(support_ran.output, "(beam 5) on 40 pairs of near.tsv, test near\n");
    SUPPORT_TRAIN(TESTED, "--steps", "20", "--seeds", "2", "--out", "seeds");
    support_assert_trained();
    expect(support_ran.output, "(beam 5) on 3 pairs of far.tsv, test far\n");
}
END_TEST

/* evaluate with several files: a line for each, as with one alone. */
START_TEST(test_named_tests_are_evaluated_in_one_table)
{
    static support_result one, all;
    write_files();
    SUPPORT_TRAIN(TRAIN, "--out", "out");
    support_assert_trained();
    SUPPORT_RUN(&one, NULL, BIN_DIR "/lookback", "evaluate", "out", "near.tsv", "--json");
    SUPPORT_RUN(&all, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "near.tsv", "--json");
    ck_assert_int_eq(all.status, 0);
    char *second = strchr(all.output, '\n');
    ck_assert_ptr_nonnull(second);
    expect(second, "{\"file\":\"near.tsv\",");
    expect(second, one.output + 1);
    SUPPORT_RUN(&all, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "near.tsv");
    expect(all.output, "file                        pairs  exact match     95 % interval");
    expect(all.output, "\nnear.tsv                       40  ");
}
END_TEST

/* Reads the log between two steps, once it has several lines. */
static bool stop_after_reading(void *context)
{
    double *found = context;
    if (support_exists("out/log.jsonl")) *found = logged("out/log.jsonl", 40, "two.loss");
    return !isnan(*found);
}

START_TEST(test_named_tests_are_in_the_log_while_the_training_goes_on)
{
    double found = NAN;
    lb_error error = {0};
    write_files();
    lb_training_config config = {.train = support_path("train.tsv"),
                                 .test = {{.name = "two", .file = support_path("near.tsv")}},
                                 .embed = 8,
                                 .hidden = 16,
                                 .steps = 100,
                                 .evaluate_every = 20,
                                 .stop = stop_after_reading,
                                 .context = &found,
                                 .out = support_path("out")};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
    ck_assert_double_gt(found, 0);
}
END_TEST

/* The same by the library, with pairs in memory. */
START_TEST(test_named_tests_in_memory_are_in_the_result)
{
    const char *const sources[] = {"ab", "ba", "aab", "bba", "abab", "bb"}, *const targets[] = {"ba",   "ab",
                                                                                                "baa",  "abb",
                                                                                                "baba", "bb"};
    const lb_pair_texts pairs = {.count = 6, .source = sources, .target = targets};
    lb_error error = {0};
    lb_training_result result;
    lb_training_config config = {
        .pairs = pairs,
        .dev_pairs = pairs,
        .test = {{.name = "same", .pairs = pairs},
                 {"two", .pairs = {.count = 2, .source = sources, .target = targets}}},
        .embed = 8,
        .hidden = 16,
        .steps = 40,
        .evaluate_every = 20,
        .out = support_path("out")};
    ck_assert_msg(!lb_translator_train(config, &result, &error), "%s", error.message);
    ck_assert_int_eq(result.test_pairs[0], 6);
    ck_assert_int_eq(result.test_pairs[1], 2);
    ck_assert_double_eq(result.test[0].exact_match, result.dev.exact_match);
    ck_assert_double_eq(result.test[0].loss, result.dev.loss);
    config.test[1].file = "both";
    ck_assert_int_eq(lb_translator_train(config, &result, &error), LB_ERROR_ARGUMENT);
    expect(error.message, "test two: expected one test of this name, with a file or with pairs in memory");
}
END_TEST
