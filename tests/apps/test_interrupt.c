/* Ctrl-C and SIGTERM during training: the work is saved, the next run resumes, and the terminal stays clean. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Trainings of a second or two that only evaluate at the end: anything saved earlier was saved by the signal. */
#define PAIRS                                                                                                \
    BIN_DIR "/lookback", "train", SUPPORT_SMALL, "--train", "train.tsv", "--dropout", "0.3",                 \
        "--evaluate-every", "100000", "--steps", "1500"
#define LISTS                                                                                                \
    BIN_DIR "/lookback", "sort", "--max-number", "9", "--min-length", "1", "--max-length", "3", "--embed",   \
        "8", "--hidden", "16", "--batch", "16", "--threads", "1", "--target", "0", "--steps", "2100"
#define KINDS                                                                                                \
    BIN_DIR "/lookback", "compare", "--kinds", "none,dot", "--max-number", "19", "--min-length", "2",        \
        "--max-length", "3", "--hidden", "16", "--batch", "16", "--threads", "1", "--steps", "4000"

static support_result result;

static void run(const char *const *argv, int number, int after_ms, int columns)
{
    support_command command = {.argv = argv,
                               .directory = support_tempdir(),
                               .signal = number,
                               .signal_after_ms = after_ms,
                               .terminal_columns = columns};
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
    ck_assert(!result.timed_out);
}

#define RUN(...)                   run((const char *const[]){__VA_ARGS__, NULL}, 0, 0, 0)
#define RUN_UNTIL(number, ms, ...) run((const char *const[]){__VA_ARGS__, NULL}, number, ms, 0)

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

/* When to interrupt a run that is repeated until it completes: each time later by less than it trains, so that
 * training is hit however long the program takes to start. */
static int later(int ms)
{
    return ms ? ms + ms / 3 : 20;
}

/* Interrupts a run repeatedly until it completes. Asserts that each session resumes where the one before stopped.
 * Returns the number of interruptions. */
static int interrupt_until_done(const char *const *argv, const char *name, int number)
{
    int interruptions = 0, last = -1;
    for (int ms = later(0); ms < 60000; ms = later(ms)) {
        run(argv, number, ms, 0);
        if (result.status == 0) return interruptions;
        if (result.status == 128 + number && interrupted_at(name) < 0) continue; /* before it trained */
        ck_assert_msg(result.status == 128 + number, "status %d: %s", result.status, result.error);
        ck_assert_str_eq(result.output, "");
        int step = interrupted_at(name);
        ck_assert_msg(step >= last, "from %d back to %d", last, step);
        last = step;
        interruptions++;
    }
    ck_abort_msg("never done");
}

static void check_pairs(int number)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN(PAIRS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    const char *const argv[] = {PAIRS, "--out", "stopped", NULL};
    ck_assert_int_gt(interrupt_until_done(argv, "lookback train", number), 0);
    support_assert_same_files("whole/model.safetensors", "stopped/model.safetensors");
    ck_assert_int_eq(support_line_count("stopped/log.jsonl"), 1);
}

START_TEST(test_interrupt_of_train_by_ctrl_c_ends_with_the_same_bits)
{
    check_pairs(SIGINT);
}
END_TEST

START_TEST(test_interrupt_of_train_by_sigterm_ends_with_the_same_bits)
{
    check_pairs(SIGTERM);
}
END_TEST

START_TEST(test_interrupt_of_sort_ends_with_the_same_bits)
{
    RUN(LISTS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    const char *const argv[] = {LISTS, "--out", "stopped", NULL};
    ck_assert_int_gt(interrupt_until_done(argv, "lookback sort", SIGTERM), 0);
    support_assert_same_files("whole/sort.safetensors", "stopped/sort.safetensors");
    ck_assert_int_eq(support_line_count("stopped/train.jsonl"), 9);
}
END_TEST

START_TEST(test_interrupt_of_compare_ends_with_the_same_bits)
{
    RUN(KINDS, "--out", "whole");
    ck_assert_msg(result.status == 0, "%s", result.error);
    int interruptions = 0;
    for (int ms = later(0); ms < 60000; ms = later(ms)) {
        RUN_UNTIL(SIGINT, ms, KINDS, "--out", "stopped");
        if (result.status == 0) break;
        ck_assert_int_eq(result.status, 128 + SIGINT);
        interruptions +=
            interrupted_at("lookback compare: none") >= 0 || interrupted_at("lookback compare: dot") >= 0;
    }
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_int_gt(interruptions, 0);
    support_assert_same_weights("whole/none.safetensors", "stopped/none.safetensors");
    support_assert_same_weights("whole/dot.safetensors", "stopped/dot.safetensors");
}
END_TEST

/* Interrupts a run of many steps after its first one, which comes late under a sanitizer. */
static void interrupt_in_training(const char *const *argv, const char *name, int columns)
{
    int step = -1;
    for (int ms = 1500; step <= 0 && ms < 60000; ms *= 2) {
        run(argv, SIGINT, ms, columns);
        ck_assert_int_eq(result.status, 128 + SIGINT);
        step = interrupted_at(name);
    }
    ck_assert_int_gt(step, 0);
}

/* The bar is redrawn in one line, which must end before the message. */
START_TEST(test_interrupt_ends_the_line_of_the_bar)
{
    support_write_pairs("train.tsv", 500, 1);
    const char *const argv[] = {PAIRS, "--steps", "100000", NULL};
    interrupt_in_training(argv, "lookback train", 80);
    const char *message = strstr(result.error, "lookback train: interrupted"), *line = message - 1;
    while (line > result.error && line[-1] != '\n') line--;
    ck_assert_msg(strstr(line, "step") && strstr(line, "\033[K\n"), "%s", line);
}
END_TEST

START_TEST(test_interrupt_of_a_fresh_run_says_that_fresh_would_start_over)
{
    support_write_pairs("train.tsv", 500, 1);
    const char *advice = NULL;
    for (int ms = 1500; !advice && ms < 60000; ms *= 2) {
        RUN_UNTIL(SIGINT, ms, PAIRS, "--steps", "100000", "--fresh");
        ck_assert_int_eq(result.status, 128 + SIGINT);
        advice = strstr(result.error, "; the same command without --fresh resumes\n");
    }
    ck_assert_ptr_nonnull(advice);
}
END_TEST

START_TEST(test_interrupt_of_one_of_several_models_names_it)
{
    support_write_pairs("train.tsv", 500, 1);
    const char *const argv[] = {PAIRS, "--steps", "100000", "--seed", "7", "--seeds", "2", NULL};
    interrupt_in_training(argv, "lookback train: seed 7", 0);
}
END_TEST

/* As `timeout` does, which signals the program and then its group. */
START_TEST(test_interrupt_sent_twice_in_an_instant_is_one_request)
{
    support_write_pairs("train.tsv", 500, 1);
    static const char *const seconds[] = {"1.5", "6", "24"};
    int step = -1;
    for (int i = 0; step <= 0 && i < 3; i++) {
        RUN("/bin/sh", "-c", "\"$@\" & sleep $0; kill -TERM $!; kill -TERM $!; wait $!", seconds[i], PAIRS,
            "--steps", "100000");
        ck_assert_int_eq(result.status, 128 + SIGTERM);
        step = interrupted_at("lookback train");
    }
    ck_assert_int_gt(step, 0);
}
END_TEST

/* A shell starts background programs with Ctrl-C ignored. */
START_TEST(test_interrupt_that_was_ignored_from_the_start_stays_ignored)
{
    support_write_pairs("train.tsv", 500, 1);
    RUN("/bin/sh", "-c", "trap '' INT; \"$@\" & sleep 1; kill -INT $!; wait $!", "sh", PAIRS);
    ck_assert_msg(result.status == 0, "status %d: %s", result.status, result.error);
}
END_TEST

int main(void)
{
    return support_run_tests("interrupt",
                             SUPPORT_TESTS(test_interrupt_of_train_by_ctrl_c_ends_with_the_same_bits,
                                           test_interrupt_of_train_by_sigterm_ends_with_the_same_bits,
                                           test_interrupt_of_sort_ends_with_the_same_bits,
                                           test_interrupt_of_compare_ends_with_the_same_bits,
                                           test_interrupt_ends_the_line_of_the_bar,
                                           test_interrupt_of_a_fresh_run_says_that_fresh_would_start_over,
                                           test_interrupt_of_one_of_several_models_names_it,
                                           test_interrupt_sent_twice_in_an_instant_is_one_request,
                                           test_interrupt_that_was_ignored_from_the_start_stays_ignored));
}
