/* Rows of scores as weights, for kernels: softmax, which is inlined, sparsemax and 1.5-entmax. */
#ifndef LB_SOFTMAX_ROW_H
#define LB_SOFTMAX_ROW_H

#include "tensor/elementary.h"
#include "tensor/kernel.h"
#include "tensor/sum.h"

#include <float.h>
#include <math.h>

/** The largest element of a row; -inf if it is empty. */
static inline lb_real lb_largest_inline(int64_t count, const lb_real *x)
{
    lb_real largest = -(lb_real)INFINITY;
#pragma omp simd reduction(max : largest)
    for (int64_t i = 0; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    /* The reduction may begin at the lowest finite number, as clang's does, which is more than -inf. */
    if (largest > -FLT_MAX) return largest;
    largest = -(lb_real)INFINITY;
    for (int64_t i = 0; i < count; i++) largest = x[i] > largest ? x[i] : largest;
    return largest;
}

/** Turns scores into weights that sum to 1. Hidden positions have the score -inf; a row of only hidden positions
 *  becomes zeros. */
static inline LB_INLINED void lb_softmax_row_inline(bool fused, int64_t count, lb_real *x)
{
    lb_real largest = lb_largest_inline(count, x), shift = largest == -(lb_real)INFINITY ? 0 : largest;
    LB_SUM(lb_real, sum, i, count, x[i] = lb_exp_inline(fused, x[i] - shift));
    lb_real inverse = sum == 0 ? 0 : 1 / sum;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) x[i] *= inverse;
}

/** ln sum_i e^(x_i - largest); -inf if all x_i are, with `largest` 0. */
double lb_log_normal(int64_t count, const lb_real *x, double *largest);

/* ---- Weights of which many are exactly zero: sparsemax and 1.5-entmax. With z = x for sparsemax and z = x / 2 for
 * entmax, a weight is max(z - tau, 0), or its square, where tau makes them sum to 1. A weight p has the slope s = 1 or
 * sqrt(p) within the support and 0 outside of it, and the gradient of the scores is s (d - mean), with the mean of d
 * weighted by s. (With s = p, that is the gradient of softmax.) ---- */

/** Turns scores into weights that sum to 1, in place; not for LB_SOFTMAX. Hidden positions have the score -inf; a row
 *  of only hidden positions becomes zeros. The threshold is exact up to the rounding of double.
 *  Cost: a few passes over the row, without sorting or memory. */
void lb_sparse_row(lb_normalizer normalizer, int64_t count, lb_real *x);

/** The slope of a weight. */
static inline lb_real lb_sparse_slope_inline(lb_normalizer normalizer, lb_real weight)
{
    if (normalizer == LB_ENTMAX) return (lb_real)sqrt((double)weight);
    return weight > 0 ? 1 : 0;
}

/** The mean of d, weighted by the slopes; 0 if all weights are. */
static inline lb_real lb_sparse_mean_inline(lb_normalizer normalizer, int64_t count, const lb_real *weights,
                                            const lb_real *d)
{
    lb_real sum = 0, slopes = 0;
    for (int64_t i = 0; i < count; i++) {
        lb_real slope = lb_sparse_slope_inline(normalizer, weights[i]);
        sum += slope * d[i];
        slopes += slope;
    }
    return slopes == 0 ? 0 : sum / slopes;
}

#endif
