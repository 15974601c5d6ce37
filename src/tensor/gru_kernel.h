/* The gates of a GRU for one row, forward and backward.
 * Gates stand in PyTorch's order r, z, n:
 *     r = sigmoid(x_r + h_r)   z = sigmoid(x_z + h_z)   n = tanh(x_n + r h_n)   next = (1 - z) n + z previous
 * where x = W_ih input + b_ih and h = W_hh previous + b_hh.
 * Source: Cho et al. 2014, arXiv:1406.1078. Differs: there r multiplies `previous` before the product, here its
 * product, as in cuDNN and PyTorch. */
#ifndef LB_GRU_KERNEL_H
#define LB_GRU_KERNEL_H

#include "tensor/real.h"

#include <stdint.h>

/** What a row keeps for backward, each `hidden` long: r, z, n, h_n, previous; and where in it the last two are. */
enum { LB_GRU_SAVED = 5, LB_GRU_SAVED_H = 3, LB_GRU_SAVED_PREVIOUS = 4 };

/** One step of a row: `state` becomes the next one.
 *  Shapes: x [3 hidden], product [3 hidden] = W_hh previous, bias [3 hidden], state [hidden]
 *  -> output [hidden], the next state once more; saved [LB_GRU_SAVED hidden]. */
void lb_gru_gates(int64_t hidden, const lb_real *x, const lb_real *product, const lb_real *bias,
                  lb_real *state, lb_real *output, lb_real *saved);

/** The same back: `dstate`, the gradient of the next state, becomes the previous one's.
 *  Shapes: saved [LB_GRU_SAVED hidden], doutput [hidden], dstate [hidden] -> dx [3 hidden]; `dx` may be `saved`.
 *  The gradient of W_hh previous + b_hh is that of x for r and z; for n it takes the place of h_n in `saved`, where it
 *  costs no memory of its own. `dstate` gets only the direct path; the one through W_hh is the caller's. */
void lb_gru_gates_backward(int64_t hidden, lb_real *saved, const lb_real *doutput, lb_real *dx,
                           lb_real *dstate);

#endif
