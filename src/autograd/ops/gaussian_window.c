/* The window of local attention: weights fall with the distance from a position. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"

enum { WEIGHTS, CENTRE };

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    lb_shape weights = node->in[WEIGHTS]->shape;
    double deviation = *(const double *)node->attributes;
    if (weights.ndim != 3 ||
        !lb_shape_equal(node->in[CENTRE]->shape, LB_SHAPE(weights.dim[0], weights.dim[1], 1)))
        return lb_op_misfit(node, "expected a centre of shape [batch,queries,1]", WEIGHTS, CENTRE);
    if (!(deviation > 0))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "found a deviation of %g, expected more than 0",
                          deviation);
    *out = weights;
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    const lb_tensor *weights = node->in[WEIGHTS];
    int64_t keys = lb_dim(weights, 2);
    double deviation = *(const double *)node->attributes;
    lb_real *share = lb_op_reals(node, lb_count(weights));
    if (!share) return LB_ERROR_MEMORY;
    node->saved = share;
    for (int64_t i = 0; i < lb_count(weights); i++) {
        lb_real away = ((lb_real)(i % keys) - node->in[CENTRE]->data[i / keys]) / (lb_real)deviation;
        share[i] = lb_exp_inline(false, -away * away / 2);
        node->out[0]->data[i] = weights->data[i] * share[i];
    }
    return LB_OK;
}

static void backward(lb_node *node)
{
    lb_tensor *weights = node->in[WEIGHTS], *centre = node->in[CENTRE];
    const lb_real *share = node->saved, *dy = node->out[0]->grad;
    int64_t keys = lb_dim(weights, 2);
    double deviation = *(const double *)node->attributes;
    for (int64_t i = 0; i < lb_count(weights); i++) {
        lb_real away = (lb_real)(i % keys) - centre->data[i / keys];
        if (lb_wants_grad(weights)) weights->grad[i] += dy[i] * share[i];
        if (lb_wants_grad(centre))
            centre->grad[i / keys] += dy[i] * node->out[0]->data[i] * away / (lb_real)(deviation * deviation);
    }
}

static const lb_op gaussian_window_op = {
    .name = "gaussian_window",
    .operands = "weights centre",
    .formula = "y_s = w_s exp(-(s - p)^2 / (2 sigma^2)), p the centre",
    .derivative = "dw_s += dy_s exp(-(s - p)^2 / (2 sigma^2)), dp += sum_s dy_s y_s (s - p) / sigma^2",
    .shape = output_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Attention weights times a Gaussian around a position of the keys 0, 1, 2 and so on. Rows no longer sum to 1.
 *  Shapes: weights [batch, Q, K], centre [batch, Q, 1] -> [batch, Q, K].
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT unless deviation > 0.
 *  Source: Luong, Pham, Manning 2015, arXiv:1508.04025, equation 10. */
lb_tensor *lb_gaussian_window(lb_tensor *weights, lb_tensor *centre, double deviation)
{
    return lb_op_apply(&gaussian_window_op, LB_INPUTS(weights, centre), &deviation, sizeof deviation);
}
