/* train --choose: which evaluation is the best, what the log has of texts, and who else knows. It takes seconds. */
#include "support/pair_program.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN SUPPORT_SMALL, "--train", "train.tsv", "--dev", "dev.tsv", "--evaluate-every", "10"

enum { POINTS = 64 };

static void write_files(void)
{
    support_write_pairs("train.tsv", 300, 1);
    /* Some of the targets are of another task, so that no model gets all of them right. */
    support_write_pairs("dev.tsv", 30, 2);
    char *pairs = support_text("dev.tsv"), all[2048];
    snprintf(all, sizeof all, "%sabc\ta b c\nbcd\tb c d\nfgh\tf g h\nhed\th e d\ngab\tg a b\n", pairs);
    support_write_text("dev.tsv", all);
    free(pairs);
}

/* Makes a word of each letter of the targets: of single letters evaluate has no BLEU. */
static void write_words(const char *name)
{
    char *pairs = support_text(name), words[1 << 15];
    size_t used = 0;
    bool target = false;
    for (const char *at = pairs; *at; at++) {
        target = *at == '\t' || (target && *at != '\n');
        used += (size_t)snprintf(words + used, sizeof words - used, "%c%s", *at,
                                 target && *at >= 'a' && *at <= 'z' ? "ord" : "");
    }
    support_write_text(name, words);
    free(pairs);
}

/* The values of a key in the log, and of its steps. Returns their number, 0 if it has no such key. */
static int read_log(const char *name, const char *key, double value[POINTS], int step[POINTS])
{
    char *log = support_text(name), *line = log, *end;
    int count = 0;
    for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        cJSON *json = cJSON_ParseWithLength(line, (size_t)(end - line));
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
        ck_assert_int_lt(count, POINTS);
        if (item) {
            value[count] = cJSON_GetNumberValue(item);
            step[count++] = cJSON_GetObjectItem(json, "step")->valueint;
        }
        cJSON_Delete(json);
    }
    free(log);
    return count;
}

/* The first step that is best by the value times `sign`, and of equals by exact match, symbol error and loss. */
static int best_step(const char *log, const char *key, double sign)
{
    enum { KEYS = 4 };
    const char *const keys[KEYS] = {key, "exact_match", "symbol_error", "dev_loss"};
    const double signs[KEYS] = {sign, 1, -1, -1};
    double value[KEYS][POINTS];
    int step[POINTS], best = 0, count = 0;
    for (int k = 0; k < KEYS; k++) count = read_log(log, keys[k], value[k], step);
    ck_assert_int_gt(count, 0);
    for (int i = 1; i < count; i++) {
        int k = 0;
        while (k < KEYS - 1 && value[k][i] == value[k][best]) k++;
        if (signs[k] * value[k][i] > signs[k] * value[k][best]) best = i;
    }
    return step[best];
}

static void expect_kept(int step)
{
    char kept[64];
    snprintf(kept, sizeof kept, "kept the model of step %d:", step);
    support_assert_trained();
    ck_assert_msg(strstr(support_ran.error, kept), "expected %s, found %s", kept, support_ran.error);
}

static double number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    ck_assert_msg(at, "%s: %s", name, text);
    return strtod(at + strlen(name), NULL);
}

/* With so large a learning rate, evaluations go up and down, and differ in what is best. */
START_TEST(test_choose_keeps_the_evaluation_that_is_best_by_the_measure)
{
    static const struct {
        const char *choose, *key;
        double sign;
        const char *progress, *result, *joined; /* where symbol error stands in for measures of texts */
    } choices[] = {{"exact", "exact_match", 1, "  exact match ", "exact match ", "\nexact match "},
                   {"symbol", "symbol_error", -1, "  symbol error ", "symbol error ", "\nsymbol error "},
                   {"loss", "dev_loss", -1, "  dev loss ", "loss ", "\nloss "},
                   {"bleu", "bleu_13a", 1, "  BLEU ", "BLEU ", "\nsymbol error "},
                   {"chrf", "chrf2", 1, "  chrF2 ", "chrF2 ", "\nsymbol error "}};
    write_files();
    for (size_t i = 0; SUPPORT_ROW(i, choices); i++) {
        char log[64];
        snprintf(log, sizeof log, "%s/log.jsonl", choices[i].choose);
        SUPPORT_TRAIN(TRAIN, "--lr", "0.05", "--steps", "200", "--patience", "0", "--seed", "3", "--choose",
                      choices[i].choose, "--out", choices[i].choose);
        expect_kept(best_step(log, choices[i].key, choices[i].sign));
        double value[POINTS];
        int step[POINTS];
        ck_assert_int_eq(read_log(log, "chrf2", value, step), i < 3 ? 0 : 20);
        ck_assert_int_eq(read_log(log, "bleu_13a", value, step), i < 3 ? 0 : 20);
        /* Progress and result tell the measure; of exact match they speak if the choice is by it. */
        const char *said = support_ran.error, *result = support_ran.output;
        ck_assert_msg(strstr(said, choices[i].progress), "%s", said);
        ck_assert_msg(strncmp(result, choices[i].result, strlen(choices[i].result)) == 0, "%s", result);
        ck_assert_msg(i == 0 || !(strstr(said, "exact match") || strstr(result, "exact match")), "%s%s", said,
                      result);
        SUPPORT_RUN(&support_ran, NULL, BIN_DIR "/lookback", "join", choices[i].choose, "exact", "--dev",
                    "dev.tsv", "-o", "joined");
        result = support_ran.output;
        ck_assert_msg(strstr(result, choices[i].joined), "%s", result);
    }
    /* Choosing changes no step. */
    double exact[POINTS], chrf[POINTS];
    int step[POINTS], count = read_log("exact/log.jsonl", "loss", exact, step);
    ck_assert_int_eq(read_log("chrf/log.jsonl", "loss", chrf, step), count);
    for (int i = 0; i < count; i++) ck_assert_double_eq(exact[i], chrf[i]);
    ck_assert_int_ne(best_step("chrf/log.jsonl", "chrf2", 1), best_step("exact/log.jsonl", "dev_loss", -1));
}
END_TEST

START_TEST(test_choose_measures_the_texts_that_predict_writes)
{
    static support_result found;
    write_files();
    write_words("train.tsv");
    write_words("dev.tsv");
    SUPPORT_TRAIN(TRAIN, "--steps", "60", "--choose", "chrf");
    support_assert_trained();
    const char *kept = strstr(support_ran.error, "kept the model of step");
    double bleu = number_after(kept, "BLEU "), chrf = number_after(kept, "chrF2 ");
    ck_assert_double_eq(number_after(support_ran.output, "chrF2 "), chrf);
    SUPPORT_RUN(&found, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "--beam", "1", "--json");
    ck_assert_int_eq(found.status, 0);
    ck_assert_double_gt(bleu, 0);
    ck_assert_double_gt(chrf, 0);
    ck_assert_double_eq_tol(bleu, number_after(found.output, "\"bleu_13a\":{\"value\":"), 0.005);
    ck_assert_double_eq_tol(chrf, number_after(found.output, "\"chrf2\":{\"value\":"), 0.005);
    char *csv = support_text("out/log.csv");
    ck_assert_ptr_nonnull(strstr(csv, ",symbol_error,bleu_13a,chrf2,lr,"));
    free(csv);
    /* Any of the targets of a source is right: nothing is worse than with one of them. */
    support_write_text("dev.tsv", "abc\tc b a\nabc\tx y z\nde\te d\nde\tf g\n");
    write_words("dev.tsv");
    SUPPORT_TRAIN(TRAIN, "--steps", "60", "--choose", "bleu", "--any-target", "--fresh");
    support_assert_trained();
    bleu = number_after(strstr(support_ran.error, "kept the model of step"), "BLEU ");
    SUPPORT_RUN(&found, NULL, BIN_DIR "/lookback", "evaluate", "out", "dev.tsv", "--beam", "1", "--json",
                "--any-target");
    ck_assert_double_gt(bleu, 0);
    ck_assert_double_eq_tol(bleu, number_after(found.output, "\"bleu_13a\":{\"value\":"), 0.005);
}
END_TEST

/* Patience counts evaluations by the measure, and a run that is killed and resumed chooses and stops alike. */
START_TEST(test_choose_is_what_patience_counts_and_what_a_resumed_run_keeps)
{
    write_files();
    SUPPORT_TRAIN(TRAIN, "--lr", "0.05", "--choose", "chrf", "--patience", "3", "--out", "whole");
    support_assert_trained();
    int best = best_step("whole/log.jsonl", "chrf2", 1);
    double value[POINTS];
    int step[POINTS], count = read_log("whole/log.jsonl", "chrf2", value, step);
    if (step[count - 1] < 300) ck_assert_int_eq(step[count - 1], best + 30);
    ck_assert_int_gt(
        SUPPORT_TRAIN_KILLED(TRAIN, "--lr", "0.05", "--choose", "chrf", "--patience", "3", "--out", "killed"),
        3);
    expect_kept(best);
    double resumed[POINTS];
    ck_assert_int_eq(read_log("killed/log.jsonl", "chrf2", resumed, step), count);
    for (int i = 0; i < count; i++) ck_assert_double_eq(resumed[i], value[i]);
    SUPPORT_TRAIN(TRAIN, "--lr", "0.05", "--choose", "loss", "--patience", "3", "--out", "whole");
    ck_assert_int_ne(support_ran.status, 0);
    ck_assert_msg(strstr(support_ran.error, "--choose"), "%s", support_ran.error);
}
END_TEST

START_TEST(test_choose_what_cannot_be_is_refused)
{
    write_files();
    SUPPORT_TRAIN(TRAIN, "--choose", "rouge");
    support_assert_refused(2, "--choose: expected exact, symbol, loss, bleu or chrf, found \"rouge\"");
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", "train.tsv", "--no-hold-out", "--choose", "chrf");
    ck_assert_msg(strstr(support_ran.error, "choose: found no_hold_out, which keeps the last weights"), "%s",
                  support_ran.error);
    SUPPORT_TRAIN(TRAIN, "--test", "other=dev.tsv", "--set", "choose-on=other", "--choose", "bleu");
    ck_assert_msg(strstr(support_ran.error, "choose_on: found choose bleu, expected exact, symbol or loss"),
                  "%s", support_ran.error);
}
END_TEST

START_TEST(test_choose_orders_the_trainings_of_a_sweep)
{
    write_files();
    support_write_text("sweep.json", "{\"steps\": [10, 60, 20]}");
    SUPPORT_TRAIN(TRAIN, "--choose", "chrf", "--out", "sweep", "--sweep", "sweep.json");
    support_assert_trained();
    char *table = support_text("sweep/sweep.tsv");
    ck_assert_msg(strstr(table, "\tseconds\tbleu_13a\tchrf2\ttraining\n"), "%s", table);
    double before = INFINITY;
    for (char *line = strchr(table, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        double chrf = 0;
        ck_assert_int_eq(sscanf(line, "%*f %*f %*f %*d %*f %*f %lf", &chrf), 1);
        ck_assert_double_le(chrf, before);
        before = chrf;
    }
    ck_assert(isfinite(before));
    free(table);
}
END_TEST
