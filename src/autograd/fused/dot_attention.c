#include "autograd/fused/dot_attention.h"

#include "tensor/elementary.h"
#include "tensor/shape.h"
#include "tensor/softmax_row.h"

#include <string.h>

enum { QUERY = LB_DOT_QUERY, KEYS = LB_DOT_KEYS, VALUES = LB_DOT_VALUES };
enum { CONTEXT = LB_DOT_CONTEXT, WEIGHTS = LB_DOT_WEIGHTS };

/* ---- Shapes, heads, and the keys in reach. ---- */

/* Head `index` of batch times heads, of [batch, heads, length, width] or of [batch, length, columns], where heads are
 * ranges of columns from `start` on. */
static lb_dot_part part_of(const lb_tensor *x, int64_t heads, int64_t index, int64_t start, int64_t width)
{
    lb_dot_part part = {.length = lb_dim(x, -2), .width = width, .row = lb_dim(x, -1)};
    if (x->shape.ndim == 4)
        part.at = index * part.length * part.row;
    else
        part.at = index / heads * part.length * part.row + start + index % heads * width;
    part.data = x->data + part.at;
    part.grad = x->grad ? x->grad + part.at : NULL;
    return part;
}

static int64_t heads_of(const lb_node *node, int which)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    return which == QUERY ? options->heads : options->kv_heads;
}

static int64_t packed_width(const lb_node *node)
{
    return ((const lb_dot_attributes *)node->attributes)->width;
}

/* The query is the first columns of its tensor; keys and then values are the last of theirs. */
static lb_dot_part part_of_operand(const lb_node *node, int which, int64_t index)
{
    const lb_tensor *x = node->in[lb_dot_holder(node, which)];
    int64_t heads = heads_of(node, which), width = packed_width(node), columns = lb_dim(x, -1), start = 0;
    if (which != QUERY) index /= lb_dot_group(node);
    if (width == 0)
        width = x->shape.ndim == 4 ? columns : columns / heads;
    else if (which != QUERY)
        start = columns - (which == KEYS ? 2 : 1) * heads * width;
    return part_of(x, heads, index, start, width);
}

static lb_status check_shared(const lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    if (options->heads > 0 && options->kv_heads > 0 && options->heads % options->kv_heads == 0) return LB_OK;
    return lb_op_fail(node, LB_ERROR_SHAPE, "%lld heads of queries cannot share %lld heads of keys evenly",
                      (long long)options->heads, (long long)options->kv_heads);
}

static lb_status check_packed(const lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    int holder = lb_dot_holder(node, KEYS);
    lb_shape query = node->in[QUERY]->shape, keys = node->in[holder]->shape;
    if (query.ndim != 3 || keys.ndim != 3 || query.dim[0] != keys.dim[0])
        return lb_op_misfit(node, "expected three axes and equal batch sizes", QUERY, holder);
    if (check_shared(node)) return LB_ERROR_SHAPE;
    int64_t width = packed_width(node), first = options->heads * width, last = 2 * options->kv_heads * width;
    if (query.dim[2] < first + (holder == QUERY ? last : 0) || keys.dim[2] < last)
        return lb_op_misfit(node, "too few columns for heads", QUERY, holder);
    return LB_OK;
}

static lb_status check_heads(const lb_node *node)
{
    for (int i = QUERY; i <= VALUES; i++) {
        lb_shape shape = node->in[i]->shape;
        int64_t heads = heads_of(node, i);
        if (shape.ndim != node->in[QUERY]->shape.ndim || shape.ndim < 3 || shape.ndim > 4)
            return lb_op_misfit(node, "expected three axes, or four with heads", QUERY,
                                i == QUERY ? KEYS : i);
        if (heads < 1 || (shape.ndim == 4 ? shape.dim[1] != heads : shape.dim[2] % heads != 0)) {
            char text[LB_SHAPE_TEXT];
            return lb_op_fail(node, LB_ERROR_SHAPE, "cannot divide %s into %lld heads",
                              lb_shape_format(shape, text), (long long)heads);
        }
    }
    return check_shared(node);
}

/* Query, keys and values in tensors of their own. */
static lb_status check_three(const lb_node *node)
{
    lb_status status = check_heads(node);
    if (status) return status;
    const lb_dot_options *options = lb_dot_options_of(node);
    lb_shape query = node->in[QUERY]->shape, keys = node->in[KEYS]->shape, values = node->in[VALUES]->shape;
    int last = query.ndim - 1;
    int64_t share = query.ndim == 4 ? 1 : options->heads / options->kv_heads;
    if (query.dim[0] != keys.dim[0] || query.dim[last] != keys.dim[last] * share)
        return lb_op_misfit(node, "batch sizes or widths differ", QUERY, KEYS);
    if (values.dim[0] != keys.dim[0] || values.dim[last - 1] != keys.dim[last - 1])
        return lb_op_misfit(node, "expected one value per key", KEYS, VALUES);
    return LB_OK;
}

static lb_status check_numbers(const lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    if (!(options->dropout >= 0 && options->dropout < 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid dropout probability %g, expected 0 <= p < 1",
                          (double)options->dropout);
    if (!(options->softcap >= 0))
        return lb_op_fail(node, LB_ERROR_ARGUMENT,
                          "invalid softcap %g, expected a positive number, or 0 for none",
                          (double)options->softcap);
    return lb_op_check_normalizer(node, options->normalizer);
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

lb_status lb_dot_shapes(const lb_node *node, lb_shape *out)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    lb_status status = packed_width(node) ? check_packed(node) : check_three(node);
    if (!status) status = check_numbers(node);
    if (status) return status;
    lb_dot_part q = part_of_operand(node, QUERY, 0), v = part_of_operand(node, VALUES, 0);
    out[CONTEXT] = node->in[QUERY]->shape;
    int last = out[CONTEXT].ndim - 1;
    out[CONTEXT].dim[last] = last == 3 ? v.width : v.width * options->heads;
    out[WEIGHTS] = LB_SHAPE(out[CONTEXT].dim[0], options->heads, q.length, v.length);
    status = check_mask(node, LB_DOT_MASK, out[WEIGHTS]);
    if (!status) status = check_mask(node, LB_DOT_BIAS, out[WEIGHTS]);
    if (options->context_only) out[WEIGHTS].dim[3] = 0;
    return status;
}

lb_dot_head lb_dot_head_of(const lb_node *node, int64_t index)
{
    lb_dot_head h = {.query = part_of_operand(node, QUERY, index),
                     .keys = part_of_operand(node, KEYS, index),
                     .values = part_of_operand(node, VALUES, index)};
    h.context = part_of(node->out[CONTEXT], lb_dot_options_of(node)->heads, index, 0, h.values.width);
    h.weights_at = index * h.query.length * h.keys.length;
    return h;
}

int64_t lb_dot_head_count(const lb_node *node)
{
    return lb_dim(node->in[QUERY], 0) * lb_dot_options_of(node)->heads;
}

int64_t lb_dot_group(const lb_node *node)
{
    return lb_dot_options_of(node)->heads / lb_dot_options_of(node)->kv_heads;
}

lb_dot_cover lb_dot_cover_of(const lb_node *node, int which, int64_t index)
{
    const lb_tensor *mask = node->in[which];
    int64_t heads = lb_dot_options_of(node)->heads, moves[] = {0, 0, 0, 0, 0};
    if (!mask) return (lb_dot_cover){.data = NULL};
    for (int axis = 1; axis <= mask->shape.ndim; axis++) /* from the last one */
        if (lb_dim(mask, -axis) > 1) moves[axis] = lb_shape_stride(mask->shape, -axis);
    return (lb_dot_cover){mask->data, index % heads * moves[3] + index / heads * moves[4], moves[2],
                          moves[1]};
}

/* ---- Rows of scores. ---- */

static inline void add_bias(lb_dot_cover bias, int64_t i, int64_t keys, lb_real *x)
{
    const lb_real *from = bias.data + bias.at + i * bias.row;
    if (bias.step)
        for (int64_t k = 0; k < keys; k++) x[k] += from[k];
    else
        for (int64_t k = 0; k < keys; k++) x[k] += from[0];
}

static inline void hide_masked(lb_dot_cover mask, int64_t i, int64_t keys, lb_real *x)
{
    const lb_real *from = mask.data + mask.at + i * mask.row, hidden = -(lb_real)INFINITY;
    if (mask.step)
#pragma omp simd
        for (int64_t k = 0; k < keys; k++) x[k] = from[k] == 0 ? hidden : x[k];
    else
        for (int64_t k = 0; k < keys; k++) x[k] = from[0] == 0 ? hidden : x[k];
}

/* Hides the keys that the window of the query at position `here` does not reach. */
static inline void hide_beyond(lb_window w, int64_t here, int64_t keys, lb_real *x)
{
    int64_t first = w.left >= 0 ? here - w.left : 0, end = w.right >= 0 ? here + w.right + 1 : keys;
    for (int64_t k = 0; k < keys; k++)
        if (k < first || k >= end) x[k] = -(lb_real)INFINITY;
}

/* x becomes cap tanh(x / cap); `slope` receives its derivative, unless NULL. */
static inline LB_INLINED void cap_row(bool fused, int64_t keys, lb_real cap, lb_real *x, lb_real *slope)
{
    for (int64_t k = 0; k < keys; k++) {
        lb_real t = lb_tanh_inline(fused, x[k] / cap);
        x[k] = cap * t;
        if (slope) slope[k] = 1 - t * t;
    }
}

/* Scores become weights; what fills a row up to its stride has none. */
static inline LB_INLINED void normalize_row(bool fused, lb_normalizer normalizer, int64_t keys,
                                            int64_t stride, lb_real *x)
{
    for (int64_t k = keys; k < stride; k++) x[k] = -(lb_real)INFINITY;
    if (normalizer == LB_SOFTMAX)
        lb_softmax_row_inline(fused, stride, x);
    else
        lb_sparse_row(normalizer, stride, x);
}

LB_KERNEL(weigh_rows,
          (const lb_dot_options *options, const lb_dot_rows *rows, lb_dot_cover mask, lb_dot_cover bias),
          (options, rows, mask, bias))
{
    const int64_t keys = rows->keys, stride = rows->stride;
    const lb_real scale = options->scale;
    const bool caps = options->softcap > 0, last = caps && options->cap_biased;
    for (int64_t i = 0; i < rows->count; i++) {
        const int64_t query = rows->first + i;
        lb_real *x = rows->probabilities + i * stride;
#pragma omp simd
        for (int64_t k = 0; k < keys; k++) x[k] *= scale;
        if (last && bias.data) add_bias(bias, query, keys, x);
        if (last && mask.data) hide_masked(mask, query, keys, x);
        if (caps) cap_row(fused, keys, options->softcap, x, rows->slopes ? rows->slopes + i * stride : NULL);
        if (options->window.on) hide_beyond(options->window, options->first + query, keys, x);
        if (!last && bias.data) add_bias(bias, query, keys, x);
        if (!last && mask.data) hide_masked(mask, query, keys, x);
        normalize_row(fused, options->normalizer, keys, stride, x);
    }
}

void lb_dot_weigh(const lb_node *node, int64_t index, const lb_dot_rows *rows)
{
    weigh_rows(lb_dot_options_of(node), rows, lb_dot_cover_of(node, LB_DOT_MASK, index),
               lb_dot_cover_of(node, LB_DOT_BIAS, index));
}

/* `d` becomes `scale` times the gradient of what the normaliser read. */
LB_KERNEL(normalizer_backward, (lb_normalizer normalizer, const lb_dot_rows *rows, lb_real scale, lb_real *d),
          (normalizer, rows, scale, d))
{
    const int64_t stride = rows->stride;
    for (int64_t i = 0; i < rows->count; i++, d += stride) {
        const lb_real *p = rows->probabilities + i * stride, *weight = rows->weights + i * stride;
        if (normalizer != LB_SOFTMAX) {
            for (int64_t k = 0; k < stride; k++) d[k] = weight[k] == 0 ? 0 : d[k] * (weight[k] / p[k]);
            lb_real mean = lb_sparse_mean_inline(normalizer, stride, p, d);
            for (int64_t k = 0; k < stride; k++)
                d[k] = scale * lb_sparse_slope_inline(normalizer, p[k]) * (d[k] - mean);
            continue;
        }
        LB_SUM(lb_real, dot, k, stride, d[k] * weight[k]);
#pragma omp simd
        for (int64_t k = 0; k < stride; k++) d[k] = scale * (d[k] * weight[k] - dot * p[k]);
    }
}

void lb_dot_weigh_backward(const lb_node *node, const lb_dot_rows *rows, lb_real *d, lb_real *dbias)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    bool direct = !rows->slopes && !dbias;
    normalizer_backward(options->normalizer, rows, direct ? options->scale : 1, d);
    for (int64_t i = 0; i < rows->count && !direct; i++) {
        lb_real *row = d + i * rows->stride, *to = dbias ? dbias + i * rows->keys : NULL;
        const lb_real *slope = rows->slopes ? rows->slopes + i * rows->stride : NULL;
        size_t bytes = (size_t)rows->keys * sizeof *row;
        if (dbias && !options->cap_biased) memcpy(to, row, bytes);
        for (int64_t k = 0; k < rows->keys && slope; k++) row[k] *= slope[k];
        if (dbias && options->cap_biased) memcpy(to, row, bytes);
        for (int64_t k = 0; k < rows->keys; k++) row[k] *= options->scale;
    }
}
