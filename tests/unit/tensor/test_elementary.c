/* How far exp, tanh and sigmoid are from the exact value, in units in the last place (ulp) of a float. With the
 * environment variable LOOKBACK_PRINT_ULP set, prints the errors. It takes seconds, and belongs to verify. */
#include "support/suite.h"
#include "tensor/elementary.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LANES = 64 };

typedef void (*array_fn)(const float *x, float *y);

/* Once compiled like the kernels, for the instruction set of this processor, and once for any. */
LB_KERNEL(exp_kernel, (const float *x, float *y), (x, y))
{
    for (int i = 0; i < LANES; i++) y[i] = lb_exp_inline(fused, x[i]);
}

LB_KERNEL(tanh_kernel, (const float *x, float *y), (x, y))
{
    for (int i = 0; i < LANES; i++) y[i] = lb_tanh_inline(fused, x[i]);
}

LB_KERNEL(sigmoid_kernel, (const float *x, float *y), (x, y))
{
    for (int i = 0; i < LANES; i++) y[i] = lb_sigmoid_inline(fused, x[i]);
}

static float exp_alone(float x)
{
    return lb_exp_inline(false, x);
}

static float tanh_alone(float x)
{
    return lb_tanh_inline(false, x);
}

static float sigmoid_alone(float x)
{
    return lb_sigmoid_inline(false, x);
}

static void exp_plain(const float *x, float *y)
{
    for (int i = 0; i < LANES; i++) y[i] = exp_alone(x[i]);
}

static void tanh_plain(const float *x, float *y)
{
    for (int i = 0; i < LANES; i++) y[i] = tanh_alone(x[i]);
}

static void sigmoid_plain(const float *x, float *y)
{
    for (int i = 0; i < LANES; i++) y[i] = sigmoid_alone(x[i]);
}

static double exact_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The error in units in the last place of the exact value, which have constant size in the subnormal range. Beyond the
 * largest float, infinity is correct. */
static double error_in_ulp(float found, double exact)
{
    if (exact >= 0x1.ffffffp127) return isinf(found) && found > 0 ? 0 : INFINITY;
    int exponent;
    frexp(exact, &exponent);
    if (exact == 0 || exponent < FLT_MIN_EXP) exponent = FLT_MIN_EXP;
    return fabs((double)found - exact) / ldexp(1, exponent - FLT_MANT_DIG);
}

typedef struct worst {
    double error;
    float at;
} worst;

static void measure_lanes(array_fn found, double (*exact)(double), const float *x, worst *w)
{
    float y[LANES];
    found(x, y);
    for (int i = 0; i < LANES; i++) {
        double error = error_in_ulp(y[i], exact((double)x[i]));
        if (!(error <= w->error)) *w = (worst){error, x[i]};
    }
}

/* Floats from bit pattern `first` to `last`, every `stride`-th of them. */
static void measure(array_fn found, double (*exact)(double), uint32_t first, uint32_t last, uint32_t stride,
                    worst *w)
{
    float x[LANES];
    int filled = 0;
    for (uint64_t bits = first; bits <= last; bits += stride) {
        x[filled++] = float_of((uint32_t)bits);
        if (filled < LANES) continue;
        measure_lanes(found, exact, x, w);
        filled = 0;
    }
    for (int i = filled; i < LANES; i++) x[i] = float_of(last);
    measure_lanes(found, exact, x, w);
}

/* The worst error over floats from low to high (0 < low < high) and their negatives. */
static worst sweep(const char *name, array_fn found, double (*exact)(double), float low, float high,
                   bool negative)
{
    static const uint32_t SIGN = 0x80000000U;
    uint32_t first = bits_of(low), last = bits_of(high);
    uint32_t stride = (last - first) / (SUPPORT_SANITIZED ? 100000 : 1000000) + 1;
    worst w = {0, 0};
    measure(found, exact, first | (negative ? SIGN : 0), last | (negative ? SIGN : 0), stride, &w);
    if (getenv("LOOKBACK_PRINT_ULP"))
        printf("%s on %g..%g: %.4f ulp at %.9g\n", name, (double)(negative ? -low : low),
               (double)(negative ? -high : high), w.error, (double)w.at);
    return w;
}

typedef struct claim {
    const char *name;
    array_fn found;
    double (*exact)(double);
    double most;
    float lowest; /* the claim holds from here on */
} claim;

static const claim claims[] = {
    {"exp, kernel", exp_kernel, exp, 2, -FLT_MAX},
    {"exp, plain", exp_plain, exp, 2, -FLT_MAX},
    {"tanh, kernel", tanh_kernel, tanh, 3, -FLT_MAX},
    {"tanh, plain", tanh_plain, tanh, 3, -FLT_MAX},
    {"sigmoid, kernel", sigmoid_kernel, exact_sigmoid, 3, -88.72F},
    {"sigmoid, plain", sigmoid_plain, exact_sigmoid, 3, -88.72F},
};

START_TEST(test_error_over_all_magnitudes_is_within_the_claim)
{
    /* The ranges end where the functions change: subnormal, tiny, curved, saturated. */
    static const float edges[] = {0, FLT_MIN, 1e-20F, 1e-6F, 1e-3F,  0.1F, 0.5F, 1,
                                  4, 10,      20,     60,    88.72F, 90,   105,  FLT_MAX};
    for (int c = 0; SUPPORT_ROW(c, claims); c++)
        for (int i = 0; i + 1 < (int)(sizeof edges / sizeof *edges); i++)
            for (int negative = 0; negative < 2; negative++) {
                if (negative && -edges[i + 1] < claims[c].lowest) continue;
                worst w =
                    sweep(claims[c].name, claims[c].found, claims[c].exact, edges[i], edges[i + 1], negative);
                ck_assert_msg(w.error <= claims[c].most, "%s is off by %.3f ulp at %.9g", claims[c].name,
                              w.error, (double)w.at);
            }
}
END_TEST

START_TEST(test_sigmoid_where_exp_overflows_is_as_near_as_the_smallest_normal_number)
{
    worst w = {0, 0};
    measure(sigmoid_kernel, exact_sigmoid, bits_of(-88.72F), bits_of(-110), 7, &w);
    measure(sigmoid_plain, exact_sigmoid, bits_of(-88.72F), bits_of(-110), 7, &w);
    if (getenv("LOOKBACK_PRINT_ULP"))
        printf("sigmoid on -88.72..-110: %.4f ulp at %.9g\n", w.error, (double)w.at);
    ck_assert_double_le(w.error * 0x1p-149, (double)FLT_MIN);
    ck_assert(sigmoid_alone(-FLT_MAX) == 0);
    ck_assert(sigmoid_alone(-INFINITY) == 0);
}
END_TEST

START_TEST(test_special_values_are_exact)
{
    ck_assert(exp_alone(0.0F) == 1 && exp_alone(-0.0F) == 1);
    ck_assert(isinf(exp_alone(INFINITY)) && exp_alone(-INFINITY) == 0);
    ck_assert(isinf(exp_alone(FLT_MAX)) && exp_alone(-FLT_MAX) == 0);
    ck_assert(exp_alone(0x1p-149F) == 1);
    ck_assert(isfinite(exp_alone(88.72283F)) && isinf(exp_alone(88.7229F)));
    ck_assert(exp_alone(-103.0F) > 0); /* subnormal, not flushed */
    ck_assert(isnan(exp_alone(NAN)) && isnan(tanh_alone(NAN)) && isnan(sigmoid_alone(NAN)));
    ck_assert(isnan(exp_alone(-NAN)) && isnan(tanh_alone(-NAN)) && isnan(sigmoid_alone(-NAN)));
    ck_assert(tanh_alone(0.0F) == 0 && !signbit(tanh_alone(0.0F)));
    ck_assert(tanh_alone(-0.0F) == 0 && signbit(tanh_alone(-0.0F)));
    ck_assert(tanh_alone(INFINITY) == 1 && tanh_alone(-INFINITY) == -1);
    ck_assert(tanh_alone(FLT_MAX) == 1 && tanh_alone(-FLT_MAX) == -1);
    ck_assert(sigmoid_alone(0.0F) == 0.5F && sigmoid_alone(-0.0F) == 0.5F);
    ck_assert(sigmoid_alone(INFINITY) == 1 && sigmoid_alone(FLT_MAX) == 1);
}
END_TEST

START_TEST(test_special_values_in_a_vector_are_those_of_the_function)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, 0, FLT_MAX, -FLT_MAX, 0x1p-149F, -100};
    float x[LANES], y[LANES];
    static const struct {
        array_fn array;
        float (*one)(float);
    } functions[] = {{exp_kernel, exp_alone}, {tanh_kernel, tanh_alone}, {sigmoid_kernel, sigmoid_alone}};
    for (int i = 0; i < LANES; i++) x[i] = special[i % 8];
    for (int f = 0; f < 3; f++) {
        functions[f].array(x, y);
        for (int i = 0; i < LANES; i++) {
            float one = functions[f].one(x[i]);
            ck_assert_msg((isnan(one) && isnan(y[i])) || fabsf(y[i] - one) <= 4 * FLT_EPSILON * fabsf(one) ||
                              y[i] == one,
                          "function %d at %g: %g in a vector, %g alone", f, (double)x[i], (double)y[i],
                          (double)one);
        }
    }
}
END_TEST

START_TEST(test_tanh_is_odd)
{
    for (uint32_t bits = 0; bits < 0x7F800000U; bits += 9973) {
        float x = float_of(bits);
        SUPPORT_CHECK(tanh_alone(-x) == -tanh_alone(x), "at %.9g", (double)x);
    }
}
END_TEST
