/* Adding to memory and setting it: the last step of every backward. Large arrays are divided among the threads. */
#ifndef LB_ACCUMULATE_H
#define LB_ACCUMULATE_H

#include "tensor/real.h"

#include <stdint.h>

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

#endif
