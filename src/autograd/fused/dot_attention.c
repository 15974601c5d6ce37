#include "autograd/fused/dot_attention.h"

#include "autograd/op.h"
#include "tensor/elementary.h"
#include "tensor/shape.h"
#include "tensor/softmax_row.h"

#include <string.h>

/* ---- Shapes, heads, and the keys in reach. ---- */

enum { QUERY = LB_DOT_QUERY, KEYS = LB_DOT_KEYS, VALUES = LB_DOT_VALUES, MASK = LB_DOT_MASK };
enum { CONTEXT = LB_DOT_CONTEXT, WEIGHTS = LB_DOT_WEIGHTS };

/* Operands are [batch, length, heads * width], where a head is a range of columns, or [batch, heads, length, width].
 * Either way, a head of one batch row is a matrix whose rows are `row` numbers apart. */
typedef struct view {
    int64_t length, width; /* of one head */
    int64_t batch, head, row;
    int64_t start; /* of the first head */
} view;

static view view_of(const lb_tensor *x, int64_t heads)
{
    int64_t length = lb_dim(x, -2), width = lb_dim(x, -1);
    if (x->shape.ndim == 4) return (view){length, width, heads * length * width, length * width, width, 0};
    return (view){length, width / heads, length * width, width / heads, width, 0};
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
static view view_of_operand(const lb_node *node, int which)
{
    const lb_tensor *x = node->in[lb_dot_holder(node, which)];
    int64_t heads = heads_of(node, which), width = packed_width(node), columns = lb_dim(x, -1);
    view v = view_of(x, heads);
    if (width == 0) return v;
    v.width = v.head = width;
    if (which == KEYS) v.start = columns - 2 * heads * width;
    if (which == VALUES) v.start = columns - heads * width;
    return v;
}

static lb_status check_packed(const lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    int holder = lb_dot_holder(node, KEYS);
    lb_shape query = node->in[QUERY]->shape, keys = node->in[holder]->shape;
    if (query.ndim != 3 || keys.ndim != 3 || query.dim[0] != keys.dim[0])
        return lb_op_misfit(node, "expected three axes and equal batch sizes", QUERY, holder);
    if (options->heads < 1 || options->kv_heads < 1 || options->heads % options->kv_heads)
        return lb_op_fail(node, LB_ERROR_SHAPE,
                          "%lld heads of queries cannot share %lld heads of keys evenly",
                          (long long)options->heads, (long long)options->kv_heads);
    int64_t width = packed_width(node), first = options->heads * width, last = 2 * options->kv_heads * width;
    if (query.dim[2] < first + (holder == QUERY ? last : 0) || keys.dim[2] < last)
        return lb_op_misfit(node, "too few columns for heads", QUERY, holder);
    return LB_OK;
}

static lb_status check_heads(const lb_node *node)
{
    const lb_dot_options *options = lb_dot_options_of(node);
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
    if (options->heads % options->kv_heads)
        return lb_op_fail(node, LB_ERROR_SHAPE,
                          "%lld heads of queries cannot share %lld heads of keys evenly",
                          (long long)options->heads, (long long)options->kv_heads);
    return LB_OK;
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
    view q = view_of_operand(node, QUERY), k = view_of_operand(node, KEYS), v = view_of_operand(node, VALUES);
    out[CONTEXT] = node->in[QUERY]->shape;
    int last = out[CONTEXT].ndim - 1;
    out[CONTEXT].dim[last] = last == 3 ? v.width : v.width * options->heads;
    out[WEIGHTS] = LB_SHAPE(out[CONTEXT].dim[0], options->heads, q.length, k.length);
    status = check_mask(node, MASK, out[WEIGHTS]);
    if (!status) status = check_mask(node, LB_DOT_BIAS, out[WEIGHTS]);
    if (options->context_only) out[WEIGHTS].dim[3] = 0;
    return status;
}

lb_dot_head lb_dot_head_of(const lb_node *node, int64_t index)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    int64_t heads = options->heads, batch = index / heads, h = index % heads, shared = h / lb_dot_group(node);
    view q = view_of_operand(node, QUERY), k = view_of_operand(node, KEYS), v = view_of_operand(node, VALUES);
    view c = view_of(node->out[CONTEXT], heads);
    return (lb_dot_head){
        .queries = q.length,
        .keys = k.length,
        .width = q.width,
        .depth = v.width,
        .query_at = batch * q.batch + h * q.head,
        .keys_at = batch * k.batch + shared * k.head + k.start,
        .values_at = batch * v.batch + shared * v.head + v.start,
        .context_at = batch * c.batch + h * c.head,
        .weights_at = index * q.length * k.length,
        .query_row = q.row,
        .keys_row = k.row,
        .values_row = v.row,
        .context_row = c.row,
    };
}

int64_t lb_dot_head_count(const lb_node *node)
{
    return lb_dim(node->in[QUERY], 0) * lb_dot_options_of(node)->heads;
}

int64_t lb_dot_group(const lb_node *node)
{
    return lb_dot_options_of(node)->heads / lb_dot_options_of(node)->kv_heads;
}

int64_t lb_dot_row_at(const lb_node *node, int which, int64_t index, int64_t i, int64_t *step)
{
    const lb_tensor *mask = node->in[which];
    int64_t heads = lb_dot_options_of(node)->heads, offset = 0;
    const int64_t at[LB_MAX_DIMS] = {i, index % heads, index / heads};
    *step = mask->shape.ndim > 0 && lb_dim(mask, -1) > 1 ? 1 : 0;
    for (int axis = 2; axis <= mask->shape.ndim; axis++)
        if (lb_dim(mask, -axis) > 1) offset += at[axis - 2] * lb_shape_stride(mask->shape, -axis);
    return offset;
}

const lb_real *lb_dot_row(const lb_node *node, int which, int64_t index, int64_t i, int64_t *step)
{
    return node->in[which] ? node->in[which]->data + lb_dot_row_at(node, which, index, i, step) : NULL;
}

/* ---- Rows of scores. ---- */

/* The part of a mask or bias that covers some rows of a head: its rows are `row` numbers apart, and `step` is 0 if one
 * number covers all keys. No data: there is none. */
typedef struct cover {
    const lb_real *data;
    int64_t row, step;
} cover;

static cover cover_of(const lb_node *node, int which, int64_t index, int64_t first)
{
    cover c = {0};
    if (!node->in[which]) return c;
    int64_t at = lb_dot_row_at(node, which, index, first, &c.step), step;
    c.data = node->in[which]->data + at;
    c.row = lb_dot_row_at(node, which, index, first + 1, &step) - at;
    return c;
}

static inline void add_bias(cover bias, int64_t i, int64_t keys, lb_real *x)
{
    const lb_real *from = bias.data + i * bias.row;
    if (bias.step)
        for (int64_t k = 0; k < keys; k++) x[k] += from[k];
    else
        for (int64_t k = 0; k < keys; k++) x[k] += from[0];
}

static inline void hide_masked(cover mask, int64_t i, int64_t keys, lb_real *x)
{
    const lb_real *from = mask.data + i * mask.row, hidden = -(lb_real)INFINITY;
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
static inline void cap_row(int64_t keys, lb_real cap, lb_real *x, lb_real *slope)
{
    for (int64_t k = 0; k < keys; k++) {
        lb_real t = lb_tanh_inline(x[k] / cap);
        x[k] = cap * t;
        if (slope) slope[k] = 1 - t * t;
    }
}

/* Scores become weights; what fills a row up to its stride has none. */
static inline void normalize_row(lb_normalizer normalizer, int64_t keys, int64_t stride, lb_real *x)
{
    for (int64_t k = keys; k < stride; k++) x[k] = -(lb_real)INFINITY;
    if (normalizer == LB_SOFTMAX)
        lb_softmax_row_inline(stride, x);
    else
        lb_sparse_row(normalizer, stride, x);
}

LB_KERNEL(weigh_rows, (const lb_dot_options *options, const lb_dot_rows *rows, cover mask, cover bias),
          (options, rows, mask, bias))
{
    const int64_t keys = rows->keys, stride = rows->stride;
    const lb_real scale = options->scale;
    const bool caps = options->softcap > 0, last = caps && options->cap_biased;
    for (int64_t i = 0; i < rows->count; i++) {
        lb_real *x = rows->probabilities + i * stride;
#pragma omp simd
        for (int64_t k = 0; k < keys; k++) x[k] *= scale;
        if (last && bias.data) add_bias(bias, i, keys, x);
        if (last && mask.data) hide_masked(mask, i, keys, x);
        if (caps) cap_row(keys, options->softcap, x, rows->slopes ? rows->slopes + i * stride : NULL);
        if (options->window.on) hide_beyond(options->window, options->first + rows->first + i, keys, x);
        if (!last && bias.data) add_bias(bias, i, keys, x);
        if (!last && mask.data) hide_masked(mask, i, keys, x);
        normalize_row(options->normalizer, keys, stride, x);
    }
}

void lb_dot_weigh(const lb_node *node, int64_t index, const lb_dot_rows *rows)
{
    weigh_rows(lb_dot_options_of(node), rows, cover_of(node, LB_DOT_MASK, index, rows->first),
               cover_of(node, LB_DOT_BIAS, index, rows->first));
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
        lb_real dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t k = 0; k < stride; k++) dot += d[k] * weight[k];
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
