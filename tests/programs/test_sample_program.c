/* What the smallest program over the rooms of apps/ prints, and how it ends. */
#include "base/instruction_set.h"
#include "support/process.h"
#include "support/suite.h"
#include <lookback/tensor.h>

#include <stdio.h>

#define SAMPLE TEST_BIN_DIR "/sample_program"

/* The output of the sample program for these arguments */
static support_result run_sample(const char *a, const char *b)
{
    const char *const argv[] = {SAMPLE, a, b, NULL};
    support_result result;
    ck_assert(support_run(argv, NULL, &result));
    return result;
}

START_TEST(test_app_options_help_shows_options_defaults_and_wraps)
{
    support_result result = run_sample("--help", NULL);
    ck_assert_int_eq(result.status, 0);
    ck_assert_str_eq(result.error, "");
    ck_assert_str_eq(result.output,
                     "usage: sample_program [OPTION]... [LABEL]\n"
                     "Counts.\n"
                     "\n"
                     "Counting:\n"
                     "  -s, --steps N    how far to count (default: 3)\n"
                     "      --scale X    what to multiply with, explained at such a length that it\n"
                     "                   needs more than one line (default: 1)\n"
                     "      --way WAY    how to count: plain, doubled (default: plain)\n"
                     "\n"
                     "Other:\n"
                     "  -o, --out DIR    where to write (default: out)\n"
                     "      --seed SEED  where randomness begins (default: 1)\n"
                     "  -b, --broken     fail at the end\n"
                     "\n"
                     "  -h, --help       print this\n"
                     "  -V, --version    print the version\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_app_options_version_names_program_and_kernel)
{
    support_result result = run_sample("--version", NULL);
    ck_assert_int_eq(result.status, 0);
    char expected[128];
    snprintf(expected, sizeof expected, "sample_program (Lookback) %s\n%s\nloops for %s\n", lb_version(),
             lb_kernel_name(), lb_instruction_set_name());
    ck_assert_str_eq(result.output, expected);
    support_result_free(&result);
}
END_TEST

START_TEST(test_app_options_wrong_usage_is_one_line_and_status_2)
{
    support_result result = run_sample("--steps", "many");
    ck_assert_int_eq(result.status, 2);
    ck_assert_str_eq(result.output, "");
    ck_assert_str_eq(result.error,
                     "sample_program: --steps: expected a whole number from 0 to 1000000, found \"many\"\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_app_fail_control_characters_are_replaced)
{
    support_result result = run_sample("--broken", "--steps=0");
    ck_assert_int_eq(result.status, 65);
    ck_assert_str_eq(result.output, "");
    ck_assert_str_eq(result.error, "sample_program: numbers.txt:3: expected a number, found \"a?b\"\n");
    support_result_free(&result);
}
END_TEST

START_TEST(test_app_close_stdout_full_disk_is_status_74)
{
    const char *const argv[] = {SAMPLE, "--steps=0", NULL};
    const char *const help[] = {SAMPLE, "--help", NULL};
    support_result result;
    ck_assert(support_run_command(&(support_command){.argv = argv, .output_path = "/dev/full"}, &result));
    ck_assert_int_eq(result.status, 74);
    ck_assert_str_eq(result.error, "sample_program: cannot write standard output: No space left on device\n");
    support_run_as(&(support_command){.argv = help, .output_path = "/dev/full"}, &result);
    ck_assert_int_eq(result.status, 74);
    support_result_free(&result);
}
END_TEST

START_TEST(test_app_close_stdout_reader_gone_is_status_74_without_a_word)
{
    const char *const argv[] = {SAMPLE, "--steps=0", NULL};
    support_result result;
    ck_assert(support_run_command(&(support_command){.argv = argv, .close_output = true}, &result));
    ck_assert_int_eq(result.status, 74);
    ck_assert_str_eq(result.error, "");
    support_result_free(&result);
}
END_TEST
