/* References and cases of the ops in normalize.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "base/bytes.h"
#include "lookback/ops.h"

#include <math.h>

enum { X, WEIGHT, BIAS, BRANCH };

/* Element `i` of what is normalised. Only one op of a case drops anything, so its stream is the first of the tape. */
static double element(const lb_node *node, int64_t i)
{
    double x = (double)node->in[X]->data[i];
    if (node->inputs <= BRANCH) return x;
    double p = (double)((const lb_norm_attributes *)node->attributes)->dropout;
    const uint64_t counter = (uint64_t)i / 4;
    double uniform = lb_rng_bits((lb_rng){0}, counter).word[i % 4] / 4294967296.0;
    return uniform < p ? x : x + (double)node->in[BRANCH]->data[i] / (1 - p);
}

static void reference(const lb_node *node, double *const *out)
{
    int64_t width = lb_dim(node->in[X], -1);
    for (int64_t i = 0; i < lb_count(node->in[X]); i++) {
        int64_t row = i / width * width;
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < width; j++) mean += element(node, row + j) / (double)width;
        for (int64_t j = 0; j < width; j++) variance += pow(element(node, row + j) - mean, 2) / (double)width;
        double normal = (element(node, i) - mean) /
                        sqrt(variance + (double)((const lb_norm_attributes *)node->attributes)->epsilon);
        out[0][i] =
            normal * (double)node->in[WEIGHT]->data[i % width] + (double)node->in[BIAS]->data[i % width];
        if (node->inputs > BRANCH) out[1][i] = element(node, i);
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

static lb_tensor *sum_case(lb_tensor *const *in)
{
    return lb_add_standardize(in[X], in[BRANCH], in[WEIGHT], in[BIAS], (lb_real)1e-5, 0);
}

static lb_tensor *dropout_case(lb_tensor *const *in)
{
    lb_tape_seed(in[X]->tape, 0, 0);
    return lb_add_standardize(in[X], in[BRANCH], in[WEIGHT], in[BIAS], (lb_real)1e-5, (lb_real)0.3);
}

/* Both outputs are used. */
static lb_tensor *stream_case(lb_tensor *const *in)
{
    lb_tensor *first = lb_add_standardize(in[X], in[BRANCH], in[WEIGHT], in[BIAS], (lb_real)1e-5, 0);
    return lb_add_standardize(lb_op_output(first, 1), first, in[WEIGHT], in[BIAS], (lb_real)1e-5, 0);
}

static const lb_op_case cases[] = {
    {"three axes", 3, {LB_DIMS(2, 3, 5), LB_DIMS(5), LB_DIMS(5)}, .apply = norm_case},
    {"far from 0", 3, {LB_DIMS(3, 9), LB_DIMS(9), LB_DIMS(9)}, .low = 100, .high = 101, .apply = norm_case},
    {"an epsilon that matters", 3, {LB_DIMS(3, 4), LB_DIMS(4), LB_DIMS(4)}, .apply = large_epsilon_case},
};

static const lb_op_case sum_cases[] = {
    {"a residual connection",
     4,
     {LB_DIMS(2, 3, 5), LB_DIMS(5), LB_DIMS(5), LB_DIMS(2, 3, 5)},
     .apply = sum_case},
    {"a third of the branch is dropped",
     4,
     {LB_DIMS(3, 7), LB_DIMS(7), LB_DIMS(7), LB_DIMS(3, 7)},
     .apply = dropout_case},
    {"two, one after the other",
     4,
     {LB_DIMS(3, 9), LB_DIMS(9), LB_DIMS(9), LB_DIMS(3, 9)},
     .apply = stream_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("standardize", reference, cases),
    LB_OP_PROOF("add_standardize", reference, sum_cases),
};
const lb_op_proofs lb_proofs_normalize = {proofs, LB_LENGTH(proofs)};
