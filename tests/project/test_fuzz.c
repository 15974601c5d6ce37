/* tests/fuzz/fuzz.sh, with targets that only pretend: what it passes to them, and what it reports. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCRIPT SOURCE_DIR "/tests/fuzz/fuzz.sh"

enum { REPORT = 4 * SUPPORT_PATH };

static const char *bin, *runs;
static support_result result;

/* A target that notes its flags and prints a count as libFuzzer does; then comes `end`. */
static void pretend(const char *name, const char *end)
{
    char path[SUPPORT_PATH], text[REPORT];
    snprintf(text, sizeof text,
             "#!/bin/sh\necho \"$@\" >%s/%s.flags\n"
             "for flag; do case $flag in -artifact_prefix=*) prefix=${flag#*=} ;; esac; done\n"
             "echo 'stat::number_of_executed_units: 42' >&2\n%s\n",
             support_tempdir(), name, end);
    bin = support_path("bin");
    runs = support_path("runs");
    mkdir(bin, 0777);
    snprintf(path, sizeof path, "%s/bin/fuzz_%s", support_tempdir(), name);
    support_write_file(path, text, strlen(text));
    ck_assert_int_eq(chmod(path, 0755), 0);
}

static void fuzz(const char *first, const char *second)
{
    const char *const argv[] = {"/bin/bash", SCRIPT,     "--seconds", "400", "--seed", "7", "--bin",
                                bin,         "--folder", runs,        first, second,   NULL};
    support_result_free(&result);
    ck_assert(support_run(argv, NULL, &result));
}

static bool has_flag(const char *name, const char *flag)
{
    char file[64];
    size_t length;
    snprintf(file, sizeof file, "%s.flags", name);
    char *flags = support_read_file(support_path(file), &length);
    bool found = strstr(flags, flag) != NULL;
    free(flags);
    return found;
}

START_TEST(test_fuzz_prints_the_trials_of_each_target)
{
    pretend("grid", "");
    pretend("task", "");
    fuzz("grid", "task");
    support_expect(&result, 0, "fuzz grid: 42 trials, 0 failures\nfuzz task: 42 trials, 0 failures\n", "");
    ck_assert(has_flag("task", "-seed=7 "));
    /* Half of the seconds, or less if a second has passed before. */
    ck_assert(has_flag("grid", "-max_total_time=200 ") || has_flag("grid", "-max_total_time=19"));
    ck_assert(has_flag("task", "/runs/task/corpus")); /* a copy, which libFuzzer adds to */
}
END_TEST

START_TEST(test_fuzz_reports_a_failure_and_how_to_repeat_it)
{
    char expected[REPORT];
    pretend("grid", "echo oops >${prefix}crash-1; echo 'SUMMARY: AddressSanitizer: bad' >&2; exit 77");
    pretend("task", "");
    fuzz("grid", "task");
    snprintf(expected, sizeof expected,
             "fuzz grid: 42 trials, 1 failures\n"
             "FAILURE: fuzz grid, seed 7: SUMMARY: AddressSanitizer: bad; repeat with: %s/fuzz_grid "
             "%s/grid/failures/crash-1\n"
             "fuzz task: 42 trials, 0 failures\n",
             bin, runs);
    support_expect(&result, 1, expected, "");
    size_t length;
    free(support_read_file(support_path("runs/grid/failures/crash-1"), &length));
}
END_TEST

START_TEST(test_fuzz_reports_a_target_that_ends_without_an_input)
{
    pretend("grid", "");
    pretend("task", "exit 1");
    fuzz("grid", "task");
    ck_assert_int_eq(result.status, 1);
    ck_assert_ptr_nonnull(
        strstr(result.output, "fuzz task: 42 trials, 1 failures\nFAILURE: fuzz task, seed 7: see "));
}
END_TEST

START_TEST(test_fuzz_does_not_start_without_all_targets)
{
    pretend("grid", "");
    fuzz("grid", "none");
    ck_assert_int_eq(result.status, 2);
    ck_assert_ptr_nonnull(strstr(result.error, "fuzz_none: not found"));
    ck_assert_str_eq(result.output, "");
}
END_TEST
