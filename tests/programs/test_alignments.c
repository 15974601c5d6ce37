/* Attention and alignments of all lines, for outputs and for given targets; more outputs than the model has symbols. It
 * takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run(const char *words)
{
    support_shell("%s", words);
    ck_assert_msg(support_ran.status == 0, "%s: %s", words, support_ran.error);
}

static void train(const char *options)
{
    support_write_pairs("train.tsv", 60, 1);
    support_shell("train train.tsv --no-hold-out --target-separator ' ' --hidden 16 --dropout 0 --lr 0.02 "
                  "--warm-up 10 --steps 80 --evaluate-every 80 --threads 1 --fresh %s",
                  options);
    support_assert_trained();
}

static double number_at(const cJSON *list, int at)
{
    return cJSON_GetArrayItem(list, at)->valuedouble;
}

static const cJSON *field(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItem(object, name);
    ck_assert_ptr_nonnull(found);
    return found;
}

/* The alignment by the attention of a line, and whether the attention is one: shapes, and sums of 1. */
static void align(const cJSON *line, char *text, size_t size)
{
    const cJSON *layers = field(line, "attention"),
                *heads = cJSON_GetArrayItem(layers, cJSON_GetArraySize(layers) - 1);
    int sources = cJSON_GetArraySize(field(line, "source")),
        symbols = cJSON_GetArraySize(field(line, "output"));
    int steps = symbols + cJSON_IsTrue(field(line, "finished"));
    size_t used = 0;
    *text = '\0';
    for (int step = 0; step < steps; step++) {
        double most = -1, all = 0;
        int best = 0;
        for (int k = 0; k < sources; k++) {
            double sum = 0;
            const cJSON *head;
            cJSON_ArrayForEach(head, heads)
            {
                ck_assert_int_eq(cJSON_GetArraySize(head), steps);
                ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetArrayItem(head, step)), sources);
                sum += number_at(cJSON_GetArrayItem(head, step), k);
            }
            if (sum > most) best = k;
            most = fmax(most, sum);
            all += sum;
        }
        ck_assert_double_eq_tol(all, cJSON_GetArraySize(heads), 1e-4);
        if (step < symbols)
            used += (size_t)snprintf(text + used, size - used, "%s%d-%d", step ? " " : "", best, step);
    }
}

/* Compares the last columns of the output with the attention in a file. */
static int compare(const char *file)
{
    size_t count;
    int lines = 0;
    char *json = support_content(file, &count), *rest = json, *at, *output = support_ran.output;
    for (char *line = strtok_r(json, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        char expected[256];
        cJSON *parsed = cJSON_Parse(line);
        ck_assert_ptr_nonnull(parsed);
        align(parsed, expected, sizeof expected);
        cJSON_Delete(parsed);
        at = strchr(output, '\n');
        *at = '\0';
        const char *column = strrchr(output, '\t') + 1;
        ck_assert_str_eq(column, expected);
        output = at + 1;
    }
    ck_assert_str_eq(output, "");
    free(json);
    return lines;
}

START_TEST(test_alignments_are_those_of_the_attention)
{
    static const char *const kinds[] = {"--attention additive", "--attention multi-head",
                                        "--model transformer"};
    for (size_t i = 0; SUPPORT_ROW(i, kinds); i++) {
        train(kinds[i]);
        run("predict out train.tsv --source-column 1 --alignments --attention a.jsonl");
        ck_assert_int_eq(compare("a.jsonl"), 60);
        run("score out train.tsv --alignments --attention s.jsonl");
        ck_assert_int_eq(compare("s.jsonl"), 60);
    }
}
END_TEST

/* What a model writes has the same alignment when it is given to it. */
START_TEST(test_alignments_of_outputs_are_those_of_given_targets)
{
    train("--direction backward");
    run("predict out train.tsv --source-column 1 --beam 1 --alignments > p.tsv");
    run("score out p.tsv --source-column 1 --target-column 2 --alignments | cut -f 1,2,4 | cmp - p.tsv");
    train("--attention hard");
    run("predict out train.tsv --source-column 1 --beam 1 --alignments > p.tsv");
    run("score out p.tsv --source-column 1 --target-column 2 --alignments | cut -f 1,2,4 | cmp - p.tsv");
}
END_TEST

START_TEST(test_alignments_that_cannot_be_are_refused)
{
    train("--attention none");
    SUPPORT_RUN(&support_ran, "abc\n", BIN_DIR "/lookback", "predict", "out", "--alignments");
    ck_assert_int_eq(support_ran.status, 65);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "the model has no attention to write"));
    SUPPORT_RUN(&support_ran, "abc\ta\n", BIN_DIR "/lookback", "score", "out", "-", "--attention", "x");
    ck_assert_int_eq(support_ran.status, 65);
    SUPPORT_RUN(&support_ran, "abc\n", BIN_DIR "/lookback", "predict", "out", "--alignments", "--jsonl");
    ck_assert_int_eq(support_ran.status, 2);
}
END_TEST

START_TEST(test_more_outputs_than_symbols_are_different_and_sorted)
{
    double before = 0, score;
    int count = 0;
    train("");
    SUPPORT_RUN(&support_ran, "abc\n", BIN_DIR "/lookback", "predict", "out", "--n-best", "50");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    char seen[50][64], *rest = NULL;
    for (char *line = strtok_r(support_ran.output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char text[64];
        ck_assert_int_eq(sscanf(line, "abc\t%63[^\t]\t%lf", text, &score), 2);
        ck_assert(count == 0 || score <= before);
        for (int i = 0; i < count; i++) ck_assert_str_ne(seen[i], text);
        memcpy(seen[count++], text, sizeof text);
        before = score;
    }
    ck_assert_int_ge(count, 49); /* an empty output has no text to scan */
}
END_TEST

#define PREDICT BIN_DIR "/lookback", "predict", "out", "--prefix-column", "2"

/* The output goes on from its given beginning as it does by itself. */
START_TEST(test_prefix_is_the_beginning_of_the_output)
{
    train("");
    run("predict out train.tsv --source-column 1 > free.tsv");
    run("predict out free.tsv --prefix-column 2 | cmp - free.tsv");
    /* The first symbol of what the model writes by itself changes nothing, greedily. */
    run("predict out train.tsv --source-column 1 --beam 1 > greedy.tsv");
    run("-V > /dev/null; cut -d ' ' -f 1 greedy.tsv > begun.tsv");
    run("predict out begun.tsv --prefix-column 2 --beam 1 | cmp - greedy.tsv");
    SUPPORT_RUN(&support_ran, "abc\ta a b b a\nabc\t\nabc\n", PREDICT, "--n-best", "3");
    ck_assert_msg(support_ran.status == 65, "%s", support_ran.output);
    SUPPORT_RUN(&support_ran, "abc\ta a b b a\nabc\ta a b b a\n", PREDICT, "--n-best", "3");
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    int count = 0;
    char *rest = NULL, *output = support_ran.output;
    for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), count++)
        ck_assert_msg(strncmp(line, "abc\ta a b b a", 13) == 0, "%s", line);
    ck_assert_int_eq(count, 6);
    SUPPORT_RUN(&support_ran, "abc\t\nabc\ta\n", PREDICT);
    ck_assert_int_eq(support_ran.status, 0);
    SUPPORT_RUN(&support_ran, "abc\ta Q\n", PREDICT);
    ck_assert_int_eq(support_ran.status, 65);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "standard input:1: the beginning of the output has "
                                                    "\"Q\", which the model does not write\n"));
    SUPPORT_RUN(&support_ran, "abc\ta\n", PREDICT, "--sample");
    ck_assert_int_eq(support_ran.status, 2);
    train("--direction backward");
    SUPPORT_RUN(&support_ran, "abc\ta\n", PREDICT);
    ck_assert_int_eq(support_ran.status, 2);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "a model that writes backwards"));
}
END_TEST
