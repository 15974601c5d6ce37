/* predict and evaluate that mpirun starts: the same bytes on any number of ranks.
 * This test is too slow for sanitizers. Without MPI it says what it leaves out. */
#include "support/pair_model.h"
#include "support/pair_program.h"
#include "support/ranks.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/talk.h"
#include "support/tempdir.h"

#include <lookback/base.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOKBACK BIN_DIR "/lookback"

enum { MOST_RANKS = 4 };

/* Made once, in main. The beginners have learned nothing: their outputs are long, and most do not end. */
static char model[SUPPORT_PATH], beginner[SUPPORT_PATH], ensemble[SUPPORT_PATH], sorter[SUPPORT_PATH];

static void run(int ranks, const char *input, const char *program, const char *const *arguments)
{
    support_run_ranks(ranks, program, input, arguments);
}

#define RUN(ranks, input, ...)        run(ranks, input, LOOKBACK, (const char *const[]){__VA_ARGS__, NULL})
#define RUN_SCRIPT(ranks, input, ...) run(ranks, input, "./script", (const char *const[]){__VA_ARGS__, NULL})

/* ---- Files of the test's folder. ---- */

/* Words of a to e and of an accent; some lines are blank or have symbols that the models do not know. */
static void add_word(char **end, lb_rng rng)
{
    static const char *const symbols[] = {"a", "b", "c", "d", "e", "e\xcc\x81", "x", "y"};
    int length = 1 + (int)lb_rng_below(rng, 0, 5);
    uint64_t known = lb_rng_below(rng, 1, 9) == 0 ? 8 : 6;
    for (int i = 0; i < length; i++) *end = stpcpy(*end, symbols[lb_rng_below(rng, 2 + (uint64_t)i, known)]);
}

static void add_numbers(char **end, lb_rng rng)
{
    for (int i = 0; i < 3; i++) *end += sprintf(*end, "%d ", (int)lb_rng_below(rng, (uint64_t)i, 10));
}

/* Writes `count` lines and returns the path. */
static const char *write_lines(int count, void (*add)(char **end, lb_rng rng))
{
    static char path[SUPPORT_PATH];
    char *text = malloc((size_t)count * 32 + 1), *end = text;
    for (int i = 0; i < count; i++) {
        if (i % 50 != 49) add(&end, (lb_rng){.seed = 5, .step = (uint32_t)i});
        *end++ = '\n';
    }
    support_write_file(support_path(path, "lines"), text, (size_t)(end - text));
    free(text);
    return path;
}

static const char *write_input(const char *text)
{
    static char path[SUPPORT_PATH];
    support_write_file(support_path(path, "lines"), text, strlen(text));
    return path;
}

/* ---- The same bytes. ---- */

/* What one process says, and what so many ranks say. If it fails, mpirun has a word to say, too. */
static void assert_same(const char *input, const char *const *arguments, int first, int last)
{
    run(0, input, LOOKBACK, arguments);
    support_result alone = support_ranks_result;
    support_ranks_result = (support_result){0};
    for (int ranks = first; ranks <= last; ranks++) {
        run(ranks, input, LOOKBACK, arguments);
        support_assert_ranks_status(alone.status);
        ck_assert_str_eq(support_ranks_result.output, alone.output);
        if (alone.status == 0)
            ck_assert_str_eq(support_ranks_result.error, alone.error);
        else
            support_assert_said_once(alone.error);
    }
    support_result_free(&alone);
}

#define ASSERT_SAME_ON(first, last, input, ...)                                                              \
    assert_same(input, (const char *const[]){__VA_ARGS__, NULL}, first, last)
#define ASSERT_SAME(input, ...) ASSERT_SAME_ON(1, MOST_RANKS, input, __VA_ARGS__)

START_TEST(test_ranks_predict_thousands_of_lines)
{
    const char *lines = write_lines(4000, add_word);
    ASSERT_SAME(lines, "predict", model, "--jsonl");
    ck_assert_int_gt((int)support_ranks_result.output_length, 4000 * 20);
    ASSERT_SAME_ON(2, 2, write_lines(1500, add_numbers), "predict", sorter, "--batch", "100");
}
END_TEST

/* MPICH forwards no standard input of this size. */
START_TEST(test_ranks_predict_a_large_file)
{
    ASSERT_SAME_ON(3, 3, NULL, "predict", model, write_lines(20000, add_word), "--n-best", "2", "--beam",
                   "2");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "/lines: the model does not know "));
    ASSERT_SAME_ON(2, 2, NULL, "predict", model, "missing");
    support_assert_one_message(66, "lookback predict: missing: cannot read: ");
}
END_TEST

START_TEST(test_ranks_predict_with_every_option)
{
    const char *lines = write_lines(300, add_word);
    ASSERT_SAME_ON(2, 3, lines, "predict", beginner, "--batch", "32", "--n-best", "3");
    ASSERT_SAME_ON(2, 3, lines, "predict", beginner, "--batch", "32", "--sample", "--n-best", "2", "--jsonl");
    ASSERT_SAME_ON(2, 2, lines, "predict", model, "--batch", "7", "--beam", "4", "--length-penalty", "0");
    ASSERT_SAME_ON(3, 3, lines, "predict", model, "--batch", "32", "--copy-unknown", "--jsonl");
    ASSERT_SAME_ON(2, 3, lines, "predict", ensemble, "--batch", "32", "--votes");
    ASSERT_SAME_ON(3, 3, lines, "predict", ensemble, "--batch", "32", "--votes", "--jsonl");
}
END_TEST

START_TEST(test_ranks_predict_any_number_of_lines)
{
    ASSERT_SAME_ON(2, 3, write_input(""), "predict", model);
    ASSERT_SAME_ON(2, 2, write_input("\n\n\n"), "predict", model, "--batch", "1");
    ASSERT_SAME_ON(3, 4, write_input("abc\nbad"), "predict", model, "--batch", "1", "--jsonl");
    ASSERT_SAME_ON(2, 3, write_input("abc\n\nbad\ncab\nx"), "predict", model, "--batch", "2");
}
END_TEST

/* Bytes that are no text are found by the model; columns that are missing, by the reader. */
START_TEST(test_ranks_predict_bad_lines_are_told_in_their_order)
{
    const char *bad = write_input("a\tabc\nb\tbad\nc\t\xff\nd\n\ne\tcab\nf\nf\nf\tyx\ng\nh\ni\nj\tabc\n");
    ASSERT_SAME_ON(2, 3, bad, "predict", model, "--source-column", "2", "--batch", "2", "--skip-bad-lines");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "standard input:3: "));
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "7 bad lines were skipped"));
    ASSERT_SAME_ON(2, 3, bad, "predict", model, "--source-column", "2", "--batch", "2");
    support_assert_one_message(65, "lookback predict: standard input:3: ");
    ASSERT_SAME_ON(2, 3, write_input("a\tabc\nb\tbad\nc\tcab\nd\nb\tbad\n"), "predict", model,
                   "--source-column", "2", "--batch", "2");
    support_assert_one_message(65, "lookback predict: standard input:4: ");
}
END_TEST

START_TEST(test_ranks_predict_attention_of_one_text)
{
    const char *line = write_input("abc\n");
    RUN(0, line, "predict", model, "--attention", "alone.npy");
    support_assert_ranks_done();
    RUN(3, line, "predict", model, "--attention", "ranks.npy");
    support_assert_ranks_done();
    support_assert_same_files("alone.npy", "ranks.npy");
    ASSERT_SAME_ON(2, 2, write_input("abc\nbad\n"), "predict", model, "--attention", "two.npy");
    support_assert_one_message(65, "standard input:2: --attention accepts only one text");
}
END_TEST

/* Begins to talk with two ranks of the script, whose standard error goes to the file "errors". */
static void begin_to_talk(support_talk *talk, const char *patience)
{
    const char *argv[] = {"/bin/sh",
                          "-c",
                          "exec \"$@\" 2>errors",
                          "sh",
                          support_mpirun(),
                          "-n",
                          "2",
                          "./script",
                          "predict",
                          model,
                          "--batch",
                          "1",
                          NULL};
    for (int i = 0; support_ranks_permission[i]; i++)
        if (strchr(support_ranks_permission[i], '=')) putenv((char *)support_ranks_permission[i]);
    support_set_patience(patience);
    support_write_stops(NULL, NULL);
    ck_assert_int_eq(chdir(support_tempdir()), 0);
    ck_assert(support_talk_begin(argv, talk));
    ck_assert_str_eq(support_say(talk, "abc\n", strlen("abc\tA B C\n")), "abc\tA B C\n");
}

/* The ranks that have nothing to do lose no patience meanwhile. */
START_TEST(test_ranks_predict_answers_each_typed_line)
{
    support_talk talk;
    begin_to_talk(&talk, "3");
    ck_assert(support_is_silent(&talk, 5));
    ck_assert_str_eq(support_say(&talk, "cab\n", strlen("cab\tC A B\n")), "cab\tC A B\n");
    ck_assert_str_eq(support_say(&talk, NULL, 1), "");
    ck_assert_int_eq(support_talk_end(&talk), 0);
}
END_TEST

/* ---- evaluate. ---- */

static void write_measured_pairs(int count)
{
    char *text = malloc((size_t)count * 64 + 1), *end = text;
    for (int i = 0; i < count; i++) {
        add_word(&end, (lb_rng){.seed = 6, .step = (uint32_t)i});
        end += sprintf(end, "\tA %s\n", i % 3 ? "B" : "C A");
    }
    support_write_text("pairs.tsv", text);
    free(text);
}

START_TEST(test_ranks_evaluate_measures_the_same)
{
    char path[SUPPORT_PATH];
    write_measured_pairs(1000);
    ASSERT_SAME(NULL, "evaluate", model, "pairs.tsv", "--json", "--confusions", "1000");
    ck_assert_ptr_nonnull(strstr(support_ranks_result.error, "the model does not know "));
    ASSERT_SAME_ON(3, 3, NULL, "evaluate", beginner, "pairs.tsv", "--batch", "30", "--beam", "2");
    ASSERT_SAME_ON(2, 2, support_path(path, "pairs.tsv"), "evaluate", ensemble, "-", "--batch", "30");
    ASSERT_SAME_ON(4, 4, NULL, "evaluate", model, "pairs.tsv", "--batch", "600");
}
END_TEST

START_TEST(test_ranks_evaluate_bad_lines_are_one_message)
{
    char path[SUPPORT_PATH];
    support_write_text("pairs.tsv", "abc\tA B C\nbad\tB A D\nbad\nc\tC\n");
    ASSERT_SAME_ON(2, 3, NULL, "evaluate", model, "pairs.tsv", "--batch", "1");
    support_assert_one_message(65, "pairs.tsv:3: ");
    ASSERT_SAME_ON(2, 2, support_path(path, "pairs.tsv"), "evaluate", model, "-", "--batch", "1");
    ASSERT_SAME_ON(2, 2, NULL, "evaluate", model, "pairs.tsv", "--batch", "1", "--skip-bad-lines");
    ASSERT_SAME_ON(2, 2, NULL, "evaluate", model, "none.tsv");
    RUN(2, NULL, "evaluate", "--predictions", "pairs.tsv", "pairs.tsv");
    support_assert_one_message(2, "--predictions: expected no mpirun, found 2 ranks");
}
END_TEST

/* ---- Trouble. ---- */

START_TEST(test_ranks_predict_wrong_usage_is_one_message)
{
    const char *line = write_input("abc\n");
    RUN(3, line, "predict", "none");
    support_assert_one_message(66, "lookback predict: none: ");
    RUN(3, line, "predict", model, "--votes");
    support_assert_one_message(65, ": --votes needs a model of several, found a single one");
    RUN(2, line, "predict", model, "--batch", "0");
    support_assert_one_message(2, "lookback predict: --batch: ");
}
END_TEST

START_TEST(test_ranks_predict_names_the_rank_that_differs)
{
    char text[2 * SUPPORT_PATH];
    const char *line = write_input("abc\n");
    snprintf(text, sizeof text, "exec " LOOKBACK " predict %s", beginner);
    support_write_rank_script(text);
    RUN_SCRIPT(3, line, "predict", model);
    support_assert_one_message(2, "lookback predict: rank 1 on ");
    support_assert_said_once(": found the hash of the model ");
    support_set_patience("2");
    support_write_rank_script("exec " LOOKBACK " predict missing");
    RUN_SCRIPT(3, line, "predict", model);
    support_assert_one_message(66, "lookback predict: rank 1 on ");
    support_assert_said_once(": missing: ");
}
END_TEST

START_TEST(test_ranks_predict_names_the_rank_that_hangs)
{
    support_talk talk;
    size_t count;
    begin_to_talk(&talk, "5");
    char *pid = support_content("pid-1", &count);
    /* Two lines, each of which is a batch, are shared out. */
    ck_assert_int_eq(kill((pid_t)strtol(pid, NULL, 10), SIGSTOP), 0);
    ck_assert_str_eq(support_say(&talk, "cab\nbad\n", 1), "");
    ck_assert_int_ne(support_talk_end(&talk), 0);
    char *errors = support_content("errors", &count);
    ck_assert_int_eq(support_occurrences(errors, ": rank 1 on "), 1);
    ck_assert_int_eq(support_occurrences(errors, " has not answered for 5 s\n"), 1);
    free(errors);
    free(pid);
}
END_TEST

int main(void)
{
    const char *why = support_no_ranks();
    if (why) {
        support_skip("predictions on several ranks", why);
        return 0;
    }
    support_train_pair_model(support_path(model, "model.safetensors"), 600, LB_ATTENTION_ADDITIVE);
    support_train_pair_model(support_path(beginner, "beginner.safetensors"), 0, LB_ATTENTION_ADDITIVE);
    support_train_pair_model(support_path(ensemble, "ensemble.safetensors"), 600, SUPPORT_ENSEMBLE);
    support_train_model(support_path(sorter, "sort.safetensors"), 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests(
        "ranks predict",
        SUPPORT_TESTS(
            test_ranks_predict_thousands_of_lines, test_ranks_predict_with_every_option,
            test_ranks_predict_any_number_of_lines, test_ranks_predict_a_large_file,
            test_ranks_predict_bad_lines_are_told_in_their_order, test_ranks_predict_attention_of_one_text,
            test_ranks_predict_answers_each_typed_line, test_ranks_evaluate_measures_the_same,
            test_ranks_evaluate_bad_lines_are_one_message, test_ranks_predict_wrong_usage_is_one_message,
            test_ranks_predict_names_the_rank_that_differs, test_ranks_predict_names_the_rank_that_hangs));
}
