/* The clock, and one that fails. */
#include "base/clock.h"
#include "support/clock.h"
#include "support/suite.h"

#include <time.h>

START_TEST(test_clock_goes_on)
{
    int64_t before = lb_clock();
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    ck_assert_int_ge(lb_clock() - before, 2000000);
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

int main(void)
{
    return support_run_tests("clock", SUPPORT_TESTS(test_clock_goes_on, test_clock_that_fails_stands_still));
}
