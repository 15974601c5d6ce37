/* exp, log, log1p, tanh, sin, cos and pow of our own against those of libm in more digits, and at special values. */
#include "base/transcendental.h"
#include "lookback/base.h"
#include "support/suite.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAWS = 50000 };

typedef struct function {
    const char *name;
    double (*own)(double);
    long double (*exact)(long double);
    double low, high;
    bool by_size; /* the exponent is drawn, between those of `low` and `high` */
    double units; /* the largest error that is promised */
} function;

static const function functions[] = {
    {"exp", lb_exp64, expl, -708, 709, false, 1},
    {"exp", lb_exp64, expl, -0.4, 0.4, false, 1},
    {"log", lb_log64, logl, DBL_MIN, DBL_MAX, true, 1},
    {"log", lb_log64, logl, 0.5, 2, false, 1},
    {"log1p", lb_log1p64, log1pl, 1e-30, 1e30, true, 1},
    {"log1p", lb_log1p64, log1pl, -0.999, 1, false, 1},
    {"tanh", lb_tanh64, tanhl, 1e-20, 30, true, 3},
    {"tanh", lb_tanh64, tanhl, -3, 3, false, 3},
    {"sin", lb_sin64, sinl, -7, 7, false, 1},
    {"sin", lb_sin64, sinl, 1e-10, 1.6e6, true, 1},
    {"cos", lb_cos64, cosl, -7, 7, false, 1},
    {"cos", lb_cos64, cosl, 1e-10, 1.6e6, true, 1},
};

static double draw(uint32_t stream, int64_t i, double low, double high, bool by_size)
{
    const double share = lb_rng_uniform((lb_rng){.seed = 5, .stream = stream}, (uint64_t)i);
    return by_size ? exp(log(low) + share * (log(high) - log(low))) : low + share * (high - low);
}

/* In units in the last place of the exact value. */
static double error_of(double found, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    return (double)(fabsl((long double)found - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

START_LOOP_TEST(test_transcendental_function_is_as_exact_as_promised, sizeof functions / sizeof *functions)
{
    const function *f = &functions[_i];
    double most = 0, at = 0;
    for (int64_t i = 0; i < DRAWS; i++) {
        const double x = draw((uint32_t)_i, i, f->low, f->high, f->by_size);
        const double error = error_of(f->own(x), f->exact((long double)x));
        if (!(error <= most)) most = error, at = x;
    }
    if (getenv("LOOKBACK_PRINT_ULP")) printf("%s: %.3f at %a\n", f->name, most, at);
    ck_assert_msg(most <= f->units, "%s(%a): %g units off, expected at most %g", f->name, at, most, f->units);
}
END_TEST

START_TEST(test_pow64_is_as_exact_as_promised)
{
    double most = 0, at = 0, to = 0;
    for (int64_t i = 0; i < DRAWS; i++) {
        const double x = draw(0, i, 1e-5, 1e5, true), y = draw(1, i, -60, 60, false);
        const double error = error_of(lb_pow64(x, y), powl((long double)x, (long double)y));
        if (!(error <= most)) most = error, at = x, to = y;
    }
    if (getenv("LOOKBACK_PRINT_ULP")) printf("pow: %.3f at %a, %a\n", most, at, to);
    ck_assert_msg(most <= 2, "pow(%a, %a): %g units off, expected at most 2", at, to, most);
}
END_TEST

/* Positions in long texts. */
START_TEST(test_sin64_of_large_numbers_is_as_exact_as_promised)
{
    for (int64_t i = 0; i < DRAWS; i++) {
        const double x = draw(2, i, -0x1p32, 0x1p32, false);
        ck_assert(fabsl((long double)lb_sin64(x) - sinl((long double)x)) <= 0x1p-52L);
        ck_assert(fabsl((long double)lb_cos64(x) - cosl((long double)x)) <= 0x1p-52L);
        ck_assert(fabs(lb_sin64(x * 0x1p400)) <= 1 && fabs(lb_cos64(x * 0x1p30)) <= 1);
    }
}
END_TEST

static const double special[] = {0.0, -0.0,   1,    -1,    2,       -2,       0.5,       -0.5,
                                 3,   -3,     1e19, -1e19, DBL_MAX, -DBL_MAX, DBL_MIN,   0x1p-1074,
                                 745, -745.5, 710,  -710,  1e-9,    INFINITY, -INFINITY, (double)NAN};

/* The same value as libm, which has exact ones here; NaN is NaN. */
static void check_same(const char *name, double found, double expected, double x, double y)
{
    const bool same = isnan(expected) ? isnan(found) : found >= expected && found <= expected;
    ck_assert_msg(same || fabs(found - expected) <= 1e-15 * fabs(expected),
                  "%s(%g, %g): found %.17g, expected %.17g", name, x, y, found, expected);
}

START_TEST(test_special_values_are_those_of_libm)
{
    for (size_t i = 0; SUPPORT_ROW(i, special); i++) {
        const double x = special[i];
        check_same("exp", lb_exp64(x), exp(x), x, 0);
        check_same("log", lb_log64(x), log(x), x, 0);
        check_same("log1p", lb_log1p64(x), log1p(x), x, 0);
        check_same("tanh", lb_tanh64(x), tanh(x), x, 0);
        if (!(fabs(x) > 1e6) || isinf(x)) {
            check_same("sin", lb_sin64(x), sin(x), x, 0);
            check_same("cos", lb_cos64(x), cos(x), x, 0);
        }
        for (size_t j = 0; SUPPORT_ROW(j, special); j++)
            check_same("pow", lb_pow64(x, special[j]), pow(x, special[j]), x, special[j]);
    }
}
END_TEST

/* Powers that are numbers themselves are exact. */
START_TEST(test_pow64_of_integers_is_exact)
{
    for (int x = -12; x <= 12; x++) {
        double power = 1;
        for (int y = 0; y <= 14; y++, power *= x) ck_assert(lb_pow64(x, y) == power);
    }
    for (int n = -1000; n <= 1000; n++) ck_assert(lb_pow64(2, n) == ldexp(1, n));
}
END_TEST
