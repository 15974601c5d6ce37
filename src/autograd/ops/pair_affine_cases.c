/* References and cases of the ops in pair_affine.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { QUERY, KEYS, WEIGHT, BIAS };

static void reference(const lb_node *node, double *const *out)
{
    const lb_tensor *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    int64_t queries = lb_dim(node->in[QUERY], 1), keys = lb_dim(node->in[KEYS], 1), width = lb_dim(weight, 1),
            outputs = lb_dim(weight, 0);
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        int64_t output = i % outputs, pair = i / outputs, key = pair % keys, at = pair / keys;
        const lb_real *q = node->in[QUERY]->data + at * width;
        const lb_real *k = node->in[KEYS]->data + (at / queries * keys + key) * width;
        double sum = bias ? (double)bias->data[output] : 0;
        for (int64_t j = 0; j < width; j++)
            sum += (double)weight->data[output * width + j] * tanh((double)q[j] + (double)k[j]);
        out[0][i] = sum;
    }
}

static lb_tensor *biased_case(lb_tensor *const *in)
{
    return lb_pair_affine(in[QUERY], in[KEYS], in[WEIGHT], in[BIAS]);
}

static lb_tensor *plain_case(lb_tensor *const *in)
{
    return lb_pair_affine(in[QUERY], in[KEYS], in[WEIGHT], NULL);
}

static const lb_op_case cases[] = {
    {"with bias", 4, {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(3, 4), LB_DIMS(3)}, .apply = biased_case},
    {"without bias", 3, {LB_DIMS(3, 2, 3), LB_DIMS(3, 4, 3), LB_DIMS(5, 3)}, .apply = plain_case},
    {"several tiles", 3, {LB_DIMS(9, 2, 1), LB_DIMS(9, 1, 1), LB_DIMS(2, 1)}, .apply = plain_case},
    {"several blocks", 3, {LB_DIMS(1, 3, 1), LB_DIMS(1, 96, 1), LB_DIMS(1, 1)}, .apply = plain_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("pair_affine", reference, cases),
};
const lb_op_proofs lb_proofs_pair_affine = {proofs, LB_LENGTH(proofs)};
