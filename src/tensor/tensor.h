/* The tensor: a shape, its values, and the gradient that backward accumulates. */
#ifndef LB_TENSOR_H
#define LB_TENSOR_H

#include "tensor/real.h"
#include "tensor/shape.h"

struct lb_error;
struct lb_tape;
struct lb_node;

/** A contiguous, row-major array of lb_real. It belongs to a tape and lives until lb_tape_reset, or it is a
 *  parameter, belongs to an lb_params and lives as long as that. */
typedef struct lb_tensor {
    lb_shape shape;
    lb_real *data;                /* NULL in a poison tensor: the result of an op that failed */
    lb_real *grad;                /* same shape as data; NULL while nothing has flowed back */
    bool requires_grad;           /* does backward have to reach it? */
    struct lb_tape *tape;         /* NULL for a parameter */
    struct lb_node *node;         /* the op that made it; NULL for a leaf */
    const struct lb_error *error; /* why it is poison; NULL in a sound tensor */
} lb_tensor;

/** Number of elements. */
static inline int64_t lb_count(const lb_tensor *tensor)
{
    return lb_shape_count(tensor->shape);
}

/** Length of an axis; -1 is the last. The axis must exist. */
static inline int64_t lb_dim(const lb_tensor *tensor, int axis)
{
    return lb_shape_dim(tensor->shape, axis);
}

#endif
