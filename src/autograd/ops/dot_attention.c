/* Scaled dot-product attention over all heads at once. */
#include "autograd/fused/dot_attention.h"
#include "base/threads.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

#include <string.h>

enum { QUERY = LB_DOT_QUERY, KEYS = LB_DOT_KEYS, VALUES = LB_DOT_VALUES, BIAS = LB_DOT_BIAS };
enum { CONTEXT = LB_DOT_CONTEXT, WEIGHTS = LB_DOT_WEIGHTS };

enum {
    BLOCK = 48, /* queries whose scores are in memory together; more of them are computed again by backward */
    FEW = 4,    /* queries for which keys are read as they are */
    LANES = 16  /* numbers of which rows of scores are multiples */
};

/* How much memory the rows of scores need, and what forward keeps of them. */
typedef struct kept {
    int64_t queries, keys, stride;
    int64_t block; /* numbers for the rows of a block: probabilities, and what follows from them */
    bool drops, caps;
    lb_rng rng;
    /* [heads], if a head is one block that backward needs; NULL: scores are computed again. */
    lb_real *blocks;
} kept;

static int64_t rows_at_once(const kept *keep)
{
    return lb_smaller(keep->queries, BLOCK);
}

static kept plan(lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    kept keep = {.queries = lb_dim(node->in[QUERY], -2),
                 .keys = lb_dim(node->in[lb_dot_holder(node, KEYS)], -2)};
    keep.stride = (keep.keys + LANES - 1) / LANES * LANES;
    keep.drops = options->dropout > 0 && lb_tape_mode(node->tape) == LB_MODE_TRAIN;
    keep.caps = options->softcap > 0 && node->records;
    keep.block = (1 + keep.drops + keep.caps) * rows_at_once(&keep) * keep.stride;
    if (keep.drops) keep.rng = lb_op_rng(node);
    return keep;
}

/* Rows from `first` on, in a block. */
static lb_dot_rows rows_from(const kept *keep, int64_t first, lb_real *block)
{
    int64_t part = rows_at_once(keep) * keep->stride;
    lb_dot_rows rows = {.first = first, .keys = keep->keys, .stride = keep->stride};
    rows.count = lb_smaller(keep->queries - first, BLOCK);
    rows.probabilities = rows.weights = block;
    if (keep->drops) rows.weights = block += part;
    if (keep->caps) rows.slopes = block + part;
    return rows;
}

/* Heads that share keys and values are one piece of work. Pieces are divided into shares, each with its own memory, as
 * the shapes say, not the threads. */
typedef struct shares {
    int64_t groups, count, each; /* each: numbers of memory */
} shares;

static shares shares_of(const lb_node *node, int64_t each)
{
    enum { LEAST = 16, MOST = 64, ROOM = 1 << 20 };
    int64_t groups = lb_dot_head_count(node) / lb_dot_group(node), wanted = ROOM / (each + 1);
    wanted = wanted < LEAST ? LEAST : lb_smaller(wanted, MOST);
    return (shares){groups, lb_smaller(groups, wanted), each};
}

static int64_t first_of_share(const lb_node *node, shares s, int64_t share)
{
    return s.groups * share / s.count * lb_dot_group(node);
}

/* The right operand of a product with keys or values: transposed, with whole vectors in its rows. Few queries read it
 * as it is. */
static lb_matrix transpose(const kept *keep, lb_dot_part from, lb_real *to)
{
    if (keep->queries < FEW) return lb_transposed(from.data, from.row);
    lb_transpose_strip(keep->keys, from.width, from.data, from.row, to, keep->stride);
    for (int64_t i = 0; i < from.width; i++)
        for (int64_t k = keep->keys; k < keep->stride; k++) to[i * keep->stride + k] = 0;
    return lb_plain(to, keep->stride);
}

/* The columns of its result. */
static int64_t columns_of(const kept *keep, lb_matrix right)
{
    return right.transposed ? keep->keys : keep->stride;
}

/* Probabilities and weights of some rows. */
static void weigh(const lb_node *node, const kept *keep, const lb_dot_head *h, int64_t index, lb_matrix keys,
                  const lb_dot_rows *rows)
{
    const lb_dot_part *query = &h->query;
    lb_gemm_serial(rows->count, columns_of(keep, keys), query->width,
                   lb_plain(query->data + rows->first * query->row, query->row), keys, 0, rows->probabilities,
                   rows->stride);
    lb_dot_weigh(node, index, rows);
    for (int64_t i = 0; i < rows->count && keep->drops; i++) {
        lb_real *weights = rows->weights + i * rows->stride;
        const lb_real *probabilities = rows->probabilities + i * rows->stride;
        lb_dropout_mask(keep->rng, lb_dot_options_of(node)->dropout,
                        h->weights_at + (rows->first + i) * rows->keys, rows->keys, weights);
        for (int64_t k = 0; k < rows->keys; k++) weights[k] *= probabilities[k];
        for (int64_t k = rows->keys; k < rows->stride; k++) weights[k] = 0;
    }
}

static void forward_head(lb_node *node, const kept *keep, int64_t index, lb_real *memory)
{
    lb_dot_head h = lb_dot_head_of(node, index);
    lb_matrix keys = transpose(keep, h.keys, memory);
    lb_real *block = keep->blocks ? keep->blocks + index * keep->block : memory + h.keys.width * keep->stride;
    for (int64_t first = 0; first < keep->queries; first += BLOCK) {
        lb_dot_rows rows = rows_from(keep, first, block);
        weigh(node, keep, &h, index, keys, &rows);
        lb_gemm_serial(rows.count, h.values.width, rows.keys, lb_plain(rows.weights, rows.stride),
                       lb_plain(h.values.data, h.values.row), 0, h.context.data + first * h.context.row,
                       h.context.row);
        for (int64_t i = 0; i < rows.count && !lb_dot_options_of(node)->context_only; i++)
            memcpy(node->out[WEIGHTS]->data + h.weights_at + (first + i) * rows.keys,
                   rows.weights + i * rows.stride, (size_t)rows.keys * sizeof(lb_real));
    }
}

static lb_status forward(lb_node *node)
{
    kept *keep = node->saved = lb_tape_alloc(node->tape, sizeof *keep);
    if (!keep) return LB_ERROR_MEMORY;
    *keep = plan(node);
    bool keeps = node->records && keep->queries <= BLOCK;
    if (keeps) keep->blocks = lb_op_reals(node, lb_dot_head_count(node) * keep->block);
    shares s = shares_of(node, lb_dot_head_of(node, 0).keys.width * keep->stride + (keeps ? 0 : keep->block));
    lb_real *memory = lb_op_reals(node, s.count * s.each);
    if (!memory || (keeps && !keep->blocks)) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (s.count > 1)
    for (int64_t share = 0; share < s.count; share++)
        for (int64_t i = first_of_share(node, s, share); i < first_of_share(node, s, share + 1); i++)
            forward_head(node, keep, i, memory + share * s.each);
    return LB_OK;
}

/* d receives the gradient of the products of some rows, and dbias that of what was added to them, unless it is NULL. */
static void backward_rows(const lb_node *node, const kept *keep, const lb_dot_head *h, lb_matrix values,
                          const lb_dot_rows *rows, lb_real *d, lb_real *dbias)
{
    const lb_real *dcontext = h->context.grad + rows->first * h->context.row;
    bool weighed = !lb_dot_options_of(node)->context_only;
    if (weighed || values.transposed) memset(d, 0, (size_t)(rows->count * rows->stride) * sizeof *d);
    for (int64_t i = 0; i < rows->count && weighed; i++)
        memcpy(d + i * rows->stride,
               node->out[WEIGHTS]->grad + h->weights_at + (rows->first + i) * rows->keys,
               (size_t)rows->keys * sizeof *d);
    lb_gemm_serial(rows->count, columns_of(keep, values), h->values.width, lb_plain(dcontext, h->context.row),
                   values, weighed ? 1 : 0, d, rows->stride);
    lb_dot_weigh_backward(node, rows, d, dbias);
}

/* The gradients of query, keys and values from some rows. `begins` is true for the first rows that reach these keys. */
static void backward_operands(lb_node *node, const lb_dot_head *h, bool begins, const lb_dot_rows *rows,
                              const lb_real *d)
{
    const int keys_in = lb_dot_holder(node, KEYS), values_in = lb_dot_holder(node, VALUES);
    const int64_t query_at = rows->first * h->query.row, context_at = rows->first * h->context.row;
    if (lb_wants_grad(node->in[values_in]))
        lb_gemm_serial(rows->keys, h->values.width, rows->count, lb_transposed(rows->weights, rows->stride),
                       lb_plain(h->context.grad + context_at, h->context.row),
                       begins && lb_op_sets(node, values_in) ? 0 : 1, h->values.grad, h->values.row);
    if (lb_wants_grad(node->in[QUERY]))
        lb_gemm_serial(rows->count, h->keys.width, rows->keys, lb_plain(d, rows->stride),
                       lb_plain(h->keys.data, h->keys.row), lb_op_sets(node, QUERY) ? 0 : 1,
                       h->query.grad + query_at, h->query.row);
    if (lb_wants_grad(node->in[keys_in]))
        lb_gemm_serial(rows->keys, h->keys.width, rows->count, lb_transposed(d, rows->stride),
                       lb_plain(h->query.data + query_at, h->query.row),
                       begins && lb_op_sets(node, keys_in) ? 0 : 1, h->keys.grad, h->keys.row);
}

/* Heads that share keys and values come one after the other. */
static void backward_head(lb_node *node, int64_t index, lb_real *memory, lb_real *dbias)
{
    const kept *keep = node->saved;
    lb_dot_head h = lb_dot_head_of(node, index);
    lb_real *laid_out = memory + h.values.width * keep->stride, *d = laid_out + h.keys.width * keep->stride,
            *block = d + rows_at_once(keep) * keep->stride;
    lb_matrix values = transpose(keep, h.values, memory), keys;
    if (keep->blocks)
        block = keep->blocks + index * keep->block;
    else
        keys = transpose(keep, h.keys, laid_out);
    int64_t first = 0;
    do { /* without queries, too, gradients are set */
        lb_dot_rows rows = rows_from(keep, first, block);
        if (!keep->blocks) weigh(node, keep, &h, index, keys, &rows);
        backward_rows(node, keep, &h, values, &rows, d,
                      dbias ? dbias + h.weights_at + first * keep->keys : NULL);
        backward_operands(node, &h, index % lb_dot_group(node) == 0 && first == 0, &rows, d);
        first += BLOCK;
    } while (first < keep->queries);
}

/* Adds the gradient of the scores to the bias, which may be as large as they are, or repeat along some axes. */
static void add_bias_gradient(lb_node *node, const lb_real *dbias)
{
    enum { ALONE = 1 << 14 };
    const kept *keep = node->saved;
    int64_t heads = lb_dot_head_count(node), queries = keep->queries, keys = keep->keys;
    bool apart = lb_dot_cover_of(node, BIAS, 0).row > 0;
    (void)apart; /* without OpenMP there is one thread */
#pragma omp parallel for schedule(static) if (apart && heads * queries * keys > ALONE)
    for (int64_t i = 0; i < queries; i++)
        for (int64_t index = 0; index < heads; index++) {
            const lb_dot_cover bias = lb_dot_cover_of(node, BIAS, index);
            const lb_real *from = dbias + (index * queries + i) * keys;
            lb_real *grad = node->in[BIAS]->grad + bias.at + i * bias.row;
            for (int64_t k = 0; k < keys; k++) grad[k * bias.step] += from[k];
        }
}

static shares backward_shares(const lb_node *node)
{
    const kept *keep = node->saved;
    lb_dot_head h = lb_dot_head_of(node, 0);
    return shares_of(node, (h.values.width + h.keys.width + rows_at_once(keep)) * keep->stride +
                               (keep->blocks ? 0 : keep->block));
}

/* The memory of all shares, and the gradients of all scores if the bias wants one. */
static int64_t backward_work(const lb_node *node)
{
    const kept *keep = node->saved;
    shares s = backward_shares(node);
    int64_t scores = lb_dot_head_count(node) * keep->queries * keep->keys;
    return s.count * s.each + (lb_wants_grad(node->in[BIAS]) ? scores : 0);
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
    shares s = backward_shares(node);
    lb_real *dbias = lb_wants_grad(node->in[BIAS]) ? node->work + s.count * s.each : NULL;
    for (int which = QUERY; which <= KEYS; which++) set_rest(node, which);
#pragma omp parallel for schedule(static) if (s.count > 1)
    for (int64_t share = 0; share < s.count; share++)
        for (int64_t i = first_of_share(node, s, share); i < first_of_share(node, s, share + 1); i++)
            backward_head(node, i, node->work + share * s.each, dbias);
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
 *           [batch, heads, Q, width] and so on; `heads` is then ignored. Output 1: weights [batch, heads, Q, K], after
 *           dropout.
 *  Mask:    mask and bias broadcast to [batch, heads, Q, K], or are NULL. Mask: 1 attends, 0 does not; no gradient.
 *           Bias is added to the scores; -inf hides. A row with nothing to attend to is all zeros.
 *  Scale:   1 / sqrt(width) in a transformer.
 *  Dropout: the probability of a zero weight in LB_MODE_TRAIN.
 *  Errors:  LB_ERROR_SHAPE, also if the heads do not divide a width; LB_ERROR_ARGUMENT unless 0 <= dropout < 1.
 *  Cost:    O(batch heads Q K (width + depth)), memory O(batch heads Q K) for the weights.
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

/** lb_attend_dot with fewer heads of keys and values than of queries, a softcap, a window, or no weights.
 *  Shapes: keys [batch, K, kv_heads * width], values [batch, K, kv_heads * depth]; with the heads as an axis, that axis
 *          has kv_heads elements. Query head h reads head h / (heads / kv_heads) of the keys.
 *  Order:  scale, softcap, bias and mask, window, softmax. With cap_biased, the softcap comes after bias and mask: a
 *          hidden key then has the score -softcap, and keeps some weight. A key beyond the window never has any.
 *  Memory: with context_only, output 1 is [batch, heads, Q, 0], and more than 48 queries keep no scores: backward
 *          computes them again. The gradient of a bias still needs O(batch heads Q K).
 *  Errors: also LB_ERROR_SHAPE if kv_heads does not divide the heads; LB_ERROR_ARGUMENT for a negative softcap.
 *  Source: grouped queries: Ainslie et al. 2023, arXiv:2305.13245; the softcap: Gemma 2, arXiv:2408.00118; the window:
 *          Beltagy et al. 2020, arXiv:2004.05150. As in Attention of ONNX (docs/pytorch.md). */
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
