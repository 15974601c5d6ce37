/* Shapes: how many dimensions, and how long each is. Tensors are contiguous, the last dimension varies fastest. */
#ifndef LB_SHAPE_H
#define LB_SHAPE_H

#include "lookback/tensor.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** True if every dimension is 0 or more and the elements of double precision fit the address space. */
bool lb_shape_valid(lb_shape shape);

/** Elements that lie between two neighbours along the axis: the product of the dimensions behind it. */
int64_t lb_shape_stride(lb_shape shape, int axis);

/** The axis counted from the front, or -1 if the shape does not have it. */
int lb_shape_axis(lb_shape shape, int axis);

/** The shape that both broadcast to by NumPy's rule: aligned at the last dimension, 1 stretches.
 *  False if they do not fit; then `result` is untouched. */
bool lb_shape_broadcast(lb_shape a, lb_shape b, lb_shape *result);

#endif
