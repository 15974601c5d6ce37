/* References and cases of the ops in gru.c. */
#include "autograd/fused/recurrence.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>
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

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("gru_sequence", reference, cases),
};
const lb_op_proofs lb_proofs_gru = {proofs, LB_LENGTH(proofs)};
