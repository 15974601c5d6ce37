/* An operand seen as [outer, length, inner], where the middle axis is the one that an op works along. */
#ifndef LB_AXIS_H
#define LB_AXIS_H

#include "autograd/op.h"

typedef struct lb_axis {
    int64_t outer, length, inner;
} lb_axis;

/** `axis` may be negative: -1 is the last. Operand 0 of the node must have it. */
lb_axis lb_axis_of(const lb_node *node, int axis);

/** The index of the axis of operand 0; -1, with LB_ERROR_ARGUMENT recorded, if it has none. */
int lb_axis_check(const lb_node *node, int axis);

#endif
