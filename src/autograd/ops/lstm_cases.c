/* References and cases of the ops in lstm.c. */
#include "autograd/fused/recurrence.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/cell_kernel.h"

#include <math.h>
#include <string.h>

enum { X = LB_CELL_X, INITIAL, WEIGHT, BIAS };
enum { OUTPUTS = LB_CELL_OUTPUTS, FINAL };

static double gate(const lb_node *node, const lb_real *x, const double *h, int64_t which)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    double sum = (double)x[which] + (double)node->in[BIAS]->data[which];
    for (int64_t j = 0; j < hidden; j++) sum += (double)node->in[WEIGHT]->data[which * hidden + j] * h[j];
    return sum;
}

/* `next` serves as the memory of the next h. */
static void reference_step(const lb_node *node, const lb_real *x, double *state, double *next)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double i = 1 / (1 + exp(-gate(node, x, state, j)));
        double f = 1 / (1 + exp(-gate(node, x, state, hidden + j)));
        double g = tanh(gate(node, x, state, 2 * hidden + j));
        double o = 1 / (1 + exp(-gate(node, x, state, 3 * hidden + j)));
        state[hidden + j] = f * state[hidden + j] + i * g;
        next[j] = o * tanh(state[hidden + j]);
    }
    memcpy(state, next, (size_t)hidden * sizeof *state);
}

static void reference(const lb_node *node, double *const *out)
{
    lb_gru_input x = lb_gru_input_of(node, X);
    bool reverse = ((const lb_gru_attributes *)node->attributes)->reverse;
    for (int64_t row = 0; row < x.batch; row++) {
        double *state = out[FINAL] + row * 2 * x.hidden;
        for (int64_t j = 0; j < 2 * x.hidden; j++)
            state[j] = node->in[INITIAL] ? (double)node->in[INITIAL]->data[row * 2 * x.hidden + j] : 0;
        int64_t length = lb_gru_input_length(&x, row);
        for (int64_t i = 0; i < length; i++) {
            int64_t at = row * x.steps + (reverse ? length - 1 - i : i);
            reference_step(node, lb_gru_input_row(&x, at), state, out[OUTPUTS] + at * x.hidden);
        }
    }
}

static const int32_t example_lengths[] = {2, 4, 0};

static lb_tensor *padded_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, false);
}

static lb_tensor *reverse_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[X], NULL, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static lb_tensor *full_case(lb_tensor *const *in)
{
    return lb_lstm_sequence(in[0], NULL, NULL, in[1], in[2], NULL, false);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 0, 0, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, example_lengths};
    return lb_lstm_sequence(in[X], &tokens, in[INITIAL], in[WEIGHT], in[BIAS], example_lengths, true);
}

static const lb_op_case cases[] = {
    {"padded", 4, {LB_DIMS(3, 4, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)}, .apply = padded_case},
    {"padded, reverse",
     4,
     {LB_DIMS(3, 4, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)},
     .apply = reverse_case},
    {"no initial state", 3, {LB_DIMS(2, 3, 12), LB_DIMS(12, 3), LB_DIMS(12)}, .apply = full_case},
    {"several tiles", 3, {LB_DIMS(19, 2, 4), LB_DIMS(4, 1), LB_DIMS(4)}, .apply = full_case},
    {"a table", 4, {LB_DIMS(5, 8), LB_DIMS(3, 4), LB_DIMS(8, 2), LB_DIMS(8)}, .apply = table_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("lstm_sequence", reference, cases),
};
const lb_op_proofs lb_proofs_lstm = {proofs, LB_LENGTH(proofs)};
