/* References and cases of the ops in gru.c. */
#define SEQUENCE lb_gru_sequence
#define GATES    INT64_C(3)
#define PARTS    INT64_C(1)
#include "autograd/ops/cell_cases.h"

#include <math.h>
#include <string.h>

static void reference_step(const lb_node *node, const lb_real *x, double *state, double *output)
{
    int64_t hidden = lb_dim(node->in[WEIGHT], 1);
    for (int64_t j = 0; j < hidden; j++) {
        double r = 1 / (1 + exp(-(double)x[j] - product(node, state, j)));
        double z = 1 / (1 + exp(-(double)x[hidden + j] - product(node, state, hidden + j)));
        double n = tanh((double)x[2 * hidden + j] + r * product(node, state, 2 * hidden + j));
        output[j] = (1 - z) * n + z * state[j];
    }
    memcpy(state, output, (size_t)hidden * sizeof *state);
}

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("gru_sequence", reference, cases),
};
const lb_op_proofs lb_proofs_gru = {proofs, LB_LENGTH(proofs)};
