/* Additive attention of one query, by exponentials and without them, against the definition;
 * runs in both precisions. */
#include "lookback/base.h"
#include "support/suite.h"
#include "tensor/attention_kernel.h"

#include <math.h>
#include <stdio.h>

enum { KEYS = 3, MOST = 40 };

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-13, LARGEST = 350;
#else
static const double TOLERANCE = 4e-6, LARGEST = 43;
#endif

typedef struct attention {
    lb_real query[MOST], keys[KEYS * MOST], values[KEYS], v[MOST], powers[KEYS * MOST], power[MOST];
    lb_attended to;
} attention;

static void init(attention *a, int64_t width)
{
    a->to = (lb_attended){.count = KEYS, .width = width, .depth = 1};
    a->to.keys = a->keys;
    a->to.values = a->values;
    a->to.v = a->v;
    for (int k = 0; k < KEYS; k++) a->values[k] = (lb_real)(k + 1);
}

static void draw(int count, double size, uint64_t seed, uint32_t stream, lb_real *x)
{
    lb_rng rng = {.seed = seed, .stream = stream};
    for (int i = 0; i < count; i++) x[i] = (lb_real)(size * (2 * lb_rng_uniform(rng, (uint64_t)i) - 1));
}

static void draw_all(attention *a, double size, uint64_t seed)
{
    draw(MOST, size, seed, 0, a->query);
    draw(KEYS * MOST, size, seed, 1, a->keys);
    draw(MOST, 1, seed, 2, a->v);
}

static void use_powers(attention *a)
{
    ck_assert(lb_attend_exp2x(KEYS * a->to.width, a->keys, a->powers));
    a->to.exp2k = a->powers;
    a->to.exp2q = a->power;
}

/* The weights by their definition. */
static void expect(const attention *a, double *weights)
{
    double total = 0;
    for (int k = 0; k < KEYS; k++) {
        double score = 0;
        for (int64_t i = 0; i < a->to.width; i++)
            score += (double)a->v[i] * tanh((double)a->query[i] + (double)a->keys[k * a->to.width + i]);
        weights[k] = exp(score);
        total += weights[k];
    }
    for (int k = 0; k < KEYS; k++) weights[k] /= total;
}

static void assert_attends(const attention *a, const char *what)
{
    lb_real weights[KEYS], context;
    double expected[KEYS], sum = 0;
    expect(a, expected);
    lb_attend(&a->to, a->query, weights, &context);
    for (int k = 0; k < KEYS; k++) {
        ck_assert_msg(fabs((double)weights[k] - expected[k]) <= TOLERANCE * expected[k],
                      "%s, width %d, key %d: %.9g, not %.9g", what, (int)a->to.width, k, (double)weights[k],
                      expected[k]);
        sum += (k + 1) * expected[k];
    }
    ck_assert_double_eq_tol((double)context, sum, TOLERANCE * KEYS);
}

static const int64_t widths[] = {1, 7, 16, 23, 32, 40};

START_TEST(test_attend_with_powers_and_without_is_attention)
{
    for (int i = 0; i < 6; i++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            attention a;
            init(&a, widths[i]);
            draw_all(&a, seed % 2 ? 2 : 10, seed);
            assert_attends(&a, "without powers");
            use_powers(&a);
            assert_attends(&a, "with powers");
        }
}
END_TEST

/* Keys of one column, with their powers. */
static void init_column(attention *a, double v, double first, double second, double third)
{
    init(a, 1);
    a->v[0] = (lb_real)v;
    a->keys[0] = (lb_real)first;
    a->keys[1] = (lb_real)second;
    a->keys[2] = (lb_real)third;
    use_powers(a);
}

START_TEST(test_attend_sums_that_saturate_and_sums_that_cancel_are_as_the_definition_says)
{
    attention a;
    init_column(&a, 1, LARGEST, -LARGEST, LARGEST - 0.5);
    for (int sign = -1; sign <= 1; sign += 2) {
        a.query[0] = (lb_real)(sign * LARGEST);
        assert_attends(&a, "at the limit");
    }
}
END_TEST

/* Its power would be infinite, and so would its product with a small one. */
START_TEST(test_attend_query_that_has_no_power_is_exact_nevertheless)
{
    attention a;
    init_column(&a, 3, -LARGEST, 1 - LARGEST, 1);
    a.query[0] = (lb_real)(LARGEST + 6.5);
    assert_attends(&a, "beyond the limit");
}
END_TEST

START_TEST(test_attend_powers_beyond_the_limit_are_refused)
{
    enum { COUNT = 20 };
    lb_real powers[COUNT];
    for (int at = 0; at < COUNT; at++)
        for (int sign = -1; sign <= 1; sign += 2) {
            lb_real x[COUNT] = {0};
            x[at] = (lb_real)(sign * LARGEST);
            ck_assert(lb_attend_exp2x(COUNT, x, powers));
            ck_assert(isnormal(powers[at]));
            x[at] = (lb_real)(sign * (LARGEST + 0.01));
            ck_assert_msg(!lb_attend_exp2x(COUNT, x, powers), "%g at %d", (double)x[at], at);
        }
}
END_TEST

/* The gradients are the same with and without powers. */
START_TEST(test_attend_backward_is_the_same_with_powers_and_without)
{
    for (int i = 0; SUPPORT_ROW(i, widths); i++) {
        attention a;
        init(&a, widths[i]);
        draw_all(&a, 3, 7);
        lb_real weights[KEYS], context, dcontext = (lb_real)0.7, dweights[KEYS] = {1, -2, (lb_real)0.5};
        lb_real dscores[KEYS] = {0}, found[2][2 * KEYS * MOST + 2 * MOST] = {{0}};
        lb_attend(&a.to, a.query, weights, &context);
        for (int by = 0; by < 2; by++) {
            if (by) use_powers(&a);
            lb_real *d = found[by];
            lb_attended_grad into = {.keys = d,
                                     .values = d + KEYS * MOST,
                                     .v = d + 2 * KEYS * MOST,
                                     .query = d + 2 * KEYS * MOST + MOST,
                                     .scores = dscores};
            lb_attend_backward(&a.to, a.query, weights, &dcontext, dweights, into);
        }
        for (int j = 0; j < 2 * KEYS * MOST + 2 * MOST; j++)
            ck_assert_double_eq_tol((double)found[1][j], (double)found[0][j], TOLERANCE);
    }
}
END_TEST
