/* What the ops that are GRUs read at each step: the input's part of the gates, W_ih input + b_ih, and which rows of the
 * batch have a step left. */
#ifndef LB_GRU_INPUT_H
#define LB_GRU_INPUT_H

#include "autograd/op.h"

/** The attributes of such an op. */
typedef struct lb_gru_attributes {
    lb_tokens tokens;       /* that choose rows of a table; tape NULL: x is none */
    const int32_t *lengths; /* [batch]; NULL: all rows are full */
    bool reverse;
} lb_gru_attributes;

/** A row for each row and step of the batch; or a table whose rows the tokens choose, which are read where they
 *  stand. */
typedef struct lb_gru_input {
    const lb_tensor *x;     /* [batch, steps, 3 hidden], or [rows, 3 hidden] */
    const int32_t *id;      /* [batch, steps] of the table's rows; NULL without a table */
    const int32_t *lengths; /* [batch]; NULL: all rows are full */
    int64_t batch, steps, hidden;
} lb_gru_input;

/** Reads operand `x` of such an op. */
lb_gru_input lb_gru_input_of(const lb_node *node, int x);

/** Checks operands of a GRU against each other: x, an initial state (which may be left out), weight_hh and bias_hh; and
 *  the lengths. */
LB_MUST_USE lb_status lb_gru_input_check(const lb_node *node, int x, int initial, int weight_hh, int bias_hh);

/** What meets the gates at row and step number `at`: [3 hidden]. */
static inline const lb_real *lb_gru_input_row(const lb_gru_input *input, int64_t at)
{
    return input->x->data + (input->id ? input->id[at] : at) * 3 * input->hidden;
}

/** Steps of a row of the batch. */
static inline int64_t lb_gru_input_length(const lb_gru_input *input, int64_t row)
{
    return input->lengths ? input->lengths[row] : input->steps;
}

/** Whether a row of the batch has a step at time `t`. */
static inline bool lb_gru_input_has(const lb_gru_input *input, int64_t row, int64_t t)
{
    return t < lb_gru_input_length(input, row);
}

/** Of `height` rows, beginning with `first`, all up to the last one that has a step at time `t`, and as many more as
 *  are multiplied along with it. */
static inline int64_t lb_gru_input_height(const lb_gru_input *input, int64_t first, int64_t height, int64_t t)
{
    enum { TOGETHER = 4 };
    int64_t present = height;
    while (present > 0 && !lb_gru_input_has(input, first + present - 1, t)) present--;
    int64_t rounded = (present + TOGETHER - 1) / TOGETHER * TOGETHER;
    return rounded < height ? rounded : height;
}

#endif
