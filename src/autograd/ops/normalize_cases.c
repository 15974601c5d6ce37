/* References and cases of the ops in normalize.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { X, WEIGHT, BIAS };

static void reference(const lb_node *node, double *const *out)
{
    int64_t width = lb_dim(node->in[X], -1);
    for (int64_t i = 0; i < lb_count(node->in[X]); i++) {
        const lb_real *row = node->in[X]->data + i / width * width;
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < width; j++) mean += (double)row[j] / (double)width;
        for (int64_t j = 0; j < width; j++) variance += pow((double)row[j] - mean, 2) / (double)width;
        double normal = ((double)node->in[X]->data[i] - mean) /
                        sqrt(variance + (double)*(const lb_real *)node->attributes);
        out[0][i] =
            normal * (double)node->in[WEIGHT]->data[i % width] + (double)node->in[BIAS]->data[i % width];
    }
}

static lb_tensor *norm_case(lb_tensor *const *in)
{
    return lb_standardize(in[X], in[WEIGHT], in[BIAS], (lb_real)1e-5);
}

static lb_tensor *large_epsilon_case(lb_tensor *const *in)
{
    return lb_standardize(in[X], in[WEIGHT], in[BIAS], (lb_real)0.1);
}

static const lb_op_case cases[] = {
    {"three axes", 3, {LB_DIMS(2, 3, 5), LB_DIMS(5), LB_DIMS(5)}, .apply = norm_case},
    {"far from 0", 3, {LB_DIMS(3, 9), LB_DIMS(9), LB_DIMS(9)}, .low = 100, .high = 101, .apply = norm_case},
    {"an epsilon that matters", 3, {LB_DIMS(3, 4), LB_DIMS(4), LB_DIMS(4)}, .apply = large_epsilon_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("standardize", reference, cases),
};
const lb_op_proofs lb_proofs_normalize = {proofs, LB_LENGTH(proofs)};
