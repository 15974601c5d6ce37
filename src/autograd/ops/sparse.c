/* Sparsemax and 1.5-entmax: weights like those of softmax, but many are exactly zero. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/softmax_row.h"

#include <string.h>

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    if (node->in[0]->shape.ndim == 0)
        return lb_op_fail(node, LB_ERROR_SHAPE, "x is a scalar, which has no last axis");
    *out = node->in[0]->shape;
    return LB_OK;
}

LB_KERNEL(sparse_rows_backward,
          (lb_normalizer normalizer, int64_t count, int64_t width, const lb_real *y, const lb_real *dy,
           lb_real *dx),
          (normalizer, count, width, y, dy, dx))
{
    for (int64_t offset = 0; offset < count; offset += width) {
        lb_real mean = lb_sparse_mean_inline(normalizer, width, y + offset, dy + offset);
        for (int64_t i = offset; i < offset + width; i++)
            dx[i] += lb_sparse_slope_inline(normalizer, y[i]) * (dy[i] - mean);
    }
}

static void forward(lb_node *node, lb_normalizer normalizer)
{
    int64_t count = lb_count(node->in[0]), width = lb_dim(node->in[0], -1);
    lb_real *y = node->out[0]->data;
    memcpy(y, node->in[0]->data, (size_t)count * sizeof(lb_real));
    for (int64_t offset = 0; offset < count; offset += width) lb_sparse_row(normalizer, width, y + offset);
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

static const lb_op sparsemax_op = {
    .name = "sparsemax",
    .operands = "x",
    .formula = "y_i = max(x_i - tau, 0), where tau makes sum_i y_i = 1",
    .derivative = "dx_i += s_i (dy_i - sum_j s_j dy_j / sum_j s_j), s_i = 1 if y_i > 0, else 0",
    .shape = same_shape,
    .forward = sparsemax_forward,
    .backward = LB_TRAINING(sparsemax_backward),
};

static const lb_op entmax_op = {
    .name = "entmax15",
    .operands = "x",
    .formula = "y_i = max(x_i / 2 - tau, 0)^2, where tau makes sum_i y_i = 1",
    .derivative = "dx_i += s_i (dy_i - sum_j s_j dy_j / sum_j s_j), s_i = sqrt(y_i)",
    .shape = same_shape,
    .forward = entmax_forward,
    .backward = LB_TRAINING(entmax_backward),
};

/** Sparsemax over the last axis: the point of the simplex that is nearest to x. Scores far below the largest one get
 *  exactly 0, and no gradient. A row of only -inf gives zeros, as in lb_softmax.
 *  Source: Martins, Astudillo 2016, arXiv:1602.02068. Differs: the threshold is found without sorting. */
lb_tensor *lb_sparsemax(lb_tensor *x)
{
    return lb_op_apply(&sparsemax_op, LB_INPUTS(x), NULL, 0);
}

/** 1.5-entmax over the last axis, between lb_softmax and lb_sparsemax, with the zeros of the latter.
 *  Source: Peters, Niculae, Martins 2019, arXiv:1905.05702. Differs: the threshold is found without sorting. */
lb_tensor *lb_entmax15(lb_tensor *x)
{
    return lb_op_apply(&entmax_op, LB_INPUTS(x), NULL, 0);
}
