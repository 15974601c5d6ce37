/* exp, log, log1p, tanh, sin, cos and pow of our own, for all that decides the bits of models: those of libm differ
 * from system to system, and in glibc from processor to processor. They are written in sums, products and quotients
 * alone, which IEEE 754 rounds alike everywhere. Special values are those of C11, annex F. Errors are in units in the
 * last place, measured by tests/unit/base/test_transcendental.c. */
#ifndef LB_TRANSCENDENTAL_H
#define LB_TRANSCENDENTAL_H

/** e^x; at most 1 unit off. */
double lb_exp64(double x);

/** The natural logarithm; at most 1 unit off. */
double lb_log64(double x);

/** ln(1 + x); at most 1 unit off. */
double lb_log1p64(double x);

/** The hyperbolic tangent; at most 3 units off. */
double lb_tanh64(double x);

/** Sine and cosine; at most 1 unit off for |x| up to 1.6 million, and at most 2^-52 up to 2^32. Beyond 2^42, a period
 *  is 2 pi as a double. */
double lb_sin64(double x);
double lb_cos64(double x);

/** x^y; at most 2 units off. */
double lb_pow64(double x, double y);

#endif
