/* The recurrent part of a GRU over a padded sequence. The input part of the gates, W_ih x + b_ih, is an operand: one
 * product for all time steps. */
#include "autograd/fused/recurrence.h"
#include "lookback/ops.h"
#include "tensor/cell_kernel.h"

enum { X = LB_CELL_X };

static const lb_cell_op gru_op = {
    .op.name = "gru_sequence",
    .op.operands = "x initial? weight_hh bias_hh",
    .op.formula =
        "h_t = (1 - z) n + z h_(t-1), [r z] = sigmoid(x_rz + W_rz h_(t-1) + b_rz), n = tanh(x_n + r "
        "(W_n h_(t-1) + b_n))",
    .op.derivative = "back through time; dW += sum_t dgates_t' h_(t-1) as one product",
    .op.outputs = 2,
    .op.shape = lb_cell_shapes,
    .op.forward = lb_cell_forward,
    .op.work = LB_TRAINING(lb_cell_work),
    .op.backward = LB_TRAINING(lb_cell_backward),
    .op.can_set = 1U << X,
    .cell = {.gates = 3,
             .state = 1,
             .saved = LB_GRU_SAVED,
             .previous = LB_GRU_SAVED_PREVIOUS,
             .step = lb_gru_gates,
             .back = LB_TRAINING(lb_gru_gates_backward)},
};

/** A GRU over a padded batch of sequences, given the input part of the gates.
 *  Shapes:  x [batch, time, 3 hidden] = W_ih input + b_ih, gates in the order r, z, n; or, with `tokens` [batch, time]
 *           instead of NULL, a table [rows, 3 hidden] in which each token reads its row; initial [batch, hidden] or
 *           NULL for zeros; weight_hh [3 hidden, hidden]; bias_hh [3 hidden] -> outputs [batch, time, hidden], zero
 *           after the end of a row; output 1: the final state [batch, hidden].
 *  Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full. `reverse` starts at the end of each row.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:    O(batch time hidden^2).
 *  Source:  Cho et al. 2014, arXiv:1406.1078, in the variant of PyTorch (tensor/cell_kernel.h). */
lb_tensor *lb_gru_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                           lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_gru_attributes all = {.lengths = lengths, .reverse = reverse};
    if (tokens) all.tokens = *tokens;
    return lb_op_apply(&gru_op.op, LB_INPUTS(x, initial, weight_hh, bias_hh), &all, sizeof all);
}
