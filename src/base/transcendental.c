#include "base/transcendental.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ln 2 and pi / 2 in parts. All but the last have so few bits that their products with integers are exact. */
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33,
                    LOG2_E = 0x1.71547652b82fep+0;
static const double HALF_PI[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double TWO_BY_PI = 0x1.45f306dc9c883p-1;

static double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* 2^n for -1022 <= n <= 1023 */
static double power_of_two(int n)
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* A number as the sum of two, of which the second is at most half a unit of the first. */
typedef struct pair {
    double high, low;
} pair;

/* x + y, for |x| >= |y| */
static pair sum_of(double x, double y)
{
    const double sum = x + y;
    return (pair){sum, y - (sum - x)};
}

static pair halves_of(double x)
{
    const double shifted = 134217729 * x, high = shifted - (shifted - x); /* 2^27 + 1 */
    return (pair){high, x - high};
}

/* x y without rounding. Source: Dekker 1971, doi:10.1007/BF01397083. */
static pair product_of(double x, double y)
{
    const double product = x * y;
    const pair a = halves_of(x), b = halves_of(y);
    return (pair){product, ((a.high * b.high - product) + a.high * b.low + a.low * b.high) + a.low * b.low};
}

/* e^(x + low) = 2^n (1 + rest), with |n ln 2| next to |x| < 1000 */
typedef struct exponential {
    int n;
    double rest;
} exponential;

static exponential exponential_of(double x, double low)
{
    static const double factor[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                                    1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                                    1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};
    const double n = nearest(x * LOG2_E), first = x - n * LN2_HIGH, second = low - n * LN2_LOW;
    const double r = first + second, lost = second - (r - first);
    double series = 0;
    for (int i = 0; i < (int)(sizeof factor / sizeof *factor); i++) series = series * r + factor[i];
    return (exponential){(int)n, r + (r * r * series + lost)};
}

static double exp_of_pair(double x, double low)
{
    if (isnan(x)) return x;
    if (x > 710) return (double)INFINITY;
    if (x < -746) return 0;
    const exponential e = exponential_of(x, low);
    /* In two steps, for results below the normal range. */
    return (1 + e.rest) * power_of_two(e.n / 2) * power_of_two(e.n - e.n / 2);
}

double lb_exp64(double x)
{
    return exp_of_pair(x, 0);
}

double lb_tanh64(double x)
{
    if (isnan(x)) return x;
    const double twice = 2 * (fabs(x) < 22 ? fabs(x) : 22);
    const exponential e = exponential_of(twice, 0);
    const double power = power_of_two(e.n), less_one = power * e.rest + (power - 1);
    return copysign(less_one / (less_one + 2), x);
}

/* ln x for a positive, finite x = 2^n m, with m between the roots of 1/2 and of 2: n ln 2 + 2 artanh s with
 * s = (m - 1) / (m + 1). */
static pair log_of(double x)
{
    static const double factor[] = {2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                                    2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};
    const uint64_t root = UINT64_C(0x3fe6a09e00000000), one = UINT64_C(0x3ff0000000000000);
    const bool small = x < 0x1p-1022;
    uint64_t bits;
    double m;
    if (small) x *= 0x1p54;
    memcpy(&bits, &x, sizeof bits);
    bits += one - root;
    const double n = (int)(bits >> 52) - 1023 - (small ? 54 : 0);
    bits = (bits & UINT64_C(0xfffffffffffff)) + root;
    memcpy(&m, &bits, sizeof m);
    const double f = m - 1, s = f / (2 + f), z = s * s;
    const pair below = sum_of(2, f), part = product_of(s, below.high);
    const double s_low = (((f - part.high) - part.low) - s * below.low) / below.high;
    double series = 0;
    for (int i = 0; i < (int)(sizeof factor / sizeof *factor); i++) series = series * z + factor[i];
    const double whole = n * LN2_HIGH;
    const pair sum = n < 0 || n > 0 ? sum_of(whole, 2 * s) : (pair){2 * s, 0};
    return sum_of(sum.high, sum.low + (n * LN2_LOW + (2 * s_low + s * z * series)));
}

double lb_log64(double x)
{
    if (!(x > 0)) return x < 0 ? (double)NAN : isnan(x) ? x : -(double)INFINITY;
    return isinf(x) ? x : log_of(x).high;
}

double lb_log1p64(double x)
{
    if (!(x > -1)) return x < -1 ? (double)NAN : isnan(x) ? x : -(double)INFINITY;
    if (isinf(x)) return x;
    const pair sum = x < 1 ? sum_of(1, x) : sum_of(x, 1), log = log_of(sum.high);
    return log.high + (log.low + sum.low / sum.high);
}

/* The sine of x, `quarters` of a turn on. */
static double sine(double x, int quarters)
{
    if (!isfinite(x)) return (double)NAN;
    if (fabs(x) > 0x1p42) x = fmod(x, 4 / TWO_BY_PI);
    const double n = nearest(x * TWO_BY_PI), most = nearest(n * 0x1p-20) * 0x1p20;
    const double first = (x - most * HALF_PI[0]) - (n - most) * HALF_PI[0], second = n * HALF_PI[1];
    const double both = first - second, lost = ((first - both) - second) - n * HALF_PI[2];
    const pair r = sum_of(both, lost);
    const double z = r.high * r.high;
    quarters += (int)(n - 4 * floor(n / 4));
    double y;
    if (quarters % 2 == 0) {
        static const double factor[] = {
            1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
            1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
        double series = 0;
        for (int i = 0; i < (int)(sizeof factor / sizeof *factor); i++) series = series * z + factor[i];
        y = r.high + (r.high * z * series + r.low * (1 - z / 2));
    } else {
        static const double factor[] = {
            1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
            1.0 / 40320,          -1.0 / 720,         1.0 / 24};
        double series = 0;
        for (int i = 0; i < (int)(sizeof factor / sizeof *factor); i++) series = series * z + factor[i];
        const pair line = sum_of(1, -z / 2);
        const double square_lost = product_of(r.high, r.high).low;
        y = line.high + (line.low + (z * z * series - r.high * r.low - square_lost / 2));
    }
    return quarters / 2 % 2 ? -y : y;
}

double lb_sin64(double x)
{
    return sine(x, 0);
}

double lb_cos64(double x)
{
    return sine(x, 1);
}

double lb_pow64(double x, double y)
{
    /* A larger power of another number than 1 is 0 or infinite. */
    static const double MOST = 0x1p65;
    const double base = fabs(x), half = y / 2;
    const bool whole = floor(y) >= y, odd = whole && floor(half) < half;
    if (y >= 0 && y <= 0) return 1;
    if (isnan(x) || isnan(y)) return x >= 1 && x <= 1 ? 1 : x + y;
    if (x < 0 && !whole && isfinite(x)) return (double)NAN;
    const double sign = signbit(x) && odd ? -1 : 1;
    if (base >= 1 && base <= 1) return sign;
    if (!(base > 0) || isinf(base)) return sign * ((base > 0) == (y > 0) ? (double)INFINITY : 0);
    y = y > MOST ? MOST : y < -MOST ? -MOST : y;
    const pair log = log_of(base), power = product_of(log.high, y);
    return sign * exp_of_pair(power.high, power.low + log.low * y);
}
