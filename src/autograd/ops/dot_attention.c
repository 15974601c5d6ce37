/* Scaled dot-product attention over all heads at once. lb_unfused_attend_dot computes the same in small steps. */
#include "autograd/op.h"
#include "autograd/operands.h"
#include "lookback/ops.h"
#include "tensor/dropout_mask.h"
#include "tensor/gemm.h"
#include "tensor/shape.h"
#include "tensor/softmax_row.h"

#include <string.h>

enum { QUERY, KEYS, VALUES, MASK, BIAS };
enum { CONTEXT, WEIGHTS };

typedef struct dot_options {
    int64_t heads;
    lb_real scale, dropout;
} dot_options;

/* Operands are [batch, length, heads * width], where a head is a range of columns, or [batch, heads, length, width].
 * Either way, a head of one batch row is a matrix whose rows are `row` numbers apart. */
typedef struct view {
    int64_t length, width; /* of one head */
    int64_t batch, head, row;
} view;

static view view_of(const lb_tensor *x, int64_t heads)
{
    int64_t length = lb_dim(x, -2), width = lb_dim(x, -1);
    if (x->shape.ndim == 4) return (view){length, width, heads * length * width, length * width, width};
    return (view){length, width / heads, length * width, width / heads, width};
}

static int64_t heads_of(const lb_node *node)
{
    return ((const dot_options *)node->attributes)->heads;
}

static lb_status check_heads(const lb_node *node)
{
    const dot_options *options = node->attributes;
    int64_t heads = heads_of(node);
    for (int i = QUERY; i <= VALUES; i++) {
        lb_shape shape = node->in[i]->shape;
        if (shape.ndim != node->in[QUERY]->shape.ndim || shape.ndim < 3 || shape.ndim > 4)
            return lb_op_misfit(node, "expected three axes, or four with heads", QUERY,
                                i == QUERY ? KEYS : i);
        if (heads < 1 || (shape.ndim == 4 ? shape.dim[1] != heads : shape.dim[2] % heads != 0)) {
            char text[LB_SHAPE_TEXT];
            return lb_op_fail(node, LB_ERROR_SHAPE, "cannot divide %s into %lld heads",
                              lb_shape_format(shape, text), (long long)heads);
        }
    }
    if (!(options->dropout >= 0 && options->dropout < 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid dropout probability %g, expected 0 <= p < 1",
                          (double)options->dropout);
    return LB_OK;
}

static lb_status check_mask(const lb_node *node, int which, lb_shape weights)
{
    const lb_tensor *mask = node->in[which];
    lb_shape common;
    if (!mask || (lb_shape_broadcast(mask->shape, weights, &common) && lb_shape_equal(common, weights)))
        return LB_OK;
    char name[LB_OPERAND_TEXT], text_mask[LB_SHAPE_TEXT], text_weights[LB_SHAPE_TEXT];
    return lb_op_fail(node, LB_ERROR_SHAPE, "shapes do not broadcast: %s%s x weights%s",
                      lb_operand_name(node->op->operands, which, name),
                      lb_shape_format(mask->shape, text_mask), lb_shape_format(weights, text_weights));
}

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status = check_heads(node);
    if (status) return status;
    lb_shape query = node->in[QUERY]->shape, keys = node->in[KEYS]->shape, values = node->in[VALUES]->shape;
    int last = query.ndim - 1;
    if (query.dim[0] != keys.dim[0] || query.dim[last] != keys.dim[last])
        return lb_op_misfit(node, "batch sizes or widths differ", QUERY, KEYS);
    if (values.dim[0] != keys.dim[0] || values.dim[last - 1] != keys.dim[last - 1])
        return lb_op_misfit(node, "expected one value per key", KEYS, VALUES);
    out[CONTEXT] = query;
    out[CONTEXT].dim[last] = values.dim[last];
    out[WEIGHTS] = LB_SHAPE(query.dim[0], heads_of(node), query.dim[last - 1], keys.dim[last - 1]);
    status = check_mask(node, MASK, out[WEIGHTS]);
    return status ? status : check_mask(node, BIAS, out[WEIGHTS]);
}

/* One head of one row of the batch. */
typedef struct head {
    int64_t queries, keys, width, depth; /* depth: of a value */
    int64_t query_at, keys_at, values_at, context_at, weights_at;
    int64_t query_row, keys_row, values_row;
} head;

static head head_of(const lb_node *node, int64_t index)
{
    int64_t heads = heads_of(node), batch = index / heads, h = index % heads;
    view q = view_of(node->in[QUERY], heads), k = view_of(node->in[KEYS], heads),
         v = view_of(node->in[VALUES], heads);
    view c = view_of(node->out[CONTEXT], heads);
    return (head){
        .queries = q.length,
        .keys = k.length,
        .width = q.width,
        .depth = v.width,
        .query_at = batch * q.batch + h * q.head,
        .keys_at = batch * k.batch + h * k.head,
        .values_at = batch * v.batch + h * v.head,
        .context_at = batch * c.batch + h * c.head,
        .weights_at = index * q.length * k.length,
        .query_row = q.row,
        .keys_row = k.row,
        .values_row = v.row, /* and of the context */
    };
}

/* The part of a mask that covers query `i` of head `index`; `step` is 0 if one element covers all keys. */
static const lb_real *mask_row(const lb_node *node, int which, int64_t index, int64_t i, int64_t *step)
{
    const lb_tensor *mask = node->in[which];
    if (!mask) return NULL;
    int64_t heads = heads_of(node), offset = 0;
    const int64_t at[LB_MAX_DIMS] = {i, index % heads, index / heads};
    *step = mask->shape.ndim > 0 && lb_dim(mask, -1) > 1 ? 1 : 0;
    for (int axis = 2; axis <= mask->shape.ndim; axis++)
        if (lb_dim(mask, -axis) > 1) offset += at[axis - 2] * lb_shape_stride(mask->shape, -axis);
    return mask->data + offset;
}

/* Turns a row of scores into a row of weights. A row with nothing to attend to becomes zeros. */
LB_KERNEL static void softmax_row(int64_t count, lb_real *x, const lb_real *mask, int64_t mask_step,
                                  const lb_real *bias, int64_t bias_step)
{
    const lb_real hidden = -(lb_real)INFINITY;
    for (int64_t i = 0; i < count && bias; i++) x[i] += bias[i * bias_step];
    for (int64_t i = 0; i < count && mask; i++) x[i] = mask[i * mask_step] == 0 ? hidden : x[i];
    lb_softmax_row_inline(count, x);
}

/* The weights of one head, from its probabilities. */
static void drop_weights(const lb_node *node, const head *h, lb_rng rng, const lb_real *probabilities)
{
    int64_t count = h->queries * h->keys;
    lb_real *weights = node->out[WEIGHTS]->data + h->weights_at;
    lb_dropout_mask(rng, ((const dot_options *)node->attributes)->dropout, h->weights_at, count, weights);
    for (int64_t i = 0; i < count; i++) weights[i] *= probabilities[h->weights_at + i];
}

static bool drops(const lb_node *node)
{
    return ((const dot_options *)node->attributes)->dropout > 0 && lb_tape_mode(node->tape) == LB_MODE_TRAIN;
}

static void forward_head(lb_node *node, int64_t index, lb_real *probabilities, lb_rng rng)
{
    head h = head_of(node, index);
    lb_real *weights = probabilities + h.weights_at, scale = ((const dot_options *)node->attributes)->scale;
    lb_gemm_serial(h.queries, h.keys, h.width, lb_plain(node->in[QUERY]->data + h.query_at, h.query_row),
                   lb_transposed(node->in[KEYS]->data + h.keys_at, h.keys_row), 0, weights, h.keys);
    for (int64_t i = 0; i < h.queries; i++) {
        int64_t mask_step = 0, bias_step = 0;
        const lb_real *mask = mask_row(node, MASK, index, i, &mask_step);
        const lb_real *bias = mask_row(node, BIAS, index, i, &bias_step);
        for (int64_t k = 0; k < h.keys; k++) weights[i * h.keys + k] *= scale;
        softmax_row(h.keys, weights + i * h.keys, mask, mask_step, bias, bias_step);
    }
    if (drops(node)) drop_weights(node, &h, rng, probabilities);
    lb_gemm_serial(h.queries, h.depth, h.keys, lb_plain(node->out[WEIGHTS]->data + h.weights_at, h.keys),
                   lb_plain(node->in[VALUES]->data + h.values_at, h.values_row), 0,
                   node->out[CONTEXT]->data + h.context_at, h.values_row);
}

static int64_t head_count(const lb_node *node)
{
    return lb_dim(node->in[QUERY], 0) * heads_of(node);
}

/* saved: the weights before dropout */
static lb_status forward(lb_node *node)
{
    lb_real *probabilities = node->out[WEIGHTS]->data;
    lb_rng rng = {0};
    if (drops(node)) {
        rng = lb_op_rng(node);
        probabilities = lb_op_reals(node, lb_count(node->out[WEIGHTS]));
        if (!probabilities) return LB_ERROR_MEMORY;
    }
    node->saved = probabilities;
#pragma omp parallel for schedule(static) if (head_count(node) > 1)
    for (int64_t index = 0; index < head_count(node); index++) forward_head(node, index, probabilities, rng);
    return LB_OK;
}

/* Turns the gradient of the weights of a head into the gradient of its scaled products, in place. */
LB_KERNEL static void softmax_row_backward(int64_t count, const lb_real *probability, const lb_real *weight,
                                           lb_real scale, lb_real *d)
{
    lb_real dot = 0;
    /* weight is probability times what dropout made of it */
#pragma omp simd reduction(+ : dot)
    for (int64_t i = 0; i < count; i++) dot += d[i] * weight[i];
    for (int64_t i = 0; i < count; i++) d[i] = scale * (d[i] * weight[i] - dot * probability[i]);
}

/* dscores [queries, keys] is working memory. */
static void backward_head(lb_node *node, int64_t index, lb_real *dscores)
{
    head h = head_of(node, index);
    lb_tensor *query = node->in[QUERY], *keys = node->in[KEYS], *values = node->in[VALUES];
    const lb_real *weights = node->out[WEIGHTS]->data + h.weights_at;
    const lb_real *probabilities = (const lb_real *)node->saved + h.weights_at;
    lb_matrix dcontext = lb_plain(node->out[CONTEXT]->grad + h.context_at, h.values_row);
    memcpy(dscores, node->out[WEIGHTS]->grad + h.weights_at, (size_t)(h.queries * h.keys) * sizeof *dscores);
    lb_gemm_serial(h.queries, h.keys, h.depth, dcontext,
                   lb_transposed(values->data + h.values_at, h.values_row), 1, dscores, h.keys);
    if (lb_wants_grad(values))
        lb_gemm_serial(h.keys, h.depth, h.queries, lb_transposed(weights, h.keys), dcontext,
                       lb_op_sets(node, VALUES) ? 0 : 1, values->grad + h.values_at, h.values_row);
    lb_real scale = ((const dot_options *)node->attributes)->scale;
    for (int64_t i = 0; i < h.queries; i++)
        softmax_row_backward(h.keys, probabilities + i * h.keys, weights + i * h.keys, scale,
                             dscores + i * h.keys);
    if (lb_wants_grad(query))
        lb_gemm_serial(h.queries, h.width, h.keys, lb_plain(dscores, h.keys),
                       lb_plain(keys->data + h.keys_at, h.keys_row), lb_op_sets(node, QUERY) ? 0 : 1,
                       query->grad + h.query_at, h.query_row);
    if (lb_wants_grad(keys))
        lb_gemm_serial(h.keys, h.width, h.queries, lb_transposed(dscores, h.keys),
                       lb_plain(query->data + h.query_at, h.query_row), lb_op_sets(node, KEYS) ? 0 : 1,
                       keys->grad + h.keys_at, h.keys_row);
}

static int64_t backward_work(const lb_node *node)
{
    return lb_count(node->out[WEIGHTS]);
}

static void backward(lb_node *node)
{
    int64_t cells = lb_dim(node->out[WEIGHTS], 2) * lb_dim(node->out[WEIGHTS], 3);
    lb_real *dscores = node->work;
#pragma omp parallel for schedule(static) if (head_count(node) > 1)
    for (int64_t index = 0; index < head_count(node); index++)
        backward_head(node, index, dscores + index * cells);
}

static bool sees(const lb_node *node, int64_t index, int64_t i, int64_t k, double *bias)
{
    int64_t mask_step = 0, bias_step = 0;
    const lb_real *mask = mask_row(node, MASK, index, i, &mask_step);
    const lb_real *biases = mask_row(node, BIAS, index, i, &bias_step);
    *bias = biases ? (double)biases[k * bias_step] : 0;
    return (!mask || mask[k * mask_step] != 0) && *bias > -INFINITY;
}

/* Without dropout. */
static void reference(const lb_node *node, double *const *out)
{
    double scale = (double)((const dot_options *)node->attributes)->scale;
    for (int64_t index = 0; index < head_count(node); index++) {
        head h = head_of(node, index);
        for (int64_t i = 0; i < h.queries; i++) {
            double *weights = out[WEIGHTS] + h.weights_at + i * h.keys, sum = 0, bias;
            double *context = out[CONTEXT] + h.context_at + i * h.values_row;
            for (int64_t k = 0; k < h.keys; k++) {
                double score = 0;
                for (int64_t j = 0; j < h.width; j++)
                    score += (double)node->in[QUERY]->data[h.query_at + i * h.query_row + j] *
                             (double)node->in[KEYS]->data[h.keys_at + k * h.keys_row + j];
                weights[k] = sees(node, index, i, k, &bias) ? exp(scale * score + bias) : 0;
                sum += weights[k];
            }
            for (int64_t k = 0; k < h.keys; k++) {
                weights[k] = sum > 0 ? weights[k] / sum : 0;
                for (int64_t j = 0; j < h.depth; j++)
                    context[j] +=
                        weights[k] * (double)node->in[VALUES]->data[h.values_at + k * h.values_row + j];
            }
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

static const lb_op_case cases[] = {
    {"two heads, masked",
     4,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 5, 4), LB_DIMS(2, 5, 6), LB_DIMS(2, 1, 3, 5)},
     .fixed = {[MASK] = true},
     .apply = two_heads_case},
    {"biased",
     4,
     {LB_DIMS(2, 3, 2), LB_DIMS(2, 4, 2), LB_DIMS(2, 4, 3), LB_DIMS(3, 4)},
     .fixed = {[3] = true},
     .apply = biased_case},
    {"heads as an axis",
     3,
     {LB_DIMS(2, 3, 2, 4), LB_DIMS(2, 3, 5, 4), LB_DIMS(2, 3, 5, 2)},
     .apply = four_axes_case},
    {"causal", 3, {LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3), LB_DIMS(2, 4, 3)}, .apply = causal_case},
    {"a row with nothing to attend to",
     3,
     {LB_DIMS(2, 2, 3), LB_DIMS(2, 3, 3), LB_DIMS(2, 3, 2)},
     .apply = hidden_row_case},
};

static const lb_op dot_attention_op = {
    .name = "attend_dot",
    .operands = "query keys values mask? bias?",
    .formula = "context = w value, w = softmax(scale query key' + bias where mask)",
    .derivative =
        "ds = w (dw - sum dw w), dquery += scale ds key, dkey += scale ds' query, dvalue += w' dcontext",
    .outputs = 2,
    .shape = output_shapes,
    .forward = forward,
    .work = backward_work,
    .backward = backward,
    .can_set = 1U << QUERY | 1U << KEYS | 1U << VALUES,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** Scaled dot-product attention over all heads.
 *  Shapes:  query [batch, Q, heads * width], keys [batch, K, heads * width], values [batch, K, heads * depth], where a
 *           head is a range of columns -> context [batch, Q, heads * depth]. Or all operands have the heads as an axis,
 *           [batch, heads, Q, width] and so on; `heads` is then ignored.
 *           Output 1: weights [batch, heads, Q, K], after dropout.
 *  Mask:    mask and bias broadcast to [batch, heads, Q, K]; either may be NULL; no gradient. Mask: 1 attends, 0 does
 *           not. Bias is added to the scores; -inf hides. A row with nothing to attend to is all zeros, never NaN.
 *  Scale:   1 / sqrt(width) in a transformer.
 *  Dropout: probability with which a weight becomes zero in LB_MODE_TRAIN.
 *  Errors:  LB_ERROR_SHAPE, also if a width is not divisible by the heads; LB_ERROR_ARGUMENT unless 0 <= dropout < 1.
 *  Cost:    O(batch heads Q K (width + depth)), memory O(batch heads Q K).
 *  Source:  Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1. */
lb_tensor *lb_attend_dot(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                         lb_tensor *bias, int64_t heads, lb_real scale, lb_real dropout)
{
    bool axis = query && query->shape.ndim == 4;
    dot_options options = {.heads = axis ? query->shape.dim[1] : heads, .scale = scale, .dropout = dropout};
    return lb_op_apply(&dot_attention_op, LB_INPUTS(query, keys, values, mask, bias), &options,
                       sizeof options);
}

static const lb_op *const ops[] = {&dot_attention_op};
const lb_op_family lb_family_dot_attention = {ops, LB_LENGTH(ops)};
