/* The recurrent part of an LSTM, as for a GRU. */
#include "autograd/fused/recurrence.h"
#include "lookback/ops.h"
#include "tensor/cell_kernel.h"

enum { X = LB_CELL_X };
enum { GATES = 4 };

static const lb_cell_op lstm_op = {
    .op.name = "lstm_sequence",
    .op.operands = "x initial? weight_hh bias_hh",
    .op.formula = "c_t = f c_(t-1) + i g, h_t = o tanh c_t, [i f o] = sigmoid(x + W h_(t-1) + b), g = "
                  "tanh(x_g + W_g "
                  "h_(t-1) + b_g)",
    .op.derivative = "back through time; dW += sum_t dgates_t' h_(t-1) as one product",
    .op.outputs = 2,
    .op.shape = lb_cell_shapes,
    .op.forward = lb_cell_forward,
    .op.work = LB_TRAINING(lb_cell_work),
    .op.backward = LB_TRAINING(lb_cell_backward),
    .op.can_set = 1U << X,
    .cell = {.gates = GATES,
             .state = 2,
             .saved = LB_LSTM_SAVED,
             .previous = LB_LSTM_SAVED_H,
             .step = lb_lstm_gates,
             .back = LB_TRAINING(lb_lstm_gates_backward)},
};

/** An LSTM over a padded batch of sequences, given the input part of the gates.
 *  Shapes: x [batch, time, 4 hidden] = W_ih input + b_ih, gates in the order i, f, g, o, or a table as for
 *          lb_gru_sequence; initial [batch, 2 hidden] = [h; c] or NULL for zeros; weight_hh [4 hidden, hidden]; bias_hh
 *          [4 hidden] -> outputs [batch, time, hidden], the h of each step, zero after the end of a row; output 1: the
 *          final [h; c] [batch, 2 hidden].
 *  Lengths, errors, cost: as for lb_gru_sequence.
 *  Source: Hochreiter, Schmidhuber 1997, with the forget gate of Gers, Schmidhuber, Cummins 2000, as in PyTorch. */
lb_tensor *lb_lstm_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                            lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_gru_attributes all = {.lengths = lengths, .reverse = reverse, .gates = GATES};
    if (tokens) all.tokens = *tokens;
    return lb_op_apply(&lstm_op.op, LB_INPUTS(x, initial, weight_hh, bias_hh), &all, sizeof all);
}
