/* The input of the recurrent ops, a GRU and an LSTM, at each step: the input part of the gates, W_ih input + b_ih, and
 * the rows of the batch that are still active. */
#ifndef LB_GRU_INPUT_H
#define LB_GRU_INPUT_H

#include "autograd/op.h"

/** The attributes of such an op. */
typedef struct lb_gru_attributes {
    lb_tokens tokens;       /* select rows of a table; tape NULL: x is not a table */
    const int32_t *lengths; /* [batch]; NULL: all rows are full */
    bool reverse;
    int64_t gates; /* 0: the three of a GRU; 4: an LSTM, whose state has two parts */
} lb_gru_attributes;

/** One row per row and step of the batch, or a table whose rows are selected by tokens and read in place. */
typedef struct lb_gru_input {
    const lb_tensor *x;     /* [batch, steps, gates hidden], or [rows, gates hidden] */
    const int32_t *id;      /* [batch, steps] rows of the table; NULL without a table */
    const int32_t *lengths; /* [batch]; NULL: all rows are full */
    int64_t batch, steps, hidden;
    int64_t gates; /* 3 or 4 */
} lb_gru_input;

/** Reads operand `x` of such an op. */
lb_gru_input lb_gru_input_of(const lb_node *node, int x);

/** Checks the shapes of the operands of such an op, x, an optional initial state, weight_hh and bias_hh, and the
 *  lengths. */
LB_MUST_USE lb_status lb_gru_input_check(const lb_node *node, int x, int initial, int weight_hh, int bias_hh);

/** The input part of the gates at row and step `at`: [gates hidden]. */
static inline const lb_real *lb_gru_input_row(const lb_gru_input *input, int64_t at)
{
    return input->x->data + (input->id ? input->id[at] : at) * input->gates * input->hidden;
}

/** The number of steps of a row. */
static inline int64_t lb_gru_input_length(const lb_gru_input *input, int64_t row)
{
    return input->lengths ? input->lengths[row] : input->steps;
}

/** Whether a row has a step at time `t`. */
static inline bool lb_gru_input_has(const lb_gru_input *input, int64_t row, int64_t t)
{
    return t < lb_gru_input_length(input, row);
}

#endif
