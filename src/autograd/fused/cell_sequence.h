/* A cell, a GRU or an LSTM, over a whole padded batch of sequences: the shared part of the two ops. */
#ifndef LB_CELL_SEQUENCE_H
#define LB_CELL_SEQUENCE_H

#include "autograd/op.h"

/** Indices of the operands and outputs in a node. */
enum { LB_CELL_X, LB_CELL_INITIAL, LB_CELL_WEIGHT, LB_CELL_BIAS };
enum { LB_CELL_OUTPUTS, LB_CELL_FINAL };

enum { LB_MOST_GATES = 4 };

/** What differs between the cells; sizes are multiples of `hidden`. */
typedef struct lb_cell {
    int gates;
    int state;    /* of a row: h, and the c of an LSTM */
    int saved;    /* of a row and step */
    int previous; /* where the h before the step is saved */
    void (*step)(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product, const lb_real *bias,
                 lb_real *state, lb_real *output, lb_real *saved);
    void (*back)(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                 lb_real *dstate);
} lb_cell;

/** The descriptor of an op with its cell. */
typedef struct lb_cell_op {
    lb_op op; /* comes first */
    lb_cell cell;
} lb_cell_op;

/** The functions of the op. */
lb_status lb_cell_shapes(const lb_node *node, lb_shape *out);
lb_status lb_cell_forward(lb_node *node);
int64_t lb_cell_work(const lb_node *node);
void lb_cell_backward(lb_node *node);

#endif
