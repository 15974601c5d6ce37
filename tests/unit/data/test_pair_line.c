/* Single lines in all formats. */
#include "data/pairs/pair_line.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static lb_error error;

static void expect_impossible(lb_pair_format format, const char *message)
{
    error = (lb_error){0};
    ck_assert_int_eq(lb_pair_format_check(&format, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
}

START_TEST(test_format_check_what_is_impossible_is_refused)
{
    expect_impossible((lb_pair_format){.source_column = -1}, "invalid column -1: columns count from 1");
    expect_impossible((lb_pair_format){.target_column = -3}, "invalid column -3: columns count from 1");
    expect_impossible((lb_pair_format){.source_column = 2}, "source and target cannot both be column 2");
    expect_impossible((lb_pair_format){.longest = LB_PAIR_LONGEST + 1},
                      "invalid length limit of 65536 symbols, expected 1 to 65535");
    expect_impossible((lb_pair_format){.longest = -1},
                      "invalid length limit of -1 symbols, expected 1 to 65535");
    expect_impossible((lb_pair_format){.target = {.separator = "\t"}},
                      "invalid symbol separator, expected UTF-8 without tabs and line ends");
    ck_assert_int_eq(lb_pair_format_check(&(lb_pair_format){.source_column = 2, .no_target = true}, NULL),
                     LB_OK);
}
END_TEST

START_TEST(test_line_read_takes_lines_from_anywhere)
{
    lb_pair_format format = {.source = {.normalize = LB_NORMAL_FORM_NFC}, .no_target = true};
    lb_pair_line pair = {0};
    ck_assert_int_eq(lb_pair_format_check(&format, &error), LB_OK);
    lb_line line = {.text = "\xEF\xBB\xBFye\u0301s", .length = 8, .number = 1};
    ck_assert_int_eq(lb_pair_line_read(&format, "standard input", &line, &pair, &error), LB_OK);
    ck_assert_uint_eq(pair.source.count, 3);
    ck_assert_str_eq(pair.source.symbol[1], "é");
    line = (lb_line){.text = "a\tb", .length = 3, .number = 2};
    ck_assert_int_eq(lb_pair_line_read(&format, "standard input", &line, &pair, &error), LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "standard input:2: found 2 columns, expected 1");
    ck_assert_int_eq(pair.bad, LB_LINE_COLUMNS);
    line = (lb_line){.text = "abc", .length = 3, .number = 3, .cut = true};
    ck_assert_int_eq(lb_pair_line_read(&format, "standard input", &line, &pair, NULL), LB_ERROR_FORMAT);
    ck_assert_int_eq(pair.bad, LB_LINE_LONG);
    line = (lb_line){.text = "abc", .length = 3, .number = 4};
    ck_assert_int_eq(lb_pair_line_read(&format, "standard input", &line, &pair, NULL), LB_OK);
    ck_assert_int_eq(pair.bad, LB_LINE_GOOD);
    lb_pair_line_free(&pair);
}
END_TEST

START_TEST(test_line_read_number_of_columns_is_that_of_the_first_good_one)
{
    static const char *const lines[] = {"a", "a\tb\tc", "a\tb", "a\tb\tc\td", "\t\tc"};
    static const lb_bad_line kinds[] = {LB_LINE_COLUMNS, LB_LINE_GOOD, LB_LINE_COLUMNS, LB_LINE_COLUMNS,
                                        LB_LINE_EMPTY};
    lb_pair_format format = {.source_column = 2, .target_column = 1};
    lb_pair_line pair = {0};
    for (int i = 0; SUPPORT_ROW(i, lines); i++) {
        lb_line line = {.text = lines[i], .length = strlen(lines[i]), .number = i + 1};
        lb_status status = lb_pair_line_read(&format, "lines", &line, &pair, NULL);
        ck_assert_int_eq(pair.bad, kinds[i]);
        ck_assert_int_eq(status, kinds[i] == LB_LINE_GOOD ? LB_OK : LB_ERROR_FORMAT);
    }
    ck_assert_int_eq(pair.columns, 3);
    lb_pair_line_free(&pair);
}
END_TEST

static void expect_source(lb_pair_format format, const char *text, const char *source, const char *target)
{
    lb_pair_line pair = {0};
    const char *found;
    size_t length;
    lb_line line = {.text = text, .length = strlen(text), .number = 2};
    ck_assert_msg(lb_pair_format_check(&format, &error) == LB_OK, "%s", error.message);
    ck_assert_msg(lb_pair_line_read(&format, "x", &line, &pair, &error) == LB_OK, "%s", error.message);
    ck_assert_str_eq(pair.target.symbol[0], target);
    ck_assert_str_eq(pair.source.symbol[pair.source.count - 1], "\tPL");
    ck_assert_int_eq(lb_pair_line_source(&format, "x", &line, &pair, &found, &length, &error), LB_OK);
    ck_assert_int_eq(strncmp(found, source, length), 0);
    ck_assert_uint_eq(length, strlen(source));
    lb_pair_line_free(&pair);
}

START_TEST(test_line_read_features_from_any_column)
{
    lb_pair_format format = {.source.features = ";", .target.separator = "|"};
    expect_source(format, "ox\tN;PL\toxen", "ox\tN;PL", "oxen");
    format.features_column = 3;
    expect_source(format, "ox\toxen\tN;PL", "ox\tN;PL", "oxen");
    format = (lb_pair_format){
        .source_column = 4, .features_column = 1, .source.features = ";", .target.separator = "|"};
    expect_source(format, "N;PL\toxen\t-\tox", "ox\tN;PL", "oxen");
    expect_impossible((lb_pair_format){.features_column = 1, .source.features = ";"},
                      "features and source cannot both be column 1");
    expect_impossible((lb_pair_format){.features_column = 3, .target_column = 3, .source.features = ";"},
                      "features and target cannot both be column 3");
    expect_source((lb_pair_format){.features_column = 3, .target.separator = "|"}, "ox\toxen\tN;PL",
                  "ox\tN;PL", "oxen");
    expect_impossible((lb_pair_format){.features_column = 3, .source.features = ""},
                      "features in column 3 need a separator, such as \";\"");
    expect_impossible((lb_pair_format){.source.features = "\t"},
                      "invalid symbol separator, expected UTF-8 without tabs and line ends");
}
END_TEST
