/* Ops of two operands that broadcast, element by element: all but the kernels of each op. */
#ifndef LB_PAIRWISE_H
#define LB_PAIRWISE_H

#include "autograd/op.h"

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
