/* Moving a matrix so that its columns become rows. */
#ifndef LB_TRANSPOSE_H
#define LB_TRANSPOSE_H

#include "tensor/real.h"

#include <stdint.h>

/** to[j, i] = from[i, j]. Shapes: from [rows, columns] with rows `stride` apart, to [columns, rows]; they must not overlap. */
void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to);

#endif
