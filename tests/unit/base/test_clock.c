/* The clock, and one that fails. */
#include "base/progress.h"
#include "support/stop.h"
#include "support/suite.h"

START_TEST(test_clock_goes_on)
{
    int64_t before = lb_clock();
    support_advance_clock(2000000);
    int64_t after = lb_clock();
    ck_assert_int_ge(after - before, 2000000);
    ck_assert_int_ge(lb_clock(), after);
}
END_TEST

START_TEST(test_clock_that_fails_stands_still)
{
    support_fail_clock(true);
    int64_t first = lb_clock(), second = lb_clock();
    support_fail_clock(false);
    ck_assert_int_eq(first, 0);
    ck_assert_int_eq(second, 0);
}
END_TEST
