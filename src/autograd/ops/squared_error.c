/* The mean of squared differences, the loss of a regression. */
#include "autograd/op.h"
#include "lookback/ops.h"

#include <math.h>

enum { X, TARGET };

/* Where element `i` is, "[3,0]". */
static char *place_of(lb_shape shape, int64_t i, char text[LB_SHAPE_TEXT])
{
    lb_shape place = shape;
    for (int d = shape.ndim - 1; d >= 0; i /= shape.dim[d--]) place.dim[d] = i % shape.dim[d];
    return lb_shape_format(place, text);
}

static lb_status scalar_shape(const lb_node *node, lb_shape *out)
{
    const lb_tensor *target = node->in[TARGET];
    *out = (lb_shape){0};
    if (!lb_shape_equal(node->in[X]->shape, target->shape))
        return lb_op_misfit(node, "shapes do not match", X, TARGET);
    for (int64_t i = 0; i < lb_count(target); i++) {
        char text[LB_SHAPE_TEXT];
        if (isnan(target->data[i]))
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "target%s is nan, expected a number",
                              place_of(target->shape, i, text));
    }
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    const lb_real *x = node->in[X]->data, *target = node->in[TARGET]->data;
    int64_t count = lb_count(node->in[X]);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        double difference = (double)x[i] - (double)target[i];
        sum += difference * difference;
    }
    node->out[0]->data[0] = count ? (lb_real)(sum / (double)count) : 0;
    return LB_OK;
}

static void backward(lb_node *node)
{
    lb_tensor *x = node->in[X], *target = node->in[TARGET];
    lb_real factor = 2 * node->out[0]->grad[0] / (lb_real)lb_count(x);
    bool x_wants = lb_wants_grad(x), target_wants = lb_wants_grad(target);
    for (int64_t i = 0; i < lb_count(x); i++) {
        lb_real slope = factor * (x->data[i] - target->data[i]);
        if (x_wants) x->grad[i] += slope;
        if (target_wants) target->grad[i] -= slope;
    }
}

static const lb_op mean_squared_error_op = {
    .name = "mean_squared_error",
    .operands = "x target",
    .formula = "loss = (1/n) sum (x - target)^2 over all n elements",
    .derivative = "dx += dloss 2 (x - target) / n; dtarget -= dloss 2 (x - target) / n",
    .shape = scalar_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** The mean of (x - target)^2 over all elements, as nn.MSELoss; without elements it is 0.
 *  Shapes: x and target the same -> scalar.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT, with the position, if a target is NaN. */
lb_tensor *lb_mean_squared_error(lb_tensor *x, lb_tensor *target)
{
    return lb_op_apply(&mean_squared_error_op, LB_INPUTS(x, target), NULL, 0);
}
