/* The softmax of one row, to be inlined into kernels. */
#ifndef LB_SOFTMAX_ROW_H
#define LB_SOFTMAX_ROW_H

#include "tensor/elementary.h"

#include <float.h>

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

#endif
