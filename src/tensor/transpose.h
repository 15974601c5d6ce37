/* Transposing a matrix. */
#ifndef LB_TRANSPOSE_H
#define LB_TRANSPOSE_H

#include "tensor/real.h"

#include <stdint.h>

/** to[j, i] = from[i, j]. Shapes: from [rows, columns] with rows `stride` apart, to [columns, rows]; they must not
 *  overlap. */
void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to);

/** The same on the calling thread; the rows of `to` are `to_stride` apart. */
void lb_transpose_strip(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to,
                        int64_t to_stride);

#endif
