/* References and cases of the ops in copy_mixture.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { LOGITS, WEIGHTS, GATE };

static void reference(const lb_node *node, double *const *out)
{
    const lb_tokens *symbols = node->attributes;
    int64_t classes = lb_dim(node->in[LOGITS], 2), steps = lb_dim(node->in[LOGITS], 1),
            keys = symbols->length;
    for (int64_t i = 0; i < lb_count(node->in[LOGITS]); i++) {
        int64_t at = i / classes, row = at / steps;
        const int32_t *symbol = symbols->id + row * keys;
        const lb_real *weights = node->in[WEIGHTS]->data + at * keys;
        double mass = 0, gate = (double)node->in[GATE]->data[at];
        double g = 1 / (1 + exp(-gate)), rest = 1 / (1 + exp(gate));
        for (int64_t k = 0; k < symbols->lengths[row]; k++)
            mass += symbol[k] == i % classes ? (double)weights[k] : 0;
        double chosen =
            log(g) + lb_reference_log_softmax(classes, node->in[LOGITS]->data + at * classes, i % classes);
        double taken = log(rest * mass), most = fmax(chosen, taken);
        out[0][i] = isinf(most) ? most : most + log(exp(chosen - most) + exp(taken - most));
    }
}

/* Symbols of two rows of four positions; the second row is shorter. */
static lb_tensor *mixed_case(lb_tensor *const *in)
{
    static const int32_t id[] = {1, 3, 1, 4, 2, 2, 0, 0}, lengths[] = {4, 2};
    return lb_copy_mixture(in[0], in[1], in[2], (lb_tokens){in[0]->tape, 2, 4, id, lengths});
}

static const lb_op_case cases[] = {
    {"repeated symbols, padded",
     3,
     {LB_DIMS(2, 3, 5), LB_DIMS(2, 3, 4), LB_DIMS(2, 3, 1)},
     .low = 0.1,
     .high = 2,
     .apply = mixed_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("copy_mixture", reference, cases),
};
const lb_op_proofs lb_proofs_copy_mixture = {proofs, LB_LENGTH(proofs)};
