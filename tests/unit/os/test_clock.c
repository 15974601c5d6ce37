/* The clock, and one that fails. */
#include "os/os.h"
#include "support/stop.h"
#include "support/suite.h"

START_TEST(test_clock_goes_on)
{
    int64_t before = lb_os_clock();
    support_advance_clock(2000000);
    int64_t after = lb_os_clock();
    ck_assert_int_ge(after - before, 2000000);
    ck_assert_int_ge(lb_os_clock(), after);
}
END_TEST

START_TEST(test_clock_that_fails_stands_still)
{
    support_fail_clock(true);
    int64_t first = lb_os_clock(), second = lb_os_clock();
    support_fail_clock(false);
    ck_assert_int_eq(first, 0);
    ck_assert_int_eq(second, 0);
}
END_TEST
