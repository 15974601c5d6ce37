/* The gates of an LSTM for one row, forward and backward.
 * Gates are in the order of PyTorch, i, f, g, o:
 *     i, f, o = sigmoid(x + W h + b)   g = tanh(x_g + W_g h + b_g)   c' = f c + i g   h' = o tanh(c')
 * where x = W_ih input + b_ih. The state of a row is [h; c].
 * Source: Hochreiter, Schmidhuber 1997; the forget gate: Gers, Schmidhuber, Cummins 2000. */
#ifndef LB_LSTM_KERNEL_H
#define LB_LSTM_KERNEL_H

#include "tensor/real.h"

#include <stdint.h>

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
