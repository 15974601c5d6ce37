/* Softmax and its logarithm over the last axis. */
#include "autograd/op.h"
#include "base/transcendental.h"
#include "lookback/ops.h"
#include "tensor/softmax_row.h"

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    if (node->in[0]->shape.ndim == 0)
        return lb_op_fail(node, LB_ERROR_SHAPE, "x is a scalar, which has no last axis");
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status softmax_forward(lb_node *node)
{
    int64_t width = lb_dim(node->in[0], -1);
    for (int64_t offset = 0; offset < lb_count(node->in[0]); offset += width) {
        const lb_real *x = node->in[0]->data + offset;
        lb_real *y = node->out[0]->data + offset, maximum = lb_largest_inline(width, x), sum = 0;
        /* All at minus infinity: nothing to choose from. The row is zero, where the quotient would be NaN. */
        lb_real shift = maximum == -(lb_real)INFINITY ? 0 : maximum;
#pragma omp simd
        for (int64_t i = 0; i < width; i++) y[i] = lb_exp_inline(false, x[i] - shift);
        for (int64_t i = 0; i < width; i++) sum += y[i];
        for (int64_t i = 0; i < width && sum != 0; i++) y[i] /= sum;
    }
    return LB_OK;
}

static void softmax_backward(lb_node *node)
{
    int64_t width = lb_dim(node->in[0], -1);
    for (int64_t offset = 0; offset < lb_count(node->in[0]); offset += width) {
        const lb_real *y = node->out[0]->data + offset, *dy = node->out[0]->grad + offset;
        lb_real *dx = node->in[0]->grad + offset, dot = 0;
        for (int64_t i = 0; i < width; i++) dot += dy[i] * y[i];
        for (int64_t i = 0; i < width; i++) dx[i] += y[i] * (dy[i] - dot);
    }
}

static lb_status log_softmax_forward(lb_node *node)
{
    int64_t width = lb_dim(node->in[0], -1);
    for (int64_t offset = 0; offset < lb_count(node->in[0]); offset += width) {
        const lb_real *x = node->in[0]->data + offset;
        lb_real maximum = lb_largest_inline(width, x), sum = 0;
        lb_real shift = maximum == -(lb_real)INFINITY ? 0 : maximum, *y = node->out[0]->data + offset;
#pragma omp simd
        for (int64_t i = 0; i < width; i++) y[i] = lb_exp_inline(false, x[i] - shift);
        for (int64_t i = 0; i < width; i++) sum += y[i];
        /* Nothing to choose from: -inf, the logarithm of the zeros of softmax. */
        lb_real log_sum = sum == 0 ? 0 : (lb_real)lb_log64((double)sum);
        /* The difference first: it is small, and exact for close numbers, however large they are. */
#pragma omp simd
        for (int64_t i = 0; i < width; i++) y[i] = (x[i] - shift) - log_sum;
    }
    return LB_OK;
}

static void log_softmax_backward(lb_node *node)
{
    int64_t width = lb_dim(node->in[0], -1);
    for (int64_t offset = 0; offset < lb_count(node->in[0]); offset += width) {
        const lb_real *y = node->out[0]->data + offset, *dy = node->out[0]->grad + offset;
        lb_real *dx = node->in[0]->grad + offset, sum = 0;
        if (lb_largest_inline(width, y) == -(lb_real)INFINITY) continue; /* nothing to choose from */
        for (int64_t i = 0; i < width; i++) sum += dy[i];
        for (int64_t i = 0; i < width; i++) dx[i] += dy[i] - lb_exp_inline(false, y[i]) * sum;
    }
}

static const lb_op softmax_op = {
    .name = "softmax",
    .operands = "x",
    .formula = "y_i = e^x_i / sum_j e^x_j",
    .derivative = "dx_i += y_i (dy_i - sum_j dy_j y_j)",
    .shape = same_shape,
    .forward = softmax_forward,
    .backward = LB_TRAINING(softmax_backward),
};

static const lb_op log_softmax_op = {
    .name = "log_softmax",
    .operands = "x",
    .formula = "y_i = x_i - ln sum_j e^x_j",
    .derivative = "dx_i += dy_i - e^y_i sum_j dy_j",
    .shape = same_shape,
    .forward = log_softmax_forward,
    .backward = LB_TRAINING(log_softmax_backward),
};

/** Softmax over the last axis, of the same shape. A row of only -inf gives zeros and zero gradients, where PyTorch
 *  gives NaN. */
lb_tensor *lb_softmax(lb_tensor *x)
{
    return lb_op_apply(&softmax_op, LB_INPUTS(x), NULL, 0);
}

/** The logarithm of lb_softmax, computed directly, so that small probabilities do not underflow. A row of only -inf
 *  gives -inf and zero gradients, where PyTorch gives NaN. */
lb_tensor *lb_log_softmax(lb_tensor *x)
{
    return lb_op_apply(&log_softmax_op, LB_INPUTS(x), NULL, 0);
}
