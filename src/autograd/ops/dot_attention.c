/* Scaled dot-product attention over all heads at once. tests/support/unfused.c computes the same in small steps. */
#include "autograd/fused/dot_attention.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

#include <string.h>

enum {
    QUERY = LB_DOT_QUERY,
    KEYS = LB_DOT_KEYS,
    VALUES = LB_DOT_VALUES,
    MASK = LB_DOT_MASK,
    BIAS = LB_DOT_BIAS
};
enum { CONTEXT = LB_DOT_CONTEXT, WEIGHTS = LB_DOT_WEIGHTS };

/* What forward keeps for backward. */
typedef struct kept {
    lb_real *probabilities; /* the weights before dropout */
    lb_real *slopes;        /* of the softcap; NULL without one */
} kept;

/* The weights of one head, from its probabilities. */
static void drop_weights(const lb_node *node, const lb_dot_head *h, lb_rng rng, const lb_real *probabilities)
{
    int64_t count = h->queries * h->keys;
    lb_real *weights = node->out[WEIGHTS]->data + h->weights_at;
    lb_dropout_mask(rng, lb_dot_options_of(node)->dropout, h->weights_at, count, weights);
    for (int64_t i = 0; i < count; i++) weights[i] *= probabilities[h->weights_at + i];
}

static const lb_real *data_of(const lb_node *node, int which)
{
    return node->in[lb_dot_holder(node, which)]->data;
}

static bool drops(const lb_node *node)
{
    return lb_dot_options_of(node)->dropout > 0 && lb_tape_mode(node->tape) == LB_MODE_TRAIN;
}

static void forward_head(lb_node *node, int64_t index, kept keep, lb_rng rng)
{
    lb_dot_head h = lb_dot_head_of(node, index);
    lb_real *weights = keep.probabilities + h.weights_at;
    lb_gemm_serial(h.queries, h.keys, h.width, lb_plain(node->in[QUERY]->data + h.query_at, h.query_row),
                   lb_transposed(data_of(node, KEYS) + h.keys_at, h.keys_row), 0, weights, h.keys);
    for (int64_t i = 0; i < h.queries; i++) {
        lb_real *slope = keep.slopes ? keep.slopes + h.weights_at + i * h.keys : NULL;
        lb_dot_weigh_row(node, index, i, h.keys, weights + i * h.keys, slope);
    }
    if (drops(node)) drop_weights(node, &h, rng, keep.probabilities);
    lb_gemm_serial(h.queries, h.depth, h.keys, lb_plain(node->out[WEIGHTS]->data + h.weights_at, h.keys),
                   lb_plain(data_of(node, VALUES) + h.values_at, h.values_row), 0,
                   node->out[CONTEXT]->data + h.context_at, h.context_row);
}

static lb_status forward(lb_node *node)
{
    kept *keep = node->saved = lb_tape_alloc(node->tape, sizeof *keep);
    if (!keep) return LB_ERROR_MEMORY;
    int64_t cells = lb_count(node->out[WEIGHTS]);
    bool caps = node->records && lb_dot_options_of(node)->softcap > 0;
    lb_rng rng = {0};
    *keep = (kept){.probabilities = node->out[WEIGHTS]->data};
    if (drops(node)) {
        rng = lb_op_rng(node);
        keep->probabilities = lb_op_reals(node, cells);
    }
    if (caps) keep->slopes = lb_op_reals(node, cells);
    if (!keep->probabilities || (caps && !keep->slopes)) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (lb_dot_head_count(node) > 1)
    for (int64_t index = 0; index < lb_dot_head_count(node); index++) forward_head(node, index, *keep, rng);
    return LB_OK;
}

/* dscores [queries, keys] receives the gradient of the products, dbias the one of what was added to them, unless it is
 * NULL. */
static void backward_scores(lb_node *node, const lb_dot_head *h, lb_real *dscores, lb_real *dbias)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    const kept *keep = node->saved;
    const lb_real *weights = node->out[WEIGHTS]->data + h->weights_at;
    const lb_real *probabilities = keep->probabilities + h->weights_at;
    const lb_real *slopes = keep->slopes ? keep->slopes + h->weights_at : NULL;
    int64_t cells = h->queries * h->keys;
    bool direct = !slopes && !dbias;
    memcpy(dscores, node->out[WEIGHTS]->grad + h->weights_at, (size_t)cells * sizeof *dscores);
    lb_gemm_serial(h->queries, h->keys, h->depth,
                   lb_plain(node->out[CONTEXT]->grad + h->context_at, h->context_row),
                   lb_transposed(data_of(node, VALUES) + h->values_at, h->values_row), 1, dscores, h->keys);
    for (int64_t i = 0; i < h->queries; i++)
        lb_dot_weights_backward(options->normalizer, h->keys, probabilities + i * h->keys,
                                weights + i * h->keys, direct ? options->scale : 1, dscores + i * h->keys);
    if (!direct) lb_dot_scores_backward(options, cells, slopes, dbias, dscores);
}

/* The other operands. Heads that share keys and values come one after the other: `begins` is true for the first. */
static void backward_head(lb_node *node, const lb_dot_head *h, bool begins, const lb_real *dscores)
{
    int keys_in = lb_dot_holder(node, KEYS), values_in = lb_dot_holder(node, VALUES);
    lb_tensor *query = node->in[QUERY], *keys = node->in[keys_in], *values = node->in[values_in];
    const lb_real *weights = node->out[WEIGHTS]->data + h->weights_at;
    if (lb_wants_grad(values))
        lb_gemm_serial(h->keys, h->depth, h->queries, lb_transposed(weights, h->keys),
                       lb_plain(node->out[CONTEXT]->grad + h->context_at, h->context_row),
                       begins && lb_op_sets(node, values_in) ? 0 : 1, values->grad + h->values_at,
                       h->values_row);
    if (lb_wants_grad(query))
        lb_gemm_serial(h->queries, h->width, h->keys, lb_plain(dscores, h->keys),
                       lb_plain(keys->data + h->keys_at, h->keys_row), lb_op_sets(node, QUERY) ? 0 : 1,
                       query->grad + h->query_at, h->query_row);
    if (lb_wants_grad(keys))
        lb_gemm_serial(h->keys, h->width, h->queries, lb_transposed(dscores, h->keys),
                       lb_plain(query->data + h->query_at, h->query_row),
                       begins && lb_op_sets(node, keys_in) ? 0 : 1, keys->grad + h->keys_at, h->keys_row);
}

/* Adds the gradient of the scores to the bias, which may be as large as they are, or repeat along some axes. */
static void add_bias_gradient(lb_node *node, const lb_real *dbias)
{
    enum { ALONE = 1 << 14 };
    int64_t heads = lb_dot_head_count(node), queries = lb_dim(node->out[WEIGHTS], 2),
            keys = lb_dim(node->out[WEIGHTS], 3), step;
    bool apart =
        queries > 1 && lb_dot_row_at(node, BIAS, 0, 0, &step) != lb_dot_row_at(node, BIAS, 0, 1, &step);
    (void)apart; /* without OpenMP there is one thread */
#pragma omp parallel for schedule(static) private(step) if (apart && heads * queries * keys > ALONE)
    for (int64_t i = 0; i < queries; i++)
        for (int64_t index = 0; index < heads; index++) {
            const lb_real *from = dbias + (index * queries + i) * keys;
            lb_real *grad = node->in[BIAS]->grad + lb_dot_row_at(node, BIAS, index, i, &step);
            for (int64_t k = 0; k < keys; k++) grad[k * step] += from[k];
        }
}

/* Gradients of the products of all heads, and of the bias if it wants one. */
static int64_t backward_work(const lb_node *node)
{
    return lb_count(node->out[WEIGHTS]) * (lb_wants_grad(node->in[BIAS]) ? 2 : 1);
}

/* Columns that nothing reads have no gradient. Products set those of the others. */
static void set_rest(lb_node *node, int which)
{
    const lb_dot_attributes *attributes = node->attributes;
    const lb_dot_options *options = &attributes->options;
    if (!attributes->width || !lb_op_sets(node, which)) return;
    int64_t read = (which == QUERY ? options->heads : 0) +
                   (which == lb_dot_holder(node, KEYS) ? 2 * options->kv_heads : 0);
    if (lb_dim(node->in[which], 2) > read * attributes->width)
        lb_set_zero(lb_count(node->in[which]), node->in[which]->grad);
}

static void backward(lb_node *node)
{
    int64_t cells = lb_dim(node->out[WEIGHTS], 2) * lb_dim(node->out[WEIGHTS], 3), group = lb_dot_group(node),
            groups = lb_dot_head_count(node) / group;
    lb_real *dscores = node->work, *dbias = NULL;
    if (lb_wants_grad(node->in[BIAS])) dbias = dscores + lb_count(node->out[WEIGHTS]);
    for (int which = QUERY; which <= KEYS; which++) set_rest(node, which);
#pragma omp parallel for schedule(static) if (groups > 1)
    for (int64_t g = 0; g < groups; g++)
        for (int64_t index = g * group; index < (g + 1) * group; index++) {
            lb_dot_head h = lb_dot_head_of(node, index);
            backward_scores(node, &h, dscores + index * cells, dbias ? dbias + index * cells : NULL);
            backward_head(node, &h, index == g * group, dscores + index * cells);
        }
    if (dbias) add_bias_gradient(node, dbias);
}

#define DOT_FUNCTIONS                                                                                        \
    .outputs = 2, .shape = lb_dot_shapes, .forward = forward, .work = LB_TRAINING(backward_work),            \
    .backward = LB_TRAINING(backward), .can_set = 1U << QUERY | 1U << KEYS | 1U << VALUES

static const lb_op dot_attention_op = {
    .name = "attend_dot",
    .operands = "query keys values mask? bias?",
    .formula =
        "context = w value, w = softmax(cap(scale query key') + bias where mask), or sparsemax, or entmax15, "
        "cap(s) = c tanh(s / c)",
    .derivative =
        "ds = w (dw - sum dw w), or as sparsemax or entmax15, dbias += ds, dp = ds cap'(p), dquery += scale "
        "dp key, dkey += scale dp' query, dvalue += w' dcontext",
    DOT_FUNCTIONS,
};

static const lb_op packed_attention_op = {
    .name = "attend_packed",
    .operands = "query keys? values? mask? bias?",
    .formula = "attend_dot, of columns of fewer tensors: query, keys and values side by side",
    .derivative = "as attend_dot, side by side",
    DOT_FUNCTIONS,
};

/** Scaled dot-product attention over all heads.
 *  Shapes:  query [batch, Q, heads * width], keys [batch, K, heads * width], values [batch, K, heads * depth], where a
 *           head is a range of columns -> context [batch, Q, heads * depth]. Or all operands have the heads as an axis,
 *           [batch, heads, Q, width] and so on; `heads` is then ignored.
 *           Output 1: weights [batch, heads, Q, K], after dropout.
 *  Mask:    mask and bias broadcast to [batch, heads, Q, K]; either may be NULL. Mask: 1 attends, 0 does not; no
 *           gradient. Bias is added to the scores; -inf hides; its gradient is summed over what it repeats along. A row
 *           with nothing to attend to is all zeros, never NaN.
 *  Scale:   1 / sqrt(width) in a transformer.
 *  Dropout: probability with which a weight becomes zero in LB_MODE_TRAIN.
 *  Errors:  LB_ERROR_SHAPE, also if a width is not divisible by the heads; LB_ERROR_ARGUMENT unless 0 <= dropout < 1.
 *  Cost:    O(batch heads Q K (width + depth)), memory O(batch heads Q K).
 *  Source:  Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1. */
lb_tensor *lb_attend_dot(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                         lb_tensor *bias, int64_t heads, lb_real scale, lb_real dropout)
{
    return lb_attend_dot_with(query, keys, values, mask, bias,
                              (lb_dot_options){.heads = heads, .scale = scale, .dropout = dropout});
}

/** lb_attend_dot with weights by sparsemax or entmax. */
lb_tensor *lb_attend_dot_by(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                            lb_tensor *bias, int64_t heads, lb_real scale, lb_real dropout,
                            lb_normalizer normalizer)
{
    lb_dot_options options = {.heads = heads, .scale = scale, .dropout = dropout, .normalizer = normalizer};
    return lb_attend_dot_with(query, keys, values, mask, bias, options);
}

/** lb_attend_dot with more options: fewer heads of keys and values than of queries, a softcap, a window.
 *  Shapes: keys [batch, K, kv_heads * width], values [batch, K, kv_heads * depth]; with the heads as an axis, that axis
 *          has kv_heads elements. Query head h reads head h / (heads / kv_heads) of the keys.
 *  Order: scale, softcap, bias and mask, window, softmax. With cap_biased, the softcap comes after bias and mask: a key
 *          with a mask of 0 or a bias of -inf then has the score -softcap, and keeps some weight. A key beyond the
 *          window never has any.
 *  Errors: also LB_ERROR_SHAPE if kv_heads does not divide the heads; LB_ERROR_ARGUMENT for a negative softcap.
 *  Source: grouped queries: Ainslie et al. 2023, arXiv:2305.13245; the softcap: Gemma 2, arXiv:2408.00118; the window:
 *          Beltagy et al. 2020, arXiv:2004.05150. All as in Attention of ONNX, see docs/pytorch.md. */
lb_tensor *lb_attend_dot_with(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                              lb_tensor *bias, lb_dot_options options)
{
    if (query && query->shape.ndim == 4) {
        options.heads = query->shape.dim[1];
        options.kv_heads = keys && keys->shape.ndim == 4 ? keys->shape.dim[1] : options.heads;
    }
    if (options.kv_heads == 0) options.kv_heads = options.heads;
    return lb_op_apply(&dot_attention_op, LB_INPUTS(query, keys, values, mask, bias),
                       &(lb_dot_attributes){options, 0}, sizeof(lb_dot_attributes));
}

lb_tensor *lb_attend_packed(lb_tensor *query, lb_tensor *keys, lb_tensor *mask, lb_tensor *bias,
                            int64_t width, lb_dot_options options)
{
    if (options.kv_heads == 0) options.kv_heads = options.heads;
    return lb_op_apply(&packed_attention_op, LB_INPUTS(query, keys, NULL, mask, bias),
                       &(lb_dot_attributes){options, width}, sizeof(lb_dot_attributes));
}
