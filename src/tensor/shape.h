/* Shapes: how many dimensions, and how long each is. Tensors are contiguous, the last dimension varies fastest. */
#ifndef LB_SHAPE_H
#define LB_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LB_MAX_DIMS = 6, LB_SHAPE_TEXT = 96 };

typedef struct lb_shape {
    int ndim; /* 0: a scalar */
    int64_t dim[LB_MAX_DIMS];
} lb_shape;

/** The shape with these dimensions: LB_SHAPE(32, 10, 128). A scalar is (lb_shape){0}.
 *  LB_DIMS is the same as an initialiser, for tables. */
#define LB_SHAPE(...) ((lb_shape)LB_DIMS(__VA_ARGS__))
#define LB_DIMS(...)                                                                                         \
    {                                                                                                        \
        .ndim = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .dim = { __VA_ARGS__ }            \
    }

/** Number of elements; 1 for a scalar. */
static inline int64_t lb_shape_count(lb_shape shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape.ndim; d++) count *= shape.dim[d];
    return count;
}

/** True if every dimension is 0 or more and the elements of double precision fit the address space. */
bool lb_shape_valid(lb_shape shape);

bool lb_shape_equal(lb_shape a, lb_shape b);

/** Length of a dimension; negative axes count from the end, -1 is the last. `axis` must exist. */
int64_t lb_shape_dim(lb_shape shape, int axis);

/** Elements that lie between two neighbours along the axis: the product of the dimensions behind it. */
int64_t lb_shape_stride(lb_shape shape, int axis);

/** The axis counted from the front, or -1 if the shape does not have it. */
int lb_shape_axis(lb_shape shape, int axis);

/** The shape that both broadcast to by NumPy's rule: aligned at the last dimension, 1 stretches.
 *  False if they do not fit; then `result` is untouched. */
bool lb_shape_broadcast(lb_shape a, lb_shape b, lb_shape *result);

/** Writes "[32,10,128]" into `text` (LB_SHAPE_TEXT bytes) and returns it. */
char *lb_shape_format(lb_shape shape, char text[LB_SHAPE_TEXT]);

#endif
