/* References and cases of the ops in dot_attention.c. */
#include "autograd/fused/dot_attention.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

enum { QUERY = LB_DOT_QUERY, KEYS = LB_DOT_KEYS, VALUES = LB_DOT_VALUES, MASK = LB_DOT_MASK };
enum { CONTEXT = LB_DOT_CONTEXT, WEIGHTS = LB_DOT_WEIGHTS };

/* What softmax reads for query `i` and key `k`, by the definition; -inf where the key is hidden. */
static double score_of(const lb_node *node, int64_t index, int64_t i, int64_t k)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    lb_dot_head h = lb_dot_head_of(node, index);
    int64_t here = options->first + i;
    lb_dot_cover mask = lb_dot_cover_of(node, MASK, index), bias = lb_dot_cover_of(node, LB_DOT_BIAS, index);
    double score = 0, cap = (double)options->softcap,
           added = bias.data ? (double)bias.data[bias.at + i * bias.row + k * bias.step] : 0;
    for (int64_t j = 0; j < h.query.width; j++)
        score += (double)h.query.data[i * h.query.row + j] * (double)h.keys.data[k * h.keys.row + j];
    score *= (double)options->scale;
    if (mask.data && mask.data[mask.at + i * mask.row + k * mask.step] == 0) added = -(double)INFINITY;
    if (cap > 0 && options->cap_biased)
        score = cap * tanh((score + added) / cap);
    else
        score = (cap > 0 ? cap * tanh(score / cap) : score) + added;
    if (options->window.on && options->window.left >= 0 && k < here - options->window.left) return -INFINITY;
    if (options->window.on && options->window.right >= 0 && k > here + options->window.right)
        return -INFINITY;
    return score;
}

/* The definition without dropout. */
static void reference(const lb_node *node, double *const *out)
{
    for (int64_t index = 0; index < lb_dot_head_count(node); index++) {
        lb_dot_head h = lb_dot_head_of(node, index);
        for (int64_t i = 0; i < h.query.length; i++) {
            double *weights = out[WEIGHTS] + h.weights_at + i * h.keys.length;
            double *context = out[CONTEXT] + h.context.at + i * h.context.row;
            for (int64_t k = 0; k < h.keys.length; k++) weights[k] = score_of(node, index, i, k);
            lb_reference_weights(lb_dot_options_of(node)->normalizer, h.keys.length, weights);
            for (int64_t k = 0; k < h.keys.length; k++)
                for (int64_t j = 0; j < h.values.width; j++)
                    context[j] += weights[k] * (double)h.values.data[k * h.values.row + j];
        }
    }
}

static lb_tensor *two_heads_case(lb_tensor *const *in)
{
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], in[MASK], NULL, 2, (lb_real)0.7, 0);
}

static lb_tensor *biased_case(lb_tensor *const *in)
{
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], NULL, in[3], 1, 1, 0);
}

static lb_tensor *four_axes_case(lb_tensor *const *in)
{
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], NULL, NULL, 0, (lb_real)0.5, 0);
}

static lb_tensor *causal_case(lb_tensor *const *in)
{
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], lb_causal_mask(in[0]->tape, 4), NULL, 1, 1, 0);
}

static lb_tensor *hidden_row_case(lb_tensor *const *in)
{
    lb_tensor *mask = lb_length_mask(in[0]->tape, (const int32_t[]){2, 0}, 2, 3);
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], lb_reshape(mask, LB_SHAPE(2, 1, 1, 3)), NULL, 1, 1,
                         0);
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    return lb_attend_dot_by(in[QUERY], in[KEYS], in[VALUES], in[MASK], NULL, 2, 1, 0, LB_SPARSEMAX);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    return lb_attend_dot_by(in[QUERY], in[KEYS], in[VALUES], in[MASK], NULL, 2, 1, 0, LB_ENTMAX);
}

static lb_tensor *grouped_case(lb_tensor *const *in)
{
    lb_dot_options options = {.heads = 4, .kv_heads = 2, .scale = (lb_real)0.6};
    return lb_attend_dot_with(in[QUERY], in[KEYS], in[VALUES], NULL, in[3], options);
}

static lb_tensor *grouped_axes_case(lb_tensor *const *in)
{
    lb_dot_options options = {
        .scale = (lb_real)0.5, .window = {.on = true, .left = 1, .right = 2}, .first = 1};
    return lb_attend_dot_with(in[QUERY], in[KEYS], in[VALUES], NULL, NULL, options);
}

static lb_tensor *capped_case(lb_tensor *const *in)
{
    lb_dot_options options = {.heads = 1, .scale = 2, .softcap = (lb_real)1.5};
    return lb_attend_dot_with(in[QUERY], in[KEYS], in[VALUES], lb_causal_mask(in[0]->tape, 4), in[3],
                              options);
}

static lb_tensor *capped_last_case(lb_tensor *const *in)
{
    lb_dot_options options = {.heads = 2, .scale = 2, .softcap = (lb_real)0.9, .cap_biased = true};
    return lb_attend_dot_with(in[QUERY], in[KEYS], in[VALUES], NULL, in[3], options);
}

static lb_tensor *beyond_window_case(lb_tensor *const *in)
{
    lb_dot_options options = {.heads = 1, .scale = 1, .window = {.on = true, .right = -1}, .first = 2};
    return lb_attend_dot_with(in[QUERY], in[KEYS], in[VALUES], NULL, NULL, options);
}

static lb_tensor *long_case(lb_tensor *const *in)
{
    return lb_attend_dot(in[QUERY], in[KEYS], in[VALUES], NULL, NULL, 2, 1, 0);
}

static const lb_op_case cases[] = {
    {"two heads, masked",
     4,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 6), LB_DIMS(2, 1, 3, 5)},
     .fixed = {[MASK] = true},
     .apply = two_heads_case},
    {"biased",
     4,
     {LB_DIMS(2, 3, 2), LB_DIMS(2, 4, 2), LB_DIMS(2, 4, 3), LB_DIMS(3, 4)},
     .apply = biased_case},
    {"grouped queries, a bias for each head and key",
     4,
     {LB_DIMS(2, 3, 8), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 6), LB_DIMS(4, 1, 5)},
     .apply = grouped_case},
    {"grouped queries, heads as an axis, window",
     3,
     {LB_DIMS(2, 6, 3, 2), LB_DIMS(2, 2, 5, 2), LB_DIMS(2, 2, 5, 3)},
     .apply = grouped_axes_case},
    {"softcap, causal, a bias for all",
     4,
     {LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3), {0}},
     .apply = capped_case},
    {"softcap of scores and bias",
     4,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 4, 4), LB_DIMS(2, 4, 2), LB_DIMS(2, 1, 3, 1)},
     .apply = capped_last_case},
    {"a window beyond the keys",
     3,
     {LB_DIMS(2, 3, 2), LB_DIMS(2, 4, 2), LB_DIMS(2, 4, 3)},
     .apply = beyond_window_case},
    {"heads as an axis",
     3,
     {LB_DIMS(2, 3, 2, 4), LB_DIMS(2, 3, 5, 4), LB_DIMS(2, 3, 5, 2)},
     .apply = four_axes_case},
    {"more queries than are kept",
     3,
     {LB_DIMS(1, 50, 2), LB_DIMS(1, 3, 2), LB_DIMS(1, 3, 4)},
     .apply = long_case},
    {"causal", 3, {LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3)}, .apply = causal_case},
    {"a row with nothing to attend to",
     3,
     {LB_DIMS(2, 2, 3), LB_DIMS(2, 3, 3), LB_DIMS(2, 3, 2)},
     .apply = hidden_row_case},
    {"sparsemax",
     4,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 6), LB_DIMS(2, 1, 3, 5)},
     .fixed = {[MASK] = true},
     .apply = sparsemax_case},
    {"entmax",
     4,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 6), LB_DIMS(2, 1, 3, 5)},
     .fixed = {[MASK] = true},
     .apply = entmax_case},
};

static lb_tensor *one_tensor_case(lb_tensor *const *in)
{
    return lb_attend_packed(in[0], NULL, lb_causal_mask(in[0]->tape, 3), NULL, 2,
                            (lb_dot_options){.heads = 2, .scale = (lb_real)0.6});
}

static lb_tensor *two_tensors_case(lb_tensor *const *in)
{
    lb_dot_options options = {.heads = 4, .kv_heads = 2, .scale = 1, .softcap = 2, .normalizer = LB_ENTMAX};
    return lb_attend_packed(in[0], in[1], NULL, in[2], 1, options);
}

static lb_tensor *more_columns_case(lb_tensor *const *in)
{
    return lb_attend_packed(in[0], in[1], in[2], NULL, 3, (lb_dot_options){.heads = 1, .scale = 1});
}

static const lb_op_case packed_cases[] = {
    {"one tensor, causal", 1, {LB_DIMS(2, 3, 12)}, .apply = one_tensor_case},
    {"queries apart, grouped, entmax, softcap, bias",
     3,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(4, 3, 5)},
     .apply = two_tensors_case},
    {"columns that nothing reads",
     3,
     {LB_DIMS(2, 2, 9), LB_DIMS(2, 4, 7), LB_DIMS(2, 1, 1, 4)},
     .fixed = {[2] = true},
     .apply = more_columns_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("attend_dot", reference, cases),
    LB_OP_PROOF("attend_packed", reference, packed_cases),
};
const lb_op_proofs lb_proofs_dot_attention = {proofs, LB_LENGTH(proofs)};
