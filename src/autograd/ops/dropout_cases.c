/* References and cases of the ops in dropout.c. */
#include "autograd/op_cases.h"
#include "base/bytes.h"
#include "lookback/ops.h"

/* Only one op runs in the case below, so its stream is the first of the tape. */
static void reference(const lb_node *node, double *const *out)
{
    double p = (double)*(const lb_real *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        lb_rng_block four = lb_rng_bits((lb_rng){0}, (uint64_t)i / 4);
        double uniform = four.word[i % 4] / 4294967296.0;
        out[0][i] = uniform < p ? 0 : (double)node->in[0]->data[i] / (1 - p);
    }
}

static lb_tensor *third_case(lb_tensor *const *in)
{
    lb_tape_seed(in[0]->tape, 0, 0);
    return lb_dropout(in[0], (lb_real)0.3);
}

static const lb_op_case cases[] = {{"a third", 1, {LB_DIMS(3, 7)}, .apply = third_case}};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("dropout", reference, cases),
};
const lb_op_proofs lb_proofs_dropout = {proofs, LB_LENGTH(proofs)};
