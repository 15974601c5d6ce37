/* The gradient of the gates of a GRU or an LSTM over all rows and steps, and the gradients that follow from it: the
 * shared part of backward in the recurrent ops. */
#ifndef LB_GRU_GRADIENT_H
#define LB_GRU_GRADIENT_H

#include "autograd/fused/recurrence.h"

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

/** dstate [batch, hidden], with rows `stride` apart, += the gradient of step t times W_hh, in the member's panels. */
void lb_gru_walk_states_back(const lb_walk *walk, int64_t t, lb_gru_gradient gradient,
                             const lb_panels *weight_hh, lb_real *dstate, int64_t stride);

/** Adds the gradient of the input part to operand `x`, if it is not there already. */
void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient);

/** The gradients of W_hh and b_hh, if they are required: sums over all rows. `previous` [rows, hidden] are the states
 *  before each step. */
void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh);

#endif
