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

/** Widths that a row of saved gates holds: r, z, n, h_n, each `hidden` long; and which of them is h_n. */
enum { LB_GRU_SAVED = 4, LB_GRU_SAVED_H = 3 };

/** Shapes: x [3 hidden], product [3 hidden] = W_hh previous, bias [3 hidden], previous [hidden]
 *  -> next [hidden], saved [LB_GRU_SAVED hidden]. `next` may be `previous`. */
void lb_gru_gates(int64_t hidden, const lb_real *x, const lb_real *product, const lb_real *bias,
                  const lb_real *previous, lb_real *next, lb_real *saved);

/** Shapes: saved [LB_GRU_SAVED hidden], previous [hidden], dnext [hidden] -> dx [3 hidden], dprevious [hidden].
 *  The gradient of W_hh previous + b_hh is that of x for r and z; for n it takes the place of h_n in `saved`, where it costs no
 *  memory of its own. `dprevious` holds only the direct path; the one through W_hh is the caller's. `dprevious` may be
 *  `dnext`. */
void lb_gru_gates_backward(int64_t hidden, lb_real *saved, const lb_real *previous, const lb_real *dnext,
                           lb_real *dx, lb_real *dprevious);

#endif
