#include "lookback/base.h"
#include "support/suite.h"

#include <string.h>

START_TEST(test_error_set_keeps_the_first_error)
{
    lb_error error = {0};
    ck_assert_int_eq(lb_error_set(&error, LB_ERROR_SHAPE, "first %d of %s", 7, "two"), LB_ERROR_SHAPE);
    ck_assert_int_eq(lb_error_set(&error, LB_ERROR_OPEN, "second"), LB_ERROR_OPEN);
    ck_assert_int_eq(error.status, LB_ERROR_SHAPE);
    ck_assert_str_eq(error.message, "first 7 of two");
}
END_TEST

START_TEST(test_error_set_without_error_returns_the_status)
{
    ck_assert_int_eq(lb_error_set(NULL, LB_ERROR_WRITE, "nobody reads %s", "this"), LB_ERROR_WRITE);
}
END_TEST

START_TEST(test_error_set_long_message_is_cut)
{
    char text[2 * LB_MESSAGE_LENGTH];
    lb_error error = {0};
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    lb_error_set(&error, LB_ERROR_FORMAT, "%s", text);
    ck_assert_uint_eq(strlen(error.message), LB_MESSAGE_LENGTH - 1);
}
END_TEST

START_TEST(test_text_and_exit_status_are_there_for_every_status)
{
    static const struct {
        lb_status status;
        int exit_status;
    } expected[] = {{LB_OK, 0},
                    {LB_ERROR_SHAPE, 1},
                    {LB_ERROR_ARGUMENT, 2},
                    {LB_ERROR_INDEX, 65},
                    {LB_ERROR_MEMORY, 1},
                    {LB_ERROR_FORMAT, 65},
                    {LB_ERROR_OPEN, 66},
                    {LB_ERROR_WRITE, 74},
                    {LB_ERROR_DIVERGED, 75},
                    {LB_ERROR_GRADIENT, 1},
                    {LB_ERROR_INTERRUPTED, 130},
                    {LB_ERROR_BUSY, 75}};
    const int count = (int)(sizeof expected / sizeof *expected);
    ck_assert_int_eq(count, LB_ERROR_BUSY + 1);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(lb_status_exit(expected[i].status), expected[i].exit_status);
        ck_assert_uint_gt(strlen(lb_status_text(expected[i].status)), 5);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(lb_status_text(expected[i].status), lb_status_text(expected[j].status));
    }
    ck_assert_str_eq(lb_status_text(LB_ERROR_DIVERGED), "training diverged");
}
END_TEST

START_TEST(test_text_of_a_number_that_is_no_status_says_so)
{
    const int none[] = {99, LB_ERROR_BUSY + 1, -1};
    for (int i = 0; SUPPORT_ROW(i, none); i++) {
        ck_assert_str_eq(lb_status_text((lb_status)none[i]), "unknown status");
        ck_assert_int_eq(lb_status_exit((lb_status)none[i]), 1);
    }
}
END_TEST
