/* visualize, what its picture looks like: the range of the colours. */
#include "plot/figure.h"
#include "support/picture.h"
#include "support/process.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <lookback/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISUALIZE BIN_DIR "/visualize"

enum { ROWS = 2, COLUMNS = 3 };

static support_result result;

static void run(const char *const *argv)
{
    support_command command = {.argv = argv, .directory = support_tempdir()};
    support_result_free(&result);
    ck_assert(support_run_command(&command, &result));
    ck_assert_str_eq(result.output, "");
}

#define RUN(...) run((const char *const[]){VISUALIZE, "--matrix", "w.npy", __VA_ARGS__, NULL})

static void expect(int status, const char *error)
{
    ck_assert_str_eq(result.error, error);
    ck_assert_int_eq(result.status, status);
}

static const char *file(const char *name)
{
    static char path[SUPPORT_PATH];
    return support_path(path, name);
}

static void write_matrix(const double *values)
{
    ck_assert_int_eq(lb_npy_write(file("w.npy"), LB_DTYPE_F64, LB_SHAPE(ROWS, COLUMNS), values, NULL), LB_OK);
}

/* The picture NAME shows the values in this range, and its bar says so. */
static void shows(const char *name, const double *values, lb_heatmap range)
{
    lb_heatmap map = range;
    map.values = values;
    map.rows = ROWS;
    map.columns = COLUMNS;
    map.title = "Attention Weights";
    map.x_label = "Input Tokens (Keys)";
    map.y_label = "Output Tokens (Queries)";
    ck_assert_int_eq(lb_heatmap_save(&map, file("expected.png"), NULL), LB_OK);
    char expected[SUPPORT_PATH];
    snprintf(expected, sizeof expected, "%s", file("expected.png"));
    support_pictures_equal(file(name), expected);
}

static const double small[] = {0.1, 0.2, 0.3, 0.05, 0.25, 0.49}, large[] = {0.1, 0.2, 0.3, 0.05, 0.25, 0.5},
                    same[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25};

static const lb_heatmap unit = {.bar_label = "Attention Weight"},
                        data = {.range = LB_RANGE_DATA, .bar_label = "Attention Weight (data range)"},
                        given = {
                            .range = LB_RANGE_GIVEN, .min = -0.5, .max = 2, .bar_label = "Attention Weight"};

START_TEST(test_visualize_range_is_that_of_the_data_where_all_are_below_a_half)
{
    write_matrix(small);
    RUN("-o", "small.png");
    shows("small.png", small, data);
    write_matrix(large);
    RUN("-o", "large.png");
    shows("large.png", large, unit);
    write_matrix(same);
    RUN("-o", "same.png");
    shows("same.png", same, unit);
}
END_TEST

START_TEST(test_visualize_range_is_what_was_asked_for)
{
    write_matrix(small);
    RUN("-o", "unit.png", "--range", "0..1");
    shows("unit.png", small, unit);
    RUN("-o", "given.png", "--range=-0.5..2");
    shows("given.png", small, given);
    write_matrix(large);
    RUN("-o", "data.png", "--range", "data");
    shows("data.png", large, data);
}
END_TEST

START_TEST(test_visualize_range_that_is_none_is_wrong_usage)
{
    static const char *const wrong[] = {"",     "Data",  "0",    "0..",    "..1",      "1..0",
                                        "0..0", "0..1x", "a..b", "0..nan", "0...1.5.2"};
    write_matrix(small);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[200];
        snprintf(message, sizeof message,
                 "visualize: --range: expected data or LOW..HIGH, such as 0..1, found \"%s\"\n", wrong[i]);
        RUN("--range", wrong[i]);
        expect(2, message);
    }
    ck_assert_uint_eq(support_file_count(), 1);
}
END_TEST

int main(void)
{
    return support_run_tests(
        "visualize pictures",
        SUPPORT_TESTS(test_visualize_range_is_that_of_the_data_where_all_are_below_a_half,
                      test_visualize_range_is_what_was_asked_for,
                      test_visualize_range_that_is_none_is_wrong_usage));
}
