#include "support/process.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/wait.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE TEST_BIN_DIR "/sample_program"

START_TEST(test_support_run_large_text_passes_both_ways)
{
    enum { LENGTH = 5000000 };
    char *text = malloc(LENGTH + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    const char *const argv[] = {"/bin/sh", "-c", "tee /dev/stderr; exit 3", NULL};
    support_result result;
    ck_assert(support_run(argv, text, &result));
    ck_assert_int_eq(result.status, 3);
    ck_assert_uint_eq(result.output_length, LENGTH);
    ck_assert_uint_eq(result.error_length, LENGTH);
    ck_assert_int_eq(memcmp(result.output, text, LENGTH + 1), 0);
    support_result_free(&result);
    free(text);
}
END_TEST

START_TEST(test_support_run_input_refused_is_no_trouble)
{
    char text[200000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    const char *const argv[] = {"/bin/sh", "-c", "exec <&-; echo done", NULL};
    support_result result;
    ck_assert(support_run(argv, text, &result));
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.output, "done\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_support_run_command_stops_at_an_event)
{
    const char *const argv[] = {SAMPLE, "--steps=100", NULL};
    support_result result;
    ck_assert(support_run_command(&(support_command){.argv = argv, .stop = "clock 50 KILL"}, &result));
    ck_assert_int_eq(result.status, 137);
    ck_assert_str_eq(result.output, "");
    support_run_as(&(support_command){.argv = argv, .stop = "clock 5 sh kill -TERM $PPID"}, &result);
    ck_assert_int_eq(result.status, 128 + SIGTERM);
    support_run_as(&(support_command){.argv = argv, .stop = SUPPORT_TICKING}, &result);
    ck_assert_int_eq(result.status, 0);
    support_result_free(&result);
}
END_TEST

static bool never(void *context)
{
    (void)context;
    return false;
}

START_TEST(test_support_wait_that_hangs_is_told)
{
    support_hang_seconds = 1;
    ck_assert(!support_wait_until(never, NULL, "nothing"));
}
END_TEST

START_TEST(test_support_run_command_environment_and_directory_are_set)
{
    const char *const argv[] = {"/bin/sh", "-c", "echo \"$PWD $NEW ${HOME-none}\"", NULL};
    const char *const environment[] = {"NEW=a b", "HOME", NULL};
    support_result result;
    ck_assert(support_run_command(
        &(support_command){.argv = argv, .environment = environment, .directory = "/"}, &result));
    ck_assert_str_eq(result.output, "/ a b none\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_support_run_command_terminal_is_one)
{
    const char *const argv[] = {"/bin/sh", "-c",
                                "test -t 2 && test ! -t 1 && stty size <&2 && echo $TERM${NO_COLOR+!}", NULL};
    support_result result;
    ck_assert(setenv("TERM", "dumb", 1) == 0 && setenv("NO_COLOR", "1", 1) == 0);
    ck_assert(support_run_command(&(support_command){.argv = argv, .terminal_columns = 61}, &result));
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.output, "24 61\nxterm\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_support_run_no_such_program_is_status_127)
{
    const char *const argv[] = {"/nowhere/program", NULL};
    support_result result;
    ck_assert(support_run(argv, NULL, &result));
    ck_assert_int_eq(result.status, 127);
    ck_assert_str_eq(result.error, "/nowhere/program: cannot run: No such file or directory\n");
    support_result_free(&result);
}
END_TEST
