/* Rows of scores as weights, to be inlined into kernels: softmax, sparsemax and 1.5-entmax. */
#ifndef LB_SOFTMAX_ROW_H
#define LB_SOFTMAX_ROW_H

#include "tensor/elementary.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

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
static inline void lb_softmax_row_inline(int64_t count, lb_real *x)
{
    lb_real largest = lb_largest_inline(count, x), sum = 0;
    lb_real shift = largest == -(lb_real)INFINITY ? 0 : largest;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) {
        x[i] = lb_exp_inline(x[i] - shift);
        sum += x[i];
    }
    lb_real inverse = sum == 0 ? 0 : 1 / sum;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) x[i] *= inverse;
}

/* ---- Weights of which many are exactly zero: sparsemax and 1.5-entmax. With z = x for sparsemax and z = x / 2 for
 * entmax, a weight is max(z - tau, 0), or its square, where tau makes them sum to 1. A weight p has the slope s = 1 or
 * sqrt(p) within the support and 0 outside of it, and the gradient of the scores is s (d - mean), with the mean of d
 * weighted by s. (With s = p, that is the gradient of softmax.) ---- */

/** The scores above a threshold, as distances from it. */
typedef struct lb_row_support {
    double count, sum, squares, least;
} lb_row_support;

/** The support of z = scale (x - largest). */
static inline lb_row_support lb_row_support_inline(double threshold, double scale, double largest,
                                                   int64_t count, const lb_real *x)
{
    double found = 0, sum = 0, squares = 0, least = (double)INFINITY;
#pragma omp simd reduction(+ : found, sum, squares) reduction(min : least)
    for (int64_t i = 0; i < count; i++) {
        double distance = scale * ((double)x[i] - largest) - threshold;
        bool above = distance > 0;
        found += above ? 1 : 0;
        sum += above ? distance : 0;
        squares += above ? distance * distance : 0;
        least = above && distance < least ? distance : least;
    }
    return (lb_row_support){found, sum, squares, least};
}

/** How far the threshold rises if the support stays as it is: the solution of sum (distance - rise) = 1 or, for entmax,
 *  of sum (distance - rise)^2 = 1, which may have none (NaN). */
static inline double lb_exact_rise_inline(lb_normalizer normalizer, lb_row_support s)
{
    if (normalizer == LB_SPARSEMAX) return (s.sum - 1) / s.count;
    return (s.squares - 1) / (s.sum + sqrt(s.sum * s.sum - s.count * (s.squares - 1)));
}

/** A step of Newton's method for the sum of distances or, for entmax, for the root of the sum of their squares. Both
 *  are convex functions of the threshold, so that no step passes the solution. */
static inline double lb_newton_rise_inline(lb_normalizer normalizer, lb_row_support s)
{
    if (normalizer == LB_SPARSEMAX) return (s.sum - 1) / s.count;
    return (s.squares - sqrt(s.squares)) / s.sum;
}

/** The threshold tau below the largest score, which is finite. It rises from -1, where the weights sum to at least 1.
 *  Each support on the way contains that of the solution; once they are the same, the exact rise ends the search. */
static inline double lb_sparse_threshold_inline(lb_normalizer normalizer, double scale, double largest,
                                                int64_t count, const lb_real *x)
{
    double threshold = -1;
    for (;;) {
        lb_row_support s = lb_row_support_inline(threshold, scale, largest, count, x);
        double rise = lb_exact_rise_inline(normalizer, s);
        if (rise <= s.least) return threshold + rise;
        rise = lb_newton_rise_inline(normalizer, s);
        if (!(threshold + rise > threshold)) return threshold;
        threshold += rise;
    }
}

/** Turns scores into weights that sum to 1, in place; not for LB_SOFTMAX. Hidden positions have the score -inf; a row
 *  of only hidden positions becomes zeros. The threshold is exact up to the rounding of double.
 *  Cost: a few passes over the row, without sorting or memory. */
static inline void lb_sparse_row_inline(lb_normalizer normalizer, int64_t count, lb_real *x)
{
    double largest = (double)lb_largest_inline(count, x), scale = normalizer == LB_ENTMAX ? 0.5 : 1;
    double threshold =
        isfinite(largest) ? lb_sparse_threshold_inline(normalizer, scale, largest, count, x) : 0;
    for (int64_t i = 0; i < count; i++) {
        double distance = scale * ((double)x[i] - largest) - threshold;
        /* Comparisons instead of fmax, which would hide NaN. */
        if (x[i] == -(lb_real)INFINITY || distance < 0) distance = 0;
        x[i] = (lb_real)(normalizer == LB_ENTMAX ? distance * distance : distance);
    }
}

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
