/* Walks two operands that broadcast to the same shape, row by row: a row runs along the last axis. */
#ifndef LB_BROADCAST_H
#define LB_BROADCAST_H

#include "tensor/shape.h"

typedef struct lb_broadcast {
    int64_t rows, width;    /* rows x width elements in the result */
    int64_t step_a, step_b; /* 1, or 0 if an operand repeats one element along the row */
    lb_shape shape;         /* of the result */
    int64_t stride_a[LB_MAX_DIMS], stride_b[LB_MAX_DIMS]; /* 0 along repeated axes */
} lb_broadcast;

/** `a` and `b` must broadcast. */
lb_broadcast lb_broadcast_new(lb_shape a, lb_shape b);

/** The start of row `row` of the result in the operands. */
void lb_broadcast_row(const lb_broadcast *broadcast, int64_t row, int64_t *offset_a, int64_t *offset_b);

#endif
