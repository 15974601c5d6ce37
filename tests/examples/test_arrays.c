/* examples/arrays: the page shows two programs and names the third, each is short, and each learns what it says. */
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 60, WRITTEN = 60 };

static support_result result;

static char *read_source(const char *name, int *lines)
{
    char path[SUPPORT_PATH];
    size_t length;
    snprintf(path, sizeof path, SOURCE_DIR "/examples/arrays/%s.c", name);
    char *code = support_read_file(path, &length);
    *lines = 0;
    for (const char *at = code; *at; at++) *lines += *at == '\n';
    return code;
}

START_TEST(test_arrays_page_has_each_program_and_each_is_short)
{
    static const char *const names[] = {"regression", "classify_words", "character_model"};
    size_t length;
    for (int i = 0; i < 3; i++) {
        int count;
        char *code = read_source(names[i], &count),
             *page = support_read_file(SOURCE_DIR "/docs/arrays.md", &length);
        ck_assert_msg(count <= MOST_LINES, "%s has %d lines", names[i], count);
        ck_assert_msg(strstr(page, i < 2 ? code : "examples/arrays/character_model.c") != NULL,
                      "docs/arrays.md shows another %s", names[i]);
        free(page);
        free(code);
    }
}
END_TEST

static const char *run(const char *program)
{
    ck_assert(support_run((const char *const[]){program, NULL}, NULL, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    ck_assert_str_eq(result.error, "");
    return result.output;
}

START_TEST(test_arrays_regression_comes_near_the_noise)
{
    double loss, x, found, expected;
    const char *at = run(BIN_DIR "/regression");
    ck_assert_int_eq(sscanf(at, "mean squared error %lf, of which the noise is 0.010\n", &loss), 1);
    ck_assert_double_lt(loss, 0.03);
    for (int i = 0; i < 5; i++) {
        at = strchr(at, '\n') + 1;
        ck_assert_int_eq(sscanf(at, "x %lf: %lf, and sin(3x) is %lf", &x, &found, &expected), 3);
        ck_assert_double_eq_tol(found, expected, 0.3);
    }
    support_result_free(&result);
}
END_TEST

START_TEST(test_arrays_classifier_is_better_than_chance)
{
    double right;
    const char *output = run(BIN_DIR "/classify_words");
    ck_assert_int_eq(sscanf(output, "%lf %% of the words that are held out are right\n", &right), 1);
    ck_assert_double_gt(right, 45);
    ck_assert_ptr_nonnull(strstr(output, "\"schwarz\" is German\n"));
    support_result_free(&result);
}
END_TEST

START_TEST(test_arrays_model_of_characters_makes_up_words)
{
    const char *output = run(BIN_DIR "/character_model");
    ck_assert_uint_eq(strspn(output, "abcdefghijklmnopqrstuvwxyz "), WRITTEN - 1);
    ck_assert_ptr_nonnull(strchr(output, ' '));
    support_result_free(&result);
}
END_TEST
