/* Sparsemax and 1.5-entmax over the last axis: weights as softmax gives them, but many are exactly zero. */
#include "autograd/fused/reference_weights.h"
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/sparse_row.h"

#include <string.h>

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    if (node->in[0]->shape.ndim == 0)
        return lb_op_fail(node, LB_ERROR_SHAPE, "x is a scalar, which has no last axis");
    *out = node->in[0]->shape;
    return LB_OK;
}

LB_KERNEL static void sparse_rows(lb_normalizer normalizer, int64_t count, int64_t width, lb_real *x)
{
    for (int64_t offset = 0; offset < count; offset += width)
        lb_sparse_row_inline(normalizer, width, x + offset);
}

LB_KERNEL static void sparse_rows_backward(lb_normalizer normalizer, int64_t count, int64_t width,
                                           const lb_real *y, const lb_real *dy, lb_real *dx)
{
    for (int64_t offset = 0; offset < count; offset += width) {
        lb_real mean = lb_sparse_mean_inline(normalizer, width, y + offset, dy + offset);
        for (int64_t i = offset; i < offset + width; i++)
            dx[i] += lb_sparse_slope_inline(normalizer, y[i]) * (dy[i] - mean);
    }
}

static void forward(lb_node *node, lb_normalizer normalizer)
{
    int64_t count = lb_count(node->in[0]);
    memcpy(node->out[0]->data, node->in[0]->data, (size_t)count * sizeof(lb_real));
    sparse_rows(normalizer, count, lb_dim(node->in[0], -1), node->out[0]->data);
}

static void backward(lb_node *node, lb_normalizer normalizer)
{
    sparse_rows_backward(normalizer, lb_count(node->in[0]), lb_dim(node->in[0], -1), node->out[0]->data,
                         node->out[0]->grad, node->in[0]->grad);
}

static lb_status sparsemax_forward(lb_node *node)
{
    forward(node, LB_SPARSEMAX);
    return LB_OK;
}

static void sparsemax_backward(lb_node *node)
{
    backward(node, LB_SPARSEMAX);
}

static lb_status entmax_forward(lb_node *node)
{
    forward(node, LB_ENTMAX);
    return LB_OK;
}

static void entmax_backward(lb_node *node)
{
    backward(node, LB_ENTMAX);
}

static void reference(const lb_node *node, lb_normalizer normalizer, double *const *out)
{
    int64_t count = lb_count(node->in[0]), width = lb_dim(node->in[0], -1);
    for (int64_t i = 0; i < count; i++) out[0][i] = (double)node->in[0]->data[i];
    for (int64_t i = 0; i < count; i += width) lb_reference_weights(normalizer, width, out[0] + i);
}

static void sparsemax_reference(const lb_node *node, double *const *out)
{
    reference(node, LB_SPARSEMAX, out);
}

static void entmax_reference(const lb_node *node, double *const *out)
{
    reference(node, LB_ENTMAX, out);
}

static lb_tensor *sparsemax_case(lb_tensor *const *in)
{
    return lb_sparsemax(in[0]);
}

static lb_tensor *entmax_case(lb_tensor *const *in)
{
    return lb_entmax15(in[0]);
}

/* Every second row has a hidden first element; the last row has nothing else. */
static lb_tensor *hide_some(lb_tensor *x)
{
    static const lb_real mask[] = {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
    return lb_masked_fill(x, lb_tensor_new(x->tape, LB_SHAPE(4, 4), mask), -(lb_real)INFINITY);
}

static lb_tensor *sparsemax_hidden_case(lb_tensor *const *in)
{
    return lb_sparsemax(hide_some(in[0]));
}

static lb_tensor *entmax_hidden_case(lb_tensor *const *in)
{
    return lb_entmax15(hide_some(in[0]));
}

static const lb_op_case sparsemax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = sparsemax_case},
    {"close scores", 1, {LB_DIMS(3, 7)}, .low = -0.1, .high = 0.1, .apply = sparsemax_case},
    {"one column", 1, {LB_DIMS(3, 1)}, .apply = sparsemax_case},
    {"hidden", 1, {LB_DIMS(4, 4)}, .apply = sparsemax_hidden_case},
};
static const lb_op_case entmax_cases[] = {
    {"rows", 1, {LB_DIMS(2, 3, 5)}, .low = -3, .high = 3, .apply = entmax_case},
    {"close scores", 1, {LB_DIMS(3, 7)}, .low = -0.1, .high = 0.1, .apply = entmax_case},
    {"one column", 1, {LB_DIMS(3, 1)}, .apply = entmax_case},
    {"hidden", 1, {LB_DIMS(4, 4)}, .apply = entmax_hidden_case},
};

static const lb_op sparsemax_op = {
    .name = "sparsemax",
    .operands = "x",
    .formula = "y_i = max(x_i - tau, 0), where tau makes sum_i y_i = 1",
    .derivative = "dx_i += s_i (dy_i - sum_j s_j dy_j / sum_j s_j), s_i = 1 if y_i > 0, else 0",
    .shape = same_shape,
    .forward = sparsemax_forward,
    .backward = sparsemax_backward,
    .reference = sparsemax_reference,
    .cases = sparsemax_cases,
    .case_count = LB_LENGTH(sparsemax_cases),
};

static const lb_op entmax_op = {
    .name = "entmax15",
    .operands = "x",
    .formula = "y_i = max(x_i / 2 - tau, 0)^2, where tau makes sum_i y_i = 1",
    .derivative = "dx_i += s_i (dy_i - sum_j s_j dy_j / sum_j s_j), s_i = sqrt(y_i)",
    .shape = same_shape,
    .forward = entmax_forward,
    .backward = entmax_backward,
    .reference = entmax_reference,
    .cases = entmax_cases,
    .case_count = LB_LENGTH(entmax_cases),
};

/** Sparsemax over the last axis: the point of the simplex that is nearest to x. Scores that are far enough below the
 *  largest one get exactly 0, and no gradient. A row of only -inf gives zeros and zero gradients, as in lb_softmax.
 *  Shapes: [..., n] -> the same.
 *  Source: Martins, Astudillo 2016, arXiv:1602.02068. Differs: the threshold is found without sorting. */
lb_tensor *lb_sparsemax(lb_tensor *x)
{
    return lb_op_apply(&sparsemax_op, LB_INPUTS(x), NULL, 0);
}

/** 1.5-entmax over the last axis, between lb_softmax and lb_sparsemax: smooth where the support does not change, and
 *  exactly 0 for scores that are far enough below the largest one. A row of only -inf gives zeros and zero gradients.
 *  Shapes: [..., n] -> the same.
 *  Source: Peters, Niculae, Martins 2019, arXiv:1905.05702. Differs: the threshold is found without sorting. */
lb_tensor *lb_entmax15(lb_tensor *x)
{
    return lb_op_apply(&entmax_op, LB_INPUTS(x), NULL, 0);
}

static const lb_op *const ops[] = {&sparsemax_op, &entmax_op};
const lb_op_family lb_family_sparse = {ops, LB_LENGTH(ops)};
