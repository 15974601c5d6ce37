/* References and cases of the ops in additive_attention.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { QUERY, KEYS, VALUES, V, MASK };
enum { CONTEXT, WEIGHTS };

static void reference(const lb_node *node, double *const *out)
{
    int64_t queries = lb_dim(node->in[QUERY], 1), count = lb_dim(node->in[KEYS], 1),
            width = lb_dim(node->in[KEYS], 2), depth = lb_dim(node->in[VALUES], 2);
    for (int64_t at = 0; at < lb_dim(node->in[QUERY], 0) * queries; at++) {
        int64_t row = at / queries;
        const lb_real *keys = node->in[KEYS]->data + row * count * width, *v = node->in[V]->data,
                      *values = node->in[VALUES]->data + row * count * depth,
                      *mask = node->in[MASK] ? node->in[MASK]->data + row * count : NULL;
        double *weights = out[WEIGHTS] + at * count, *context = out[CONTEXT] + at * depth;
        const lb_real *query = node->in[QUERY]->data + at * width;
        for (int64_t k = 0; k < count; k++) {
            double score = 0;
            for (int64_t i = 0; i < width; i++)
                score += (double)v[i] * tanh((double)query[i] + (double)keys[k * width + i]);
            weights[k] = mask && mask[k] == 0 ? (double)-INFINITY : score;
        }
        lb_reference_weights(*(const lb_normalizer *)node->attributes, count, weights);
        for (int64_t k = 0; k < count; k++)
            for (int64_t i = 0; i < depth; i++) context[i] += weights[k] * (double)values[k * depth + i];
    }
}

static lb_tensor *masked_case(lb_tensor *const *in)
{
    return lb_attend_additive(in[QUERY], in[KEYS], in[VALUES], in[V], in[MASK]);
}

static lb_tensor *open_case(lb_tensor *const *in)
{
    return lb_attend_additive(in[QUERY], in[KEYS], in[VALUES], in[V], NULL);
}

static lb_tensor *hidden_row_case(lb_tensor *const *in)
{
    lb_tensor *mask = lb_length_mask(in[0]->tape, (const int32_t[]){2, 0}, 2, 3);
    return lb_attend_additive(in[QUERY], in[KEYS], in[VALUES], in[V], mask);
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    return lb_attend_additive_by(in[QUERY], in[KEYS], in[VALUES], in[V], in[MASK], LB_SPARSEMAX);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    return lb_attend_additive_by(in[QUERY], in[KEYS], in[VALUES], in[V], in[MASK], LB_ENTMAX);
}

static const lb_op_case cases[] = {
    {"masked",
     5,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 3), LB_DIMS(1, 4), LB_DIMS(2, 5)},
     .fixed = {[MASK] = true},
     .apply = masked_case},
    {"open", 4, {LB_DIMS(2, 2, 3), LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 2), LB_DIMS(3)}, .apply = open_case},
    {"a row with nothing to attend to",
     4,
     {LB_DIMS(2, 2, 3), LB_DIMS(2, 3, 3), LB_DIMS(2, 3, 2), LB_DIMS(3)},
     .apply = hidden_row_case},
    {"sparsemax",
     5,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 3), LB_DIMS(1, 4), LB_DIMS(2, 5)},
     .fixed = {[MASK] = true},
     .low = -2,
     .high = 2,
     .apply = sparsemax_case},
    {"entmax",
     5,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 3), LB_DIMS(1, 4), LB_DIMS(2, 5)},
     .fixed = {[MASK] = true},
     .low = -2,
     .high = 2,
     .apply = entmax_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("attend_additive", reference, cases),
};
const lb_op_proofs lb_proofs_additive_attention = {proofs, LB_LENGTH(proofs)};
