/* Shapes. Tensors are contiguous; the last dimension varies fastest. */
#ifndef LB_SHAPE_H
#define LB_SHAPE_H

#include "base/alloc.h"
#include "lookback/tensor.h"
#include <stdbool.h>
#include <stdint.h>

/** True if every dimension is 0 or more and the elements of double precision fit the address space. */
static inline bool lb_shape_valid(lb_shape shape)
{
    return lb_sizes_fit(shape.dim, shape.ndim, LB_MAX_DIMS);
}

/** The distance of two neighbours along the axis, in elements: the product of the dimensions after it. */
int64_t lb_shape_stride(lb_shape shape, int axis);

/** The axis counted from the front, or -1 if the shape does not have it. */
int lb_shape_axis(lb_shape shape, int axis);

/** The shape that both broadcast to by the rules of NumPy: aligned at the last dimension, 1 stretches.
 *  False if they do not broadcast; `result` is then unchanged. */
bool lb_shape_broadcast(lb_shape a, lb_shape b, lb_shape *result);

#endif
