#include "plot/axis.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* All labels, separated by a space. */
static const char *labels(const lb_ticks *ticks)
{
    static char all[LB_MAX_TICKS * LB_TICK_TEXT];
    all[0] = '\0';
    for (int i = 0; i < ticks->count; i++) {
        char text[LB_TICK_TEXT];
        if (i) strcat(all, " ");
        strcat(all, lb_tick_format(ticks, i, text));
    }
    return all;
}

static const struct {
    double low, high;
    int most;
    const char *expected;
} linear[] = {
    {0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
    {0, 1, 5, "0.0 0.5 1.0"},
    {0, 3000, 7, "0 500 1000 1500 2000 2500 3000"},
    {0.13, 0.87, 6, "0.2 0.4 0.6 0.8"},
    {-1, 1, 5, "-1.0 -0.5 0.0 0.5 1.0"},
    {0.0001, 0.0005, 5, "0.0001 0.0002 0.0003 0.0004 0.0005"},
    {0, 4e6, 4, "0 2e+06 4e+06"},
    {0.1, 0.3, 3, "0.1 0.2 0.3"},
    {3, 3, 5, ""},
    {5, 1, 5, ""},
    {0, INFINITY, 5, ""},
    {NAN, 1, 5, ""},
};

START_LOOP_TEST(test_ticks_linear_are_round_and_fit, sizeof linear / sizeof linear[0])
{
    lb_ticks ticks = lb_ticks_linear(linear[_i].low, linear[_i].high, linear[_i].most);
    ck_assert_str_eq(labels(&ticks), linear[_i].expected);
}
END_TEST

START_TEST(test_ticks_linear_any_range_obeys_most_and_the_step)
{
    for (int i = 0; i < 2000; i++) {
        double low = sin(i * 1.7) * pow(10, i % 13 - 6), high = low + pow(1.37, i % 60 - 30);
        int most = 2 + i % 9;
        lb_ticks t = lb_ticks_linear(low, high, most);
        ck_assert_int_le(t.count, most);
        if (most >= 5) ck_assert_int_ge(t.count, 2); /* one tick is not a scale */
        double mantissa = t.step / pow(10, floor(log10(t.step) + 1e-9));
        ck_assert(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
        for (int k = 0; k < t.count; k++) {
            ck_assert_double_ge(t.value[k], low - 1e-6 * t.step);
            ck_assert_double_le(t.value[k], high + 1e-6 * t.step);
        }
    }
}
END_TEST

START_TEST(test_ticks_widen_reaches_the_next_ticks)
{
    double low = 0.04, high = 4.61;
    lb_ticks_widen(&low, &high, 6);
    ck_assert_double_eq_tol(low, 0, 1e-12);
    ck_assert_double_eq_tol(high, 5, 1e-12);
    low = 0, high = 1;
    lb_ticks_widen(&low, &high, 6);
    ck_assert_double_eq(low, 0);
    ck_assert_double_eq_tol(high, 1, 1e-12);
    low = 2, high = 2;
    lb_ticks_widen(&low, &high, 6);
    ck_assert_double_eq(low, 2);
    ck_assert_double_eq(high, 2);
}
END_TEST

static const struct {
    double low, high;
    int most;
    const char *expected;
} logarithmic[] = {
    {0.04, 6, 10, "0.05 0.1 0.2 0.5 1 2 5"},
    {1e-5, 10, 7, "1e-05 0.0001 0.001 0.01 0.1 1 10"},
    {1e-12, 1e12, 6, "1e-12 1e-07 0.01 1000 1e+08"},
    {0.18, 5.8, 4, "0.3 1 3"},
    {2.2, 4.8, 4, "3 4"},
    {0, 10, 6, ""},
    {-1, 10, 6, ""},
};

START_LOOP_TEST(test_ticks_log_are_powers_of_ten, sizeof logarithmic / sizeof logarithmic[0])
{
    lb_ticks ticks = lb_ticks_log(logarithmic[_i].low, logarithmic[_i].high, logarithmic[_i].most);
    ck_assert_str_eq(labels(&ticks), logarithmic[_i].expected);
}
END_TEST
