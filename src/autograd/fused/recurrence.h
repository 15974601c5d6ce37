/* What the recurrent ops share, a GRU and an LSTM, with and without attention: their input, the division of their work
 * among threads, and the gradient of their gates. What is named lb_gru serves an LSTM, too. */
#ifndef LB_RECURRENCE_H
#define LB_RECURRENCE_H

#include "autograd/op.h"
#include "base/threads.h"
#include "tensor/panels.h"

#include <string.h>

/* ---- The input at each step: the input part of the gates, W_ih input + b_ih, and which rows are still active. ---- */

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

/** Reads operand `x` of a recurrent op. */
lb_gru_input lb_gru_input_of(const lb_node *node, int x);

/** Checks the lengths, and the shapes of the operands with these indices; the initial state is optional. */
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

/* ---- The team: how a step of a batch is divided among threads (base/team.h). Each group takes tiles of rows
 * (tensor/panels.h) through all steps, or every second, third ... row of a tile. In a step, each thread computes the
 * columns of its panels for all rows of its group, and then everything else that belongs to its units. No sum is
 * divided, so the bits do not depend on the team. ---- */

/** A thread of the team, and its part of the work. */
typedef struct lb_worker {
    const lb_team_thread *thread;
    const lb_gru_input *x;
    lb_row_tiles tiles;
    int64_t first_tile, end_tile; /* of the group */
    int64_t part, parts;          /* of a tile: every `parts`-th row from row `part` on */
    int64_t first_row, end_row;   /* in steps of `parts` */
    int64_t first_unit, end_unit; /* of the thread */
} lb_worker;

/** The grid for a recurrence with weights of `weights` numbers, each of which a row is multiplied with once in a step,
 *  and with `beside` more multiply-adds for a row in a step. One thread if the work is not worth more. */
lb_grid lb_recurrence_grid(const lb_gru_input *x, int64_t weights, int64_t beside);

lb_worker lb_worker_of(const lb_team_thread *thread, const lb_gru_input *x);

/** The rows that a worker takes alone: the first of them, and the way to the next. They are every `width`-th of the
 *  group, because the rows of a tile become shorter and shorter. */
static inline int64_t lb_worker_own_row(const lb_worker *worker)
{
    return worker->first_row + worker->thread->place * worker->parts;
}
static inline int64_t lb_worker_own_step(const lb_worker *worker)
{
    return worker->thread->grid.width * worker->parts;
}

static inline int64_t lb_worker_number(const lb_worker *worker)
{
    return (int64_t)worker->thread->group * worker->thread->grid.width + worker->thread->place;
}

/** The numbers of c in the worker's panels = a b + beta c, for the rows of the group that have a step at time `t`.
 *  Shapes: a [batch, depth], where b are the rows begin, ... of the weight; c [batch, columns]. */
void lb_worker_multiply(const lb_worker *worker, int64_t t, const lb_panels *weight, int64_t begin,
                        int64_t depth, lb_matrix a, lb_real beta, lb_real *c, int64_t stride);

/** Packs the worker's share of a weight. A barrier for all must follow before anyone multiplies with it. */
void lb_worker_pack(const lb_worker *worker, const lb_panels *weight);

/** numbers[i] = 0, on the calling thread. */
static inline void lb_clear(int64_t count, lb_real *numbers)
{
    memset(numbers, 0, (size_t)count * sizeof *numbers);
}

/** Divides the rows of a weight into `parts` equal parts, such as gates, and sets the panels of each: of the `inputs`
 *  columns from `column` on, transposed. With several steps they are packed, into memory on the tape; a single step
 *  would not recover the cost. Returns false if out of memory. */
bool lb_recurrence_panels(const lb_node *node, const lb_gru_input *x, const lb_tensor *weight, int64_t column,
                          int64_t inputs, int parts, lb_panels *panels);

/** The panels of a weight [depth, columns] for backward, which does not transpose it. Room for packing is taken from
 *  `parts`. */
lb_panels lb_recurrence_panels_back(const lb_gru_input *x, lb_parts *parts, lb_matrix weight, int64_t depth,
                                    int64_t columns);

/* ---- The gradient of the gates over all rows and steps, and the gradients that follow from it. ---- */

/** The location of the gradients; nothing is written twice. The input part is in the gradient of x, if that is set and
 *  not a table; otherwise it overwrites what forward saved. W_hh h + b_hh has the same gradient, but for the last gate
 *  of a GRU, n: that gradient overwrites the h_n that forward saved (lb_gru_gates_backward). */
typedef struct lb_gru_gradient {
    int64_t hidden, first; /* `first` gates before the last one */
    lb_real *x;            /* rows of (first + 1) hidden, x_stride apart */
    lb_real *last;         /* rows of hidden, last_stride apart: of W_hh h + b_hh for the last gate */
    int64_t x_stride, last_stride;
} lb_gru_gradient;

/** The location for all rows and steps. The rows of `saved` begin with the data saved by lb_gru_gates, or
 *  lb_lstm_gates. */
lb_gru_gradient lb_gru_gradient_in(const lb_node *node, int x, const lb_gru_input *input, lb_real *saved,
                                   int64_t saved_stride);

/** dstate [batch, hidden], with rows `stride` apart, += the gradient of step t times W_hh, in the worker's panels. */
void lb_gru_multiply_states_back(const lb_worker *worker, int64_t t, lb_gru_gradient gradient,
                                 const lb_panels *weight_hh, lb_real *dstate, int64_t stride);

/** Adds the gradient of the input part to operand `x`, if it is not there already. */
void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient);

/** The gradients of W_hh and b_hh, if they are required: sums over all rows. `previous` [rows, hidden] are the states
 *  before each step. */
void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh);

/* ---- A cell, a GRU or an LSTM, over a whole padded batch of sequences: the shared part of the two ops. ---- */

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
