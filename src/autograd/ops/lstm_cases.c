/* References and cases of the ops in lstm.c. */
#define SEQUENCE lb_lstm_sequence
#define GATES    INT64_C(4)
#define PARTS    INT64_C(2)
#include "autograd/ops/cell_cases.h"

#include <math.h>
#include <string.h>

static void reference_step(const lb_node *node, const lb_real *x, double *state, double *output)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double i = 1 / (1 + exp(-(double)x[j] - product(node, state, j)));
        double f = 1 / (1 + exp(-(double)x[hidden + j] - product(node, state, hidden + j)));
        double g = tanh((double)x[2 * hidden + j] + product(node, state, 2 * hidden + j));
        double o = 1 / (1 + exp(-(double)x[3 * hidden + j] - product(node, state, 3 * hidden + j)));
        state[hidden + j] = f * state[hidden + j] + i * g;
        output[j] = o * tanh(state[hidden + j]);
    }
    memcpy(state, output, (size_t)hidden * sizeof *state);
}

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("lstm_sequence", reference, cases),
};
const lb_op_proofs lb_proofs_lstm = {proofs, LB_LENGTH(proofs)};
