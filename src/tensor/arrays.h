/* Loops over plain arrays. */
#ifndef LB_ARRAYS_H
#define LB_ARRAYS_H

#include "lookback/base.h"
#include "tensor/kernel.h"

#include <stdint.h>

/* ---- Adding to memory and setting it: the last step of every backward. Large arrays are divided among the threads.
 * ---- */

/** to[i] += from[i]. */
void lb_add_to(int64_t count, const lb_real *from, lb_real *to);

/** to[i] += factor from[i]. */
void lb_add_scaled_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to);

/** moved[i] += share (goal[i] - moved[i]). */
void lb_move_towards(int64_t count, lb_real share, const lb_real *goal, lb_real *moved);

/** to[i] += the sum of column i of from [rows, width], whose rows are `stride` apart, row by row in order. */
void lb_add_rows_to(int64_t rows, int64_t width, const lb_real *from, int64_t stride, lb_real *to);

/** Row id[i] of to += row i of from [rows, width], whose rows are `stride` apart, in order; without ids, row i of
 *  `to`. */
void lb_add_at_rows(const int32_t *id, int64_t rows, int64_t width, const lb_real *from, int64_t stride,
                    lb_real *to);

/** to[i] = from[i]. */
void lb_copy_to(int64_t count, const lb_real *from, lb_real *to);

/** to[i] = factor from[i]. */
void lb_scale_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to);

/** to[i] = 0. */
void lb_set_zero(int64_t count, lb_real *to);

/* ---- The elements that dropout sets to zero: one rule for every op with dropout. ---- */

/** Writes the factors of elements `first` to first + count - 1: 0 with probability p, else 1 / (1 - p).
 *  Element i uses word i mod 4 of block i / 4 of the sequence, so the thread that computes it does not matter. */
void lb_dropout_mask(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor);

/* ---- Numbers that are not finite. ---- */

/** The index of the first of `count` numbers that is infinite or NaN; -1 if there is none. */
int64_t lb_first_not_finite(const lb_real *x, int64_t count);

#endif
