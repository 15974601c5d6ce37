/* Equal pairs are trained on once in an epoch. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATED SUPPORT_SMALL, "--train", "repeated.tsv", "--dev", "dev.tsv"

/* 200 pairs; each of them twice; with weights from 1 to 3; and with the same weights in two lines. */
static void write_files(void)
{
    static const char *const names[] = {"once.tsv", "repeated.tsv", "weighed.tsv", "added.tsv"};
    enum { FILES = sizeof names / sizeof *names };
    FILE *file[FILES];
    support_write_pairs("dev.tsv", 40, 2);
    for (int i = 0; i < FILES; i++) file[i] = fopen(support_path(names[i]), "w");
    for (int i = 0; i < 200; i++) {
        const char a = (char)('a' + i % 6), b = (char)('a' + i / 6 % 6), c = (char)('a' + i / 36);
        char pair[16];
        int weight = i % 3 + 1;
        snprintf(pair, sizeof pair, "%c%c%c\t%c %c %c", a, b, c, c, b, a);
        fprintf(file[0], "%s\n", pair);
        fprintf(file[1], "%s\n%s\n", pair, pair);
        fprintf(file[2], "%s\t%d\n", pair, weight);
        fprintf(file[3], "%s\t1\n", pair);
        if (weight > 1) fprintf(file[3], "%s\t%d\n", pair, weight - 1);
    }
    for (int i = 0; i < FILES; i++) fclose(file[i]);
}

static void expect_said(const char *text)
{
    ck_assert_msg(strstr(support_ran.error, text), "%s", support_ran.error);
}

#define TRAIN(file, out, ...)                                                                                \
    SUPPORT_TRAIN(SUPPORT_SMALL, "--train", file, "--dev", "dev.tsv", "--out", out, __VA_ARGS__)

static void expect_other_weights(const char *a, const char *b)
{
    size_t counts[2];
    char *one = support_weights(a, &counts[0]), *other = support_weights(b, &counts[1]);
    ck_assert_uint_eq(counts[0], counts[1]);
    ck_assert_msg(memcmp(one, other, counts[0]) != 0, "%s and %s are the same", a, b);
    free(one);
    free(other);
}

START_TEST(test_equal_pairs_train_as_if_they_were_there_once)
{
    write_files();
    TRAIN("once.tsv", "once", NULL);
    support_assert_trained();
    TRAIN("once.tsv", "each", "--set", "merge=false");
    support_assert_trained();
    support_assert_same_weights("once/model.safetensors", "each/model.safetensors");
    TRAIN("repeated.tsv", "repeated", NULL);
    support_assert_trained();
    expect_said("repeated.tsv: 400 lines, 200 different pairs\n");
    support_assert_same_weights("once/model.safetensors", "repeated/model.safetensors");
    TRAIN("repeated.tsv", "repeatedly", "--set", "merge=false");
    support_assert_trained();
    expect_other_weights("once/model.safetensors", "repeatedly/model.safetensors");
}
END_TEST

START_TEST(test_equal_pairs_add_their_weights)
{
    write_files();
    TRAIN("weighed.tsv", "weighed", "--weight-column", "3");
    support_assert_trained();
    expect_said("weighed.tsv: 200 lines, 200 different pairs\n  column 3 has weights: 200 lines count as 399 "
                "pairs\n");
    TRAIN("added.tsv", "added", "--weight-column", "3");
    support_assert_trained();
    support_assert_same_weights("weighed/model.safetensors", "added/model.safetensors");
    TRAIN("once.tsv", "once", NULL);
    expect_other_weights("once/model.safetensors", "weighed/model.safetensors");
}
END_TEST

START_TEST(test_equal_pairs_killed_and_run_again_end_with_the_same_file)
{
    write_files();
    SUPPORT_TRAIN(REPEATED, "--steps", "400", "--dropout", "0.3", "--set", "index=always", "--out", "whole");
    support_assert_trained();
    ck_assert_int_gt(SUPPORT_TRAIN_KILLED(REPEATED, "--steps", "400", "--dropout", "0.3", "--out", "killed"),
                     5);
    support_assert_same_files("whole/model.safetensors", "killed/model.safetensors");
}
END_TEST

START_TEST(test_equal_pairs_trained_on_each_time_are_another_run)
{
    write_files();
    SUPPORT_TRAIN(REPEATED, "--steps", "20", "--out", "merged");
    support_assert_trained();
    SUPPORT_TRAIN(REPEATED, "--steps", "20", "--set", "merge=false", "--out", "merged");
    support_assert_refused(65, "it was trained once on equal pairs");
    SUPPORT_TRAIN(REPEATED, "--steps", "20", "--set", "merge=false", "--out", "each");
    support_assert_trained();
    SUPPORT_TRAIN(REPEATED, "--steps", "20", "--out", "each");
    support_assert_refused(65, "it was trained on each of several equal pairs");
}
END_TEST

/* 3 epochs in batches of 16 are 75 steps of 400 lines, and 39 of 200 pairs. */
START_TEST(test_equal_pairs_are_counted_once_in_an_epoch)
{
    write_files();
    static const char *const merge[] = {"merge=true", "merge=false"}, *const steps[] = {"39/39", "75/75"};
    for (int i = 0; i < 2; i++) {
        SUPPORT_TRAIN("--target-separator", " ", "--embed", "8", "--hidden", "8", "--train", "repeated.tsv",
                      "--dev", "dev.tsv", "--epochs", "3", "--batch", "16", "--set", merge[i], "--set",
                      "fresh=true", "--out", "epochs");
        support_assert_trained();
        expect_said(steps[i]);
    }
}
END_TEST
