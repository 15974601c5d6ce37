/* How ops go through their operands: along an axis, or over two that broadcast to one shape. */
#ifndef LB_LOOPS_H
#define LB_LOOPS_H

#include "autograd/op.h"
#include "tensor/shape.h"

/* ---- An operand seen as [outer, length, inner], where the middle axis is the one that an op works along. ---- */

typedef struct lb_axis {
    int64_t outer, length, inner;
} lb_axis;

/** `axis` may be negative: -1 is the last. Operand 0 of the node must have it. */
lb_axis lb_axis_of(const lb_node *node, int axis);

/** The index of the axis of operand 0; -1, with LB_ERROR_ARGUMENT recorded, if it has none. */
int lb_axis_check(const lb_node *node, int axis);

/** The shape rule of ops that remove the axis, or `keep` it with length 1. */
lb_status lb_axis_removed(const lb_node *node, int axis, bool keep, lb_shape *out);

/* ---- Operands that broadcast to the same shape, row by row: a row runs along the last axis. ---- */

enum { LB_BROADCAST = 3 /* operands, at most */ };

typedef struct lb_broadcast {
    int64_t rows, width;                       /* rows x width elements in the result */
    lb_shape shape;                            /* of the result */
    int64_t stride[LB_BROADCAST][LB_MAX_DIMS]; /* of each of them; 0 along repeated axes */
    int64_t step[LB_BROADCAST];                /* 1, or 0 for one that repeats one element along the row */
} lb_broadcast;

/** The shapes must broadcast. */
lb_broadcast lb_broadcast_new(const lb_shape *operand, int count);

/** Writes where row `row` of the result starts in each operand. */
void lb_broadcast_row(const lb_broadcast *broadcast, int64_t row, int64_t at[LB_BROADCAST]);

/* ---- Ops of two operands that broadcast, element by element: all but the kernels of each op. ---- */

/** One row of an operand, or of its gradient: `step` is 0 if one element is used for the whole row. */
typedef struct lb_pair_row {
    const lb_real *value;
    lb_real *grad; /* NULL if nobody wants it */
    int64_t step;
} lb_pair_row;

/** The two kernels of an op, which are its attributes: its values along a row, and its gradients along a row. */
typedef struct lb_pair_kernels {
    void (*forward)(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out);
    void (*backward)(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad);
} lb_pair_kernels;

/** The shape rule, forward and backward of every such op. */
lb_status lb_pair_shape(const lb_node *node, lb_shape *out);
lb_status lb_pair_forward(lb_node *node);
void lb_pair_backward(lb_node *node);

/** The descriptor of such an op. */
#define LB_PAIR_OP(op, formula_text, derivative_text)                                                        \
    {                                                                                                        \
        .name = #op, .operands = "a b", .formula = formula_text, .derivative = derivative_text,              \
        .shape = lb_pair_shape, .forward = lb_pair_forward, .backward = LB_TRAINING(lb_pair_backward),       \
        .can_set = 1U | 1U << 1,                                                                             \
    }

/** What the operand contributes to element `i` of a result of this shape, for references. */
double lb_pair_operand(const lb_tensor *operand, lb_shape result, int64_t i);

#endif
