/* The recurrent part of a GRU over a whole padded sequence, in one op. The input part of the gates, W_ih x + b_ih, is an
 * operand: one product for all time steps. lb_unfused_gru_sequence computes the same in small steps. */
#include "autograd/fused/cell_sequence.h"
#include "autograd/fused/gru_input.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"
#include "tensor/gru_kernel.h"

#include <string.h>

enum { X = LB_CELL_X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS = LB_CELL_OUTPUTS, FINAL };

static double gate(const lb_node *node, const double *state, int64_t which)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    double sum = (double)node->in[BIAS]->data[which];
    for (int64_t j = 0; j < hidden; j++) sum += (double)node->in[WEIGHT]->data[which * hidden + j] * state[j];
    return sum;
}

static void reference_step(const lb_node *node, const lb_real *x, double *state, double *next)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double r = 1 / (1 + exp(-(double)x[j] - gate(node, state, j)));
        double z = 1 / (1 + exp(-(double)x[hidden + j] - gate(node, state, hidden + j)));
        double n = tanh((double)x[2 * hidden + j] + r * gate(node, state, 2 * hidden + j));
        next[j] = (1 - z) * n + z * state[j];
    }
    memcpy(state, next, (size_t)hidden * sizeof *state);
}

/* The rows of `out` serve as the memory of the state: of the outputs' row for the next state, of the final's for
 * this. */
static void reference(const lb_node *node, double *const *out)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    bool reverse = ((const lb_gru_attributes *)node->attributes)->reverse;
    int64_t steps = x.steps, hidden = x.hidden;
    for (int64_t row = 0; row < x.batch; row++) {
        double *state = out[FINAL] + row * hidden;
        for (int64_t j = 0; j < hidden; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * hidden + j] : 0;
        int64_t length = lb_gru_input_length(&x, row);
        for (int64_t i = 0; i < length; i++) {
            int64_t at = row * steps + (reverse ? length - 1 - i : i);
            reference_step(node, lb_gru_input_row(&x, at), state, out[OUTPUTS] + at * hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return lb_gru_sequence(in[0], NULL, NULL, in[1], in[2], NULL, false);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 0, 0, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, example_lengths};
    return lb_gru_sequence(in[X], &tokens, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)}, .apply = padded_case},
    {"padded, reverse",
     4,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)},
     .apply = reverse_case},
    {"no initial state", 3, {LB_DIMS(2, 3, 9), LB_DIMS(9, 3), LB_DIMS(9)}, .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, 3), LB_DIMS(3, 1), LB_DIMS(3)}, .apply = full_case},
    {"a table", 4, {LB_DIMS(5, 6), LB_DIMS(3, 2), LB_DIMS(6, 2), LB_DIMS(6)}, .apply = table_case},
};

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
    .op.work = lb_cell_work,
    .op.backward = lb_cell_backward,
    .op.can_set = 1U << X,
    .op.reference = reference,
    .op.cases = cases,
    .op.case_count = LB_LENGTH(cases),
    .cell = {.gates = 3,
             .state = 1,
             .saved = LB_GRU_SAVED,
             .previous = LB_GRU_SAVED_PREVIOUS,
             .step = lb_gru_gates,
             .back = lb_gru_gates_backward},
};

/** A GRU over a padded batch of sequences, given the input part of the gates.
 *  Shapes:  x [batch, time, 3 hidden] = W_ih input + b_ih, gates in the order r, z, n; or, with `tokens` [batch, time],
 *           a table [rows, 3 hidden] in which each token reads its row in place (NULL: no table); initial [batch,
 *           hidden] or NULL for zeros; weight_hh [3 hidden, hidden]; bias_hh [3 hidden]
 *           -> outputs [batch, time, hidden], zero after the end of a row; output 1: the final state [batch, hidden].
 *  Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full. `reverse` starts at the end of each row.
 *  Errors:  LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not in 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:    O(batch time hidden^2); threads fork once for all steps.
 *  Source:  Cho et al. 2014, arXiv:1406.1078, in the variant of PyTorch (tensor/gru_kernel.h). */
lb_tensor *lb_gru_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                           lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_gru_attributes all = {.lengths = lengths, .reverse = reverse};
    if (tokens) all.tokens = *tokens;
    return lb_op_apply(&gru_op.op, LB_INPUTS(x, initial, weight_hh, bias_hh), &all, sizeof all);
}

static const lb_op *const ops[] = {&gru_op.op};
const lb_op_family lb_family_gru = {ops, LB_LENGTH(ops)};
