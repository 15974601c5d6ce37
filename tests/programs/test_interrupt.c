/* Ctrl-C and SIGTERM during training: the work is saved, the next run resumes, and the terminal stays clean. It
 * takes seconds. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Trainings that only evaluate at the end: anything saved earlier was saved by the signal. */
#define PAIRS                                                                                                \
    BIN_DIR "/lookback", "train", SUPPORT_SMALL, "--train", "train.tsv", "--dropout", "0.3",                 \
        "--evaluate-every", "100000", "--steps", "300"
#define LISTS                                                                                                \
    BIN_DIR "/lookback", "sort", "--max-number", "9", "--min-length", "1", "--max-length", "3", "--embed",   \
        "8", "--hidden", "16", "--batch", "16", "--threads", "1", "--target", "0", "--steps", "900"
#define KINDS                                                                                                \
    BIN_DIR "/lookback", "compare", "--kinds", "none,dot", "--max-number", "19", "--min-length", "2",        \
        "--max-length", "3", "--hidden", "16", "--batch", "16", "--threads", "1", "--steps", "400",          \
        "--evaluate-every", "100"
/* In its steps: it reads the clock a few times before the first one, and then two to four times a step. */
#define IN_TRAINING "clock 60 "

static support_result result;

static void run(const char *const *argv, const char *stop, int columns)
{
    support_command command = {
        .argv = argv, .directory = support_tempdir(), .stop = stop, .terminal_columns = columns};
    support_run_as(&command, &result);
}

#define RUN(...)             run((const char *const[]){__VA_ARGS__, NULL}, NULL, 0)
#define RUN_UNTIL(stop, ...) run((const char *const[]){__VA_ARGS__, NULL}, stop, 0)

/* The step of "interrupted at step N", after `name`; -1 if the output does not say that the run can be resumed. */
static int interrupted_at(const char *name)
{
    int step = -1, end = 0;
    char begin[128];
    snprintf(begin, sizeof begin, "%s: interrupted at step ", name);
    const char *line = strstr(result.error, begin);
    if (!line) return -1;
    ck_assert_int_eq(sscanf(line + strlen(begin), "%d; the same command resumes\n%n", &step, &end), 1);
    ck_assert_int_eq(line[strlen(begin) + (size_t)end], '\0'); /* nothing follows */
    ck_assert(line == result.error || line[-1] == '\n');
    return step;
}

/* Interrupts a run again and again, after more and more steps, until it completes. Asserts that each session resumes
 * where the one before stopped, and that some did. */
static void interrupt_until_done(const char *const *argv, const char *name, const char *signal)
{
    int interruptions = 0, last = -1, number = strcmp(signal, "INT") == 0 ? SIGINT : SIGTERM;
    char stop[32];
    for (int readings = 25;; readings *= 2, interruptions++) {
        snprintf(stop, sizeof stop, "clock %d %s", readings, signal);
        run(argv, stop, 0);
        if (result.status == 0) break;
        ck_assert_msg(result.status == 128 + number, "status %d: %s", result.status, result.error);
        ck_assert_str_eq(result.output, "");
        int step = interrupted_at(name);
        ck_assert_msg(step > last, "from %d to %d: %s", last, step, result.error);
        last = step;
    }
    ck_assert_int_gt(interruptions, 1);
}

static void check_pairs(const char *signal)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN(PAIRS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    const char *const argv[] = {PAIRS, "--out", "stopped", NULL};
    interrupt_until_done(argv, "lookback train", signal);
    support_assert_same_files("whole/model.safetensors", "stopped/model.safetensors");
    ck_assert_int_eq(support_line_count("stopped/log.jsonl"), 1);
}

START_TEST(test_interrupt_of_train_by_ctrl_c_ends_with_the_same_bits)
{
    check_pairs("INT");
}
END_TEST

START_TEST(test_interrupt_of_train_by_sigterm_ends_with_the_same_bits)
{
    check_pairs("TERM");
}
END_TEST

START_TEST(test_interrupt_of_sort_ends_with_the_same_bits)
{
    RUN(LISTS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    const char *const argv[] = {LISTS, "--out", "stopped", NULL};
    interrupt_until_done(argv, "lookback sort", "TERM");
    support_assert_same_files("whole/sort.safetensors", "stopped/sort.safetensors");
    ck_assert_int_eq(support_line_count("stopped/train.jsonl"), 4);
}
END_TEST

/* Interrupts the program when the training in that folder has saved its first checkpoint. */
static void interrupt_compare(const char *folder)
{
    static const char SAID[] = "lookback compare: interrupted after ";
    char stop[128];
    snprintf(stop, sizeof stop,
             "rename /%s/checkpoint.safetensors 1 sh kill -INT $(cut -d ' ' -f 4 /proc/$PPID/stat)", folder);
    RUN_UNTIL(stop, KINDS, "--out", "stopped");
    ck_assert_int_eq(result.status, 128 + SIGINT);
    const char *said = strstr(result.error, SAID);
    const bool one = said && said[strlen(SAID)] == '1';
    ck_assert_msg(said && strstr(said, one ? "1 training; the same command resumes\n"
                                           : " trainings; the same command resumes\n"),
                  "%s", result.error);
}

START_TEST(test_interrupt_of_compare_ends_with_the_same_bits)
{
    RUN(KINDS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    interrupt_compare("none");
    interrupt_compare("dot");
    RUN(KINDS, "--out", "stopped");
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_assert_same_weights("whole/none/sort.safetensors", "stopped/none/sort.safetensors");
    support_assert_same_weights("whole/dot/sort.safetensors", "stopped/dot/sort.safetensors");
}
END_TEST

static void interrupt_in_training(const char *const *argv, const char *name, int columns)
{
    run(argv, IN_TRAINING "INT", columns);
    ck_assert_int_eq(result.status, 128 + SIGINT);
    ck_assert_msg(interrupted_at(name) > 0, "%s", result.error);
}

/* The bar is redrawn in one line, which must end before the message. */
START_TEST(test_interrupt_ends_the_line_of_the_bar)
{
    support_write_pairs("train.tsv", 500, 1);
    const char *const argv[] = {PAIRS, NULL};
    run(argv, "clock 400 INT", 80);
    ck_assert_int_eq(result.status, 128 + SIGINT);
    const char *message = strstr(result.error, "lookback train: interrupted");
    ck_assert_msg(message, "%s", result.error);
    const char *line = message - 1;
    while (line > result.error && line[-1] != '\n') line--;
    ck_assert_msg(strstr(line, "step") && strstr(line, "\033[K\n"), "%s", line);
}
END_TEST

START_TEST(test_interrupt_of_a_fresh_run_says_that_fresh_would_start_over)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN_UNTIL(IN_TRAINING "INT", PAIRS, "--fresh");
    ck_assert_int_eq(result.status, 128 + SIGINT);
    ck_assert_ptr_nonnull(strstr(result.error, "; the same command without --fresh resumes\n"));
}
END_TEST

START_TEST(test_interrupt_of_one_of_several_models_names_it)
{
    support_write_pairs("train.tsv", 500, 1);
    const char *const argv[] = {PAIRS, "--seed", "7", "--seeds", "2", NULL};
    interrupt_in_training(argv, "lookback train: seed 7", 0);
}
END_TEST

/* As `timeout` does, which signals the program and then its group. */
START_TEST(test_interrupt_sent_twice_in_an_instant_is_one_request)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN_UNTIL(IN_TRAINING "TERM TERM", PAIRS);
    ck_assert_int_eq(result.status, 128 + SIGTERM);
    ck_assert_int_gt(interrupted_at("lookback train"), 0);
}
END_TEST

/* By somebody who has lost patience. */
START_TEST(test_interrupt_sent_again_later_ends_at_once)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN_UNTIL(IN_TRAINING "TERM LATER TERM", PAIRS);
    ck_assert_int_eq(result.status, 128 + SIGTERM);
    ck_assert_int_eq(interrupted_at("lookback train"), -1);
    ck_assert(!support_exists("out/checkpoint.safetensors"));
}
END_TEST

/* A shell starts background programs with Ctrl-C ignored. */
START_TEST(test_interrupt_that_was_ignored_from_the_start_stays_ignored)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN_UNTIL(IN_TRAINING "INT", "/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh", PAIRS);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.error);
}
END_TEST
