/* evaluate where a source has several right answers, and where a model has several outputs. It takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_line(const char *line)
{
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    ck_assert_msg(strstr(support_ran.output, line) != NULL, "%s: %s", line, support_ran.output);
}

/* Four lines, three sources. The first output for "read" is its second target; the one for "act" lacks a sound, and is
 * one from its second target, two from the first. */
static void write_files(void)
{
    support_write_text("pairs.tsv", "read\tR IY D\nread\tR EH D\nact\tAE K T IH\nact\tAE K T\ncat\tK AE T\n");
    support_write_text("outputs.tsv", "read\tR EH D\nread\tR EH D\nact\tAE K\nact\tAE K\ncat\tK AE T\n");
}

#define PREDICTIONS "evaluate --predictions outputs.tsv pairs.tsv --target-separator ' ' "

START_TEST(test_several_answers_each_line_counts_and_what_is_possible_is_said)
{
    write_files();
    support_shell(PREDICTIONS);
    expect_line("pairs                      5\n");
    expect_line("exact match            40.00 %");
    expect_line(
        "at most                60.00 %  2 sources have several targets; --any-target accepts each of "
        "them, as WER does\n");
    ck_assert_ptr_null(strstr(support_ran.output, ", WER ")); /* which is of words, not of lines */
    expect_line("symbol error rate      25.00 %");            /* 1 + 0 + 2 + 1 + 0 of 16 */
    support_shell(PREDICTIONS "--json");
    expect_line("{\"pairs\":5,\"skipped_lines\":0,\"ambiguous_sources\":2,\"possible\":3,");
    support_write_text("pairs.tsv", "read\tR IY D\nread\tR EH D\nread\tR EH D\n");
    support_write_text("outputs.tsv", "read\tR EH D\nread\tR EH D\nread\tR EH D\n");
    support_shell(PREDICTIONS);
    expect_line("at most                66.67 %  1 source has several targets;"); /* as the outputs here */
    expect_line("exact match            66.67 %");
}
END_TEST

START_TEST(test_several_answers_any_of_them_is_right)
{
    write_files();
    support_shell(PREDICTIONS "--any-target");
    expect_line("pairs                      5\nsources                    3\n");
    expect_line("exact match            66.67 %");
    expect_line("sequence error, WER    33.33 %");
    expect_line("symbol error, PER      11.11 %"); /* 0 + 1 + 0 of 3 + 3 + 3 */
    ck_assert_ptr_null(strstr(support_ran.output, "at most"));
    expect_line("most frequent confusions, reference -> output\n       1  T -> (nothing)\n");
    support_shell("evaluate --predictions outputs.tsv pairs.tsv --any-target");
    expect_line("word error rate        11.11 %");
    support_shell(PREDICTIONS "--any-target --json");
    expect_line("{\"pairs\":5,\"skipped_lines\":0,\"sources\":3,\"ambiguous_sources\":2,\"possible\":3,"
                "\"exact_match\":{"
                "\"value\":66.6666667,");
}
END_TEST

/* The same count from the outputs that predict prints. */
static int count_among(int n)
{
    char command[512];
    snprintf(command, sizeof command,
             "cut -f 1 dev.tsv | " BIN_DIR
             "/lookback predict out --n-best %d 2> /dev/null | cut -f 1,2 | sort -u > o; "
             "sort -u dev.tsv | comm -12 - o | wc -l",
             n);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c", command);
    return atoi(support_ran.output);
}

START_TEST(test_several_answers_n_best_counts_those_among_the_outputs)
{
    support_write_pairs("train.tsv", 60, 1);
    support_write_pairs("dev.tsv", 40, 2);
    support_shell(
        "train train.tsv --no-hold-out --target-separator ' ' --embed 16 --hidden 16 --dropout 0 --lr 0.02 "
        "--warm-up 10 --steps 60 --evaluate-every 60 --threads 1");
    support_assert_trained();
    for (int n = 1; n <= 9; n += 4) {
        char expected[64];
        snprintf(expected, sizeof expected, "among the best      %8.2f %%\n", 100.0 * count_among(n) / 40);
        support_shell("evaluate out dev.tsv --n-best %d", n);
        expect_line(expected);
    }
    support_shell("evaluate --predictions train.tsv train.tsv --n-best 5");
    ck_assert_int_eq(support_ran.status, 2);
}
END_TEST

/* The share of right answers in the last line of train or join, and what was counted. */
static double exact_match(const char *counted)
{
    double share = -1;
    ck_assert_msg(support_ran.status == 0, "%s", support_ran.error);
    const char *line = strstr(support_ran.output, "exact match ");
    while (line && sscanf(line, "exact match %lf", &share) != 1) line = strstr(line + 1, "exact match ");
    ck_assert_msg(line && strstr(line, counted), "%s", support_ran.output);
    return share / 100;
}

#define SMALL                                                                                                \
    "train train.tsv --dev dev.tsv --target-separator ' ' --embed 16 --hidden 16 --dropout 0 --lr 0.02 "     \
    "--warm-up 10 --steps 60 --evaluate-every 20 --threads 1 "

/* A wrong answer is a second target of each source. */
static void write_ambiguous(void)
{
    support_write_pairs("train.tsv", 60, 1);
    SUPPORT_RUN(&support_ran, NULL, "/bin/sh", "-c",
                "{ head -40 train.tsv; head -40 train.tsv | sed 's/\t.*/\tb b b b/'; } > dev.tsv");
    ck_assert_int_eq(support_ran.status, 0);
}

START_TEST(test_several_answers_train_judges_as_evaluate_does)
{
    write_ambiguous();
    support_shell(SMALL "--out each");
    double each = exact_match("on 80 pairs of dev.tsv");
    support_shell(SMALL "--any-target --out any");
    double any = exact_match("on 40 sources of dev.tsv");
    ck_assert_double_gt(any, each);
    char expected[64];
    snprintf(expected, sizeof expected, "exact match         %8.2f %%", 100 * any);
    support_shell("evaluate any dev.tsv --any-target --beam 1");
    expect_line(expected);
    expect_line("search                greedy\n");
    support_shell("evaluate any dev.tsv");
    expect_line("search                  beam 5\n");
    support_shell("join each any --dev dev.tsv -o both");
    each = exact_match("on 80 pairs of dev.tsv");
    support_shell("join each any --dev dev.tsv --any-target -o both");
    ck_assert_double_gt(exact_match("on 40 sources of dev.tsv"), each);
    support_shell(SMALL "--out any");
    ck_assert_int_eq(support_ran.status, 65);
    ck_assert_ptr_nonnull(strstr(support_ran.error, "any-target"));
}
END_TEST
