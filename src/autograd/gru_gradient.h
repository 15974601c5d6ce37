/* The gradient of a GRU's gates over all rows and steps, and what follows from it: what the ops that are GRUs share in
 * backward. */
#ifndef LB_GRU_GRADIENT_H
#define LB_GRU_GRADIENT_H

#include "autograd/gru_input.h"

/** Nothing is written twice. The input's part stands in the gradient of x, if that is to be set and is no table, and
 *  else takes the place of what forward saved. W_hh h + b_hh has the same gradient for r and z; that of n stands where
 *  forward saved h_n (lb_gru_gates_backward). */
typedef struct lb_gru_gradient {
    int64_t hidden;
    lb_real *x; /* rows of 3 hidden, x_stride apart */
    lb_real *n; /* rows of hidden, n_stride apart: of W_hn h + b_hn */
    int64_t x_stride, n_stride;
} lb_gru_gradient;

/** Where it will stand, for all rows and steps: `saved` are rows that begin with what lb_gru_gates saved. */
lb_gru_gradient lb_gru_gradient_in(const lb_node *node, int x, const lb_gru_input *input, lb_real *saved,
                                   int64_t saved_stride);

/** The same from row number `first` on, with the next row `step` rows further. */
lb_gru_gradient lb_gru_gradient_rows(lb_gru_gradient all, int64_t first, int64_t step);

/** dstate [rows, hidden] += gradient W_hh; one thread's part. */
void lb_gru_add_state_gradient(lb_gru_gradient gradient, int64_t rows, const lb_tensor *weight_hh,
                               lb_real *dstate);

/** Gives operand `x` the gradient of the input's part, if it does not stand there already. */
void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient);

/** The gradients of W_hh and b_hh, if they are wanted: sums over all rows. `previous` [rows, hidden] are the states
 *  before. */
void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh);

#endif
