/* The input's part of a GRU's gates, W_ih input + b_ih, as the ops that are GRUs read it. */
#ifndef LB_GRU_INPUT_H
#define LB_GRU_INPUT_H

#include "autograd/op.h"

/** A row for each row and step of the batch; or a table whose rows the tokens choose, which are read where they stand. */
typedef struct lb_gru_input {
    const lb_tensor *x; /* [batch, steps, 3 hidden], or [rows, 3 hidden] */
    const int32_t *id;  /* [batch, steps] of the table's rows; NULL without a table */
    int64_t batch, steps, hidden;
} lb_gru_input;

/** Reads operand `x`; `tokens->tape` is NULL where there is no table. */
lb_gru_input lb_gru_input_of(const lb_node *node, int x, const lb_tokens *tokens);

/** Checks operands of a GRU against each other: x, an initial state (which may be left out), weight_hh and bias_hh. */
lb_status lb_gru_input_check(const lb_node *node, const lb_tokens *tokens, int x, int initial, int weight_hh,
                             int bias_hh);

/** What meets the gates at row and step number `at`: [3 hidden]. */
static inline const lb_real *lb_gru_input_row(const lb_gru_input *input, int64_t at)
{
    return input->x->data + (input->id ? input->id[at] : at) * 3 * input->hidden;
}

#endif
