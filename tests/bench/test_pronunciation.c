/* bench/pronunciation.sh on two languages of a few words; their quality is not tested. Its models are
 * of full size: too slow for sanitizers. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const environment[] = {"BIN=" BIN_DIR, NULL};

static void run(const char *const *arguments)
{
    const char *argv[16] = {"/bin/bash", SOURCE_DIR "/bench/pronunciation.sh"};
    for (int i = 0; arguments[i]; i++) argv[i + 2] = arguments[i];
    support_command command = {.argv = argv, .environment = environment, .directory = support_tempdir()};
    support_result_free(&support_run_result);
    ck_assert(support_run_command(&command, &support_run_result));
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static void write_languages(void)
{
    char path[SUPPORT_PATH];
    ck_assert_int_eq(mkdir(support_path(path, "data"), 0777), 0);
    support_write_pairs("data/one_train.tsv", 200, 1);
    support_write_pairs("data/one_dev.tsv", 20, 2);
    support_write_pairs("data/two_way_train.tsv", 100, 3);
    support_write_pairs("data/two_way_dev.tsv", 10, 4);
}

/* Runs it, and keeps the table that it prints; to be freed. */
static char *quick_table(void)
{
    RUN("--quick", "--out", "out", "data");
    support_assert_trained();
    char *table = strdup(support_run_result.output);
    ck_assert_ptr_nonnull(table);
    return table;
}

static void check_table(const char *table)
{
    static const char head[] =
        "| language | pairs | dev pairs | one model, mean of 1 | seed 1 | ensemble of 1 |";
    double mean, alone;
    const char *line = strstr(table, "\n| one |");
    ck_assert_int_eq(strncmp(table, head, sizeof head - 1), 0);
    ck_assert_msg(line != NULL, "%s", table);
    ck_assert_int_eq(sscanf(line, "\n| one | 200 | 20 | %lf | %lf | - | %*d |", &mean, &alone), 2);
    ck_assert_double_eq(mean, alone);
    ck_assert_ptr_nonnull(strstr(table, "\n| two_way | 100 | 10 |"));
    ck_assert_ptr_nonnull(strstr(table, "\n| mean |"));
}

START_TEST(test_pronunciation_quick_prints_a_row_for_each_language_and_keeps_it)
{
    size_t length;
    write_languages();
    char *first = quick_table();
    check_table(first);
    char *kept = support_content("out/pronunciation.md", &length);
    ck_assert_str_eq(kept, first);
    free(kept);
    ck_assert(support_exists("out/pronunciation-quick/two_way/model.safetensors"));
    char *second = quick_table();
    ck_assert_str_eq(second, first);
    ck_assert_str_eq(support_run_result.error, "");
    free(first);
    free(second);
}
END_TEST

START_TEST(test_pronunciation_other_pairs_are_not_taken_for_those_that_were_measured)
{
    write_languages();
    free(quick_table());
    support_write_pairs("data/one_dev.tsv", 30, 5);
    RUN("--quick", "--out", "out", "data");
    support_assert_refused(1, "one: cannot train; to start over, remove out/pronunciation-quick/one\n");
}
END_TEST

START_TEST(test_pronunciation_wrong_usage_is_told)
{
    char path[SUPPORT_PATH];
    RUN("--quick");
    support_assert_refused(2, "expected one folder of languages");
    RUN("--fast", ".");
    support_assert_refused(2, "unknown option --fast");
    RUN("--out");
    support_assert_refused(2, "--out: expected a folder");
    RUN("missing");
    support_assert_refused(66, "missing: found no such folder");
    ck_assert_int_eq(mkdir(support_path(path, "data"), 0777), 0);
    RUN("data");
    support_assert_refused(66, "data: found no LANG_train.tsv in it");
    support_write_pairs("data/one_train.tsv", 10, 1);
    RUN("--out", "out", "data");
    support_assert_refused(66, "data/one_dev.tsv: found no such file");
    RUN("--help");
    ck_assert_int_eq(support_run_result.status, 0);
    ck_assert_ptr_nonnull(strstr(support_run_result.output, "usage: bench/pronunciation.sh"));
}
END_TEST

int main(void)
{
    return support_run_tests(
        "pronunciation",
        SUPPORT_TESTS(test_pronunciation_quick_prints_a_row_for_each_language_and_keeps_it,
                      test_pronunciation_other_pairs_are_not_taken_for_those_that_were_measured,
                      test_pronunciation_wrong_usage_is_told));
}
