/* Elementary functions that a compiler can vectorise: no branches, tables or calls.
 * `fused` is that of a kernel, or false. In double they are those of libm. In float, their error is at most 2 units in
 * the last place for exp and 3 for tanh and sigmoid (measured by tests/unit/tensor/test_elementary.c). Below -88.722,
 * exp(-x) overflows: sigmoid is then 0, although the exact value, less than 3e-39, would be a subnormal number.
 * Source: argument reduction after Cody and Waite; the polynomial is from expf in Cephes (S. L. Moshier). */
#ifndef LB_ELEMENTARY_H
#define LB_ELEMENTARY_H

#include "base/transcendental.h"
#include "tensor/kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE

static inline double lb_exp_inline(bool fused, double x)
{
    (void)fused;
    return lb_exp64(x);
}

static inline double lb_tanh_inline(bool fused, double x)
{
    (void)fused;
    return lb_tanh64(x);
}

#else

/* x = n ln 2 + r with |r| <= ln 2 / 2. Adding and subtracting 1.5 * 2^23 rounds to an integer, which is then in the low
 * bits of the sum. */
typedef struct lb_exp_parts {
    int32_t exponent; /* n */
    float remainder;  /* exp(r) - 1 */
} lb_exp_parts;

static inline lb_exp_parts lb_exp_reduce(bool fused, float x)
{
    const float shift = 12582912.0f;
    float shifted = lb_multiply_add(fused, x, 1.44269504088896341f, shift);
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    float n = shifted - shift;
    float r = lb_multiply_add(fused, n, -0.693359375f, x); /* this product has no rounding */
    r = lb_multiply_add(fused, n, 2.12194440e-4f, r);
    float p = 1.9875691500e-4f;
    p = lb_multiply_add(fused, p, r, 1.3981999507e-3f);
    p = lb_multiply_add(fused, p, r, 8.3334519073e-3f);
    p = lb_multiply_add(fused, p, r, 4.1665795894e-2f);
    p = lb_multiply_add(fused, p, r, 1.6666665459e-1f);
    p = lb_multiply_add(fused, p, r, 5.0000001201e-1f);
    p = lb_multiply_add(fused, p * r, r, r);
    return (lb_exp_parts){.exponent = (int32_t)(bits - 0x4B400000u), .remainder = p};
}

/* 2^n for -126 <= n <= 127 */
static inline float lb_power_of_two(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline float lb_exp_inline(bool fused, float x)
{
    float clamped = x < -104.0f ? -104.0f : x;
    clamped = clamped > 89.0f ? 89.0f : clamped;
    lb_exp_parts parts = lb_exp_reduce(fused, clamped);
    /* In two steps, so that results below the normal range and infinity are correct. */
    int32_t half = parts.exponent / 2;
    return (1.0f + parts.remainder) * lb_power_of_two(half) * lb_power_of_two(parts.exponent - half);
}

static inline float lb_tanh_inline(bool fused, float x)
{
    /* tanh(x) = e / (e + 2) with e = exp(2 |x|) - 1, which keeps its precision near zero. */
    float twice = 2.0f * fabsf(x);
    twice = twice > 40.0f ? 40.0f : twice;
    lb_exp_parts parts = lb_exp_reduce(fused, twice);
    float power = lb_power_of_two(parts.exponent);
    float e = lb_multiply_add(fused, power, parts.remainder, power - 1.0f);
    return copysignf(e / (e + 2.0f), x);
}

#endif

static inline lb_real lb_sigmoid_inline(bool fused, lb_real x)
{
    return 1 / (1 + lb_exp_inline(fused, -x));
}

#endif
