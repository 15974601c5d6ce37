/* The gradient of W_hh h + b_hh over all rows and steps of a GRU, and what follows from it: what the ops that are GRUs
 * share in backward. */
#ifndef LB_GRU_GRADIENT_H
#define LB_GRU_GRADIENT_H

#include "autograd/op.h"

/** In two parts, neither of which is written twice: that of r and z is also the gradient of the input's part of these gates, and
 *  that of n stands where forward saved h_n (lb_gru_gates_backward). */
typedef struct lb_gru_gradient {
    int64_t hidden;
    const lb_real *rz; /* rows of 2 hidden, rz_stride apart */
    const lb_real *n;  /* rows of hidden, n_stride apart */
    int64_t rz_stride, n_stride;
} lb_gru_gradient;

/** The same from row number `first` on, with the next row `step` rows further. */
lb_gru_gradient lb_gru_gradient_rows(lb_gru_gradient all, int64_t first, int64_t step);

/** dstate [rows, hidden] += gradient W_hh; one thread's part. */
void lb_gru_add_state_gradient(lb_gru_gradient gradient, int64_t rows, const lb_tensor *weight_hh,
                               lb_real *dstate);

/** The gradients of W_hh and b_hh, if they are wanted: sums over all rows. `previous` [rows, hidden] are the states before. */
void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh);

#endif
