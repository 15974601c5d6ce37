/* The gates of a GRU and of an LSTM for one row, forward and backward. They are in the order of PyTorch. */
#ifndef LB_CELL_KERNEL_H
#define LB_CELL_KERNEL_H

#include "tensor/kernel.h"

#include <stdint.h>

/* ---- A GRU, with the gates r, z, n:
 *     r = sigmoid(x_r + h_r)   z = sigmoid(x_z + h_z)   n = tanh(x_n + r h_n)   next = (1 - z) n + z previous
 * where x = W_ih input + b_ih and h = W_hh previous + b_hh.
 * Source: Cho et al. 2014, arXiv:1406.1078. Differs: there r multiplies `previous` before the product, here its
 * product, as in cuDNN and PyTorch. ---- */

/** The numbers of a row that are saved for backward, each `hidden` long: r, z, n, h_n, previous; and the positions of
 *  the last two. */
enum { LB_GRU_SAVED = 5, LB_GRU_SAVED_H = 3, LB_GRU_SAVED_PREVIOUS = 4 };

/** One step of `count` units of a row, whose numbers the pointers point to: updates `state`. For all units, `count` is
 *  `hidden`, and the shapes are:
 *          x [3 hidden], product [3 hidden] = W_hh previous, bias [3 hidden], state [hidden]
 *  -> output [hidden], a copy of the next state; saved [LB_GRU_SAVED hidden]. */
void lb_gru_gates(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                  const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved);

/** The backward step of `count` units of a row: turns `dstate` from the gradient of the next state into that of the
 *  previous one.
 *  Shapes: saved [LB_GRU_SAVED hidden], doutput [hidden], dstate [hidden] -> dx [3 hidden]; `dx` may be `saved`.
 *  The gradient of W_hh previous + b_hh equals that of x for r and z; for n it overwrites h_n in `saved`, which needs
 *  no further memory. `dstate` gets only the direct path; the caller adds the path through W_hh. */
void lb_gru_gates_backward(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput, lb_real *dx,
                           lb_real *dstate);

/* ---- An LSTM, with the gates i, f, g, o:
 *     i, f, o = sigmoid(x + W h + b)   g = tanh(x_g + W_g h + b_g)   c' = f c + i g   h' = o tanh(c')
 * where x = W_ih input + b_ih. The state of a row is [h; c].
 * Source: Hochreiter, Schmidhuber 1997; the forget gate: Gers, Schmidhuber, Cummins 2000. ---- */

/** The numbers of a row that are saved for backward, each `hidden` long: i, f, g, o, tanh(c'), c, h; and the positions
 *  of the last three. */
enum { LB_LSTM_SAVED = 7, LB_LSTM_SAVED_TANH = 4, LB_LSTM_SAVED_C = 5, LB_LSTM_SAVED_H = 6 };

/** One step of `count` units of a row, whose numbers the pointers point to: updates `state`. For all units, `count` is
 *  `hidden`, and the shapes are:
 *          x [4 hidden], product [4 hidden] = W_hh h, bias [4 hidden], state [2 hidden]
 *  -> output [hidden], a copy of the next h; saved [LB_LSTM_SAVED hidden]. */
void lb_lstm_gates(int64_t hidden, int64_t count, const lb_real *x, const lb_real *product,
                   const lb_real *bias, lb_real *state, lb_real *output, lb_real *saved);

/** The backward step of `count` units of a row: turns the second half of `dstate` from the gradient of c' into that of
 *  c, and sets the first half, which was the gradient of h', to zero: the gradient of h comes through W_hh only.
 *  Shapes: saved [LB_LSTM_SAVED hidden], doutput [hidden], dstate [2 hidden] -> dx [4 hidden], which is also the
 *  gradient of W_hh h + b_hh; `dx` may be `saved`. */
void lb_lstm_gates_backward(int64_t hidden, int64_t count, lb_real *saved, const lb_real *doutput,
                            lb_real *dx, lb_real *dstate);

#endif
