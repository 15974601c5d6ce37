/* Additive attention of many queries at once. LSTMs and the kinds built on additive scores use it; the default model
 * runs lb_attention_gru_sequence instead. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/attention_kernel.h"
#include "tensor/elementary.h"

#include <string.h>

enum { QUERY, KEYS, VALUES, V, MASK };
enum { CONTEXT, WEIGHTS };

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_shape query = node->in[QUERY]->shape, keys = node->in[KEYS]->shape, values = node->in[VALUES]->shape;
    if (query.ndim != 3 || keys.ndim != 3 || query.dim[0] != keys.dim[0] || query.dim[2] != keys.dim[2])
        return lb_op_misfit(node, "batch sizes or widths differ", QUERY, KEYS);
    if (values.ndim != 3 || values.dim[0] != keys.dim[0] || values.dim[1] != keys.dim[1])
        return lb_op_misfit(node, "expected one value per key", KEYS, VALUES);
    if (lb_count(node->in[V]) != keys.dim[2]) return lb_op_misfit(node, "widths differ", V, KEYS);
    if (node->in[MASK] && !lb_shape_equal(node->in[MASK]->shape, LB_SHAPE(keys.dim[0], keys.dim[1])))
        return lb_op_misfit(node, "expected a mask of shape [batch,keys]", MASK, KEYS);
    out[CONTEXT] = LB_SHAPE(query.dim[0], query.dim[1], values.dim[2]);
    out[WEIGHTS] = LB_SHAPE(query.dim[0], query.dim[1], keys.dim[1]);
    return lb_op_check_normalizer(node, *(const lb_normalizer *)node->attributes);
}

static lb_attended attended_by(const lb_node *node, int64_t row)
{
    const lb_tensor *keys = node->in[KEYS], *values = node->in[VALUES], *mask = node->in[MASK];
    lb_attended to = {.count = lb_dim(keys, 1), .width = lb_dim(keys, 2), .depth = lb_dim(values, 2)};
    to.keys = keys->data + row * to.count * to.width;
    to.values = values->data + row * to.count * to.depth;
    to.mask = mask ? mask->data + row * to.count : NULL;
    to.v = node->in[V]->data;
    to.normalizer = *(const lb_normalizer *)node->attributes;
    return to;
}

static lb_status forward(lb_node *node)
{
    int64_t batch = lb_dim(node->in[QUERY], 0), queries = lb_dim(node->in[QUERY], 1);
#pragma omp parallel for schedule(static) if (batch > 1)
    for (int64_t row = 0; row < batch; row++) {
        lb_attended to = attended_by(node, row);
        for (int64_t at = row * queries; at < (row + 1) * queries; at++)
            lb_attend(&to, node->in[QUERY]->data + at * to.width, node->out[WEIGHTS]->data + at * to.count,
                      node->out[CONTEXT]->data + at * to.depth);
    }
    return LB_OK;
}

static void add_into(lb_tensor *operand, int64_t offset, const lb_real *grad, int64_t count)
{
    if (lb_wants_grad(operand)) lb_add_to(count, grad, operand->grad + offset);
}

/* Divides a block among the gradients of one row of the batch, and returns how much they take. */
static int64_t lay_out(const lb_attended *to, lb_real *block, lb_attended_grad *grad)
{
    lb_parts parts = {.block = block};
    grad->keys = lb_parts_next(&parts, to->count * to->width);
    grad->values = lb_parts_next(&parts, to->count * to->depth);
    grad->v = lb_parts_next(&parts, to->width);
    grad->query = lb_parts_next(&parts, to->width);
    grad->scores = lb_parts_next(&parts, to->count);
    return parts.count;
}

static void backward_row(lb_node *node, int64_t row, lb_attended_grad grad)
{
    int64_t queries = lb_dim(node->in[QUERY], 1);
    lb_attended to = attended_by(node, row);
    for (int64_t at = row * queries; at < (row + 1) * queries; at++) {
        lb_attend_backward(&to, node->in[QUERY]->data + at * to.width,
                           node->out[WEIGHTS]->data + at * to.count, node->out[CONTEXT]->grad + at * to.depth,
                           node->out[WEIGHTS]->grad + at * to.count, grad);
        add_into(node->in[QUERY], at * to.width, grad.query, to.width);
    }
    add_into(node->in[KEYS], row * to.count * to.width, grad.keys, to.count * to.width);
    add_into(node->in[VALUES], row * to.count * to.depth, grad.values, to.count * to.depth);
}

static int64_t backward_work(const lb_node *node)
{
    lb_attended shape = attended_by(node, 0);
    return lb_dim(node->in[QUERY], 0) * lay_out(&shape, NULL, &(lb_attended_grad){0});
}

static void backward(lb_node *node)
{
    int64_t batch = lb_dim(node->in[QUERY], 0);
    lb_attended shape = attended_by(node, 0);
    lb_attended_grad grad;
    int64_t each = lay_out(&shape, node->work, &grad);
    memset(node->work, 0, (size_t)(batch * each) * sizeof *node->work);
#pragma omp parallel for schedule(static) if (batch > 1)
    for (int64_t row = 0; row < batch; row++) {
        lb_attended_grad own;
        lay_out(&shape, node->work + row * each, &own);
        backward_row(node, row, own);
    }
    /* v is shared by all rows: their parts are added in order. */
    for (int64_t row = 0; row < batch; row++) add_into(node->in[V], 0, grad.v + row * each, shape.width);
}

static const lb_op additive_attention_op = {
    .name = "attend_additive",
    .operands = "query keys values v mask?",
    .formula =
        "context = sum_k w_k value_k, w = softmax_k(v' tanh(query + key_k)), or sparsemax, or entmax15",
    .derivative = "ds_k = w_k (dw_k - sum_j w_j dw_j), or as sparsemax or entmax15, dquery += sum_k ds_k v "
                  "(1 - tanh^2), "
                  "dkey_k += the same term",
    .outputs = 2,
    .shape = output_shapes,
    .forward = forward,
    .work = LB_TRAINING(backward_work),
    .backward = LB_TRAINING(backward),
};

/** Additive attention on projected operands: score(q, k) = v' tanh(q + k).
 *  Shapes: query [batch, Q, width], keys [batch, K, width], values [batch, K, depth], v [width] or [1, width], mask
 *          [batch, K] or NULL -> context [batch, Q, depth]; output 1: weights [batch, Q, K].
 *  Mask:   1 attends, 0 does not; no gradient. A row of weights sums to 1, or is all zeros without keys to attend to.
 *  Errors: LB_ERROR_SHAPE. Cost: O(batch Q K (width + depth)), memory O(batch Q K).
 *  Source: Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A.1.2. */
lb_tensor *lb_attend_additive(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *v,
                              lb_tensor *mask)
{
    return lb_attend_additive_by(query, keys, values, v, mask, LB_SOFTMAX);
}

/** lb_attend_additive with weights by sparsemax or entmax: keys with the weight 0 get no gradient. */
lb_tensor *lb_attend_additive_by(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *v,
                                 lb_tensor *mask, lb_normalizer normalizer)
{
    return lb_op_apply(&additive_attention_op, LB_INPUTS(query, keys, values, v, mask), &normalizer,
                       sizeof normalizer);
}
