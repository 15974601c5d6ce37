/* The largest element along an axis, and its smooth twin, log-sum-exp. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "base/transcendental.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"

static lb_status reduced_shape(const lb_node *node, lb_shape *out)
{
    return lb_axis_removed(node, *(const int *)node->attributes, false, out);
}

static lb_axis axis_of(const lb_node *node)
{
    return lb_axis_of(node, *(const int *)node->attributes);
}

/* Where the elements of row [o, :, i] start in the operand; they are `inner` apart. */
static int64_t start(lb_axis a, int64_t row)
{
    return row / a.inner * a.length * a.inner + row % a.inner;
}

static lb_real largest(const lb_real *x, lb_axis a)
{
    lb_real found = -(lb_real)INFINITY;
    for (int64_t l = 0; l < a.length; l++) {
        lb_real next = x[l * a.inner];
        if (next > found || next != next) found = next;
        if (found != found) return found;
    }
    return found;
}

static lb_status max_forward(lb_node *node)
{
    lb_axis a = axis_of(node);
    for (int64_t row = 0; row < a.outer * a.inner; row++)
        node->out[0]->data[row] = largest(node->in[0]->data + start(a, row), a);
    return LB_OK;
}

static void max_backward(lb_node *node)
{
    lb_axis a = axis_of(node);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        const lb_real *x = node->in[0]->data + start(a, row);
        lb_real *dx = node->in[0]->grad + start(a, row), y = node->out[0]->data[row];
        int64_t equal = 0;
        for (int64_t l = 0; l < a.length; l++) equal += x[l * a.inner] == y;
        for (int64_t l = 0; l < a.length; l++)
            if (x[l * a.inner] == y) dx[l * a.inner] += node->out[0]->grad[row] / (lb_real)equal;
    }
}

/* The sum of e^(x - shift), where no power overflows. */
static double sum_of_powers(const lb_real *x, lb_axis a, double *shift)
{
    double sum = 0;
    *shift = (double)largest(x, a);
    if (isinf(*shift)) *shift = 0;
    for (int64_t l = 0; l < a.length; l++) sum += lb_exp64((double)x[l * a.inner] - *shift);
    return sum;
}

static lb_status log_sum_exp_forward(lb_node *node)
{
    lb_axis a = axis_of(node);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        double shift, sum = sum_of_powers(node->in[0]->data + start(a, row), a, &shift);
        node->out[0]->data[row] = (lb_real)(lb_log64(sum) + shift);
    }
    return LB_OK;
}

static void log_sum_exp_backward(lb_node *node)
{
    lb_axis a = axis_of(node);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        const lb_real *x = node->in[0]->data + start(a, row);
        lb_real *dx = node->in[0]->grad + start(a, row);
        double shift, sum = sum_of_powers(x, a, &shift);
        if (sum == 0) continue; /* nothing to choose from */
        lb_real each = node->out[0]->grad[row] / (lb_real)sum;
        for (int64_t l = 0; l < a.length; l++)
            dx[l * a.inner] += each * lb_exp_inline(false, x[l * a.inner] - (lb_real)shift);
    }
}

static const lb_op max_op = {
    .name = "reduce_max",
    .operands = "x",
    .formula = "y = max_i x_i",
    .derivative = "dx_i += dy / n for the n elements with x_i = y",
    .shape = reduced_shape,
    .forward = max_forward,
    .backward = LB_TRAINING(max_backward),
};

static const lb_op log_sum_exp_op = {
    .name = "log_sum_exp",
    .operands = "x",
    .formula = "y = ln sum_i e^x_i",
    .derivative = "dx_i += dy e^(x_i - y)",
    .shape = reduced_shape,
    .forward = log_sum_exp_forward,
    .backward = LB_TRAINING(log_sum_exp_backward),
};

/** The largest element along an axis, which is removed; -1 is the last. NaN if there is one, -inf along an axis of
 *  length 0. Equal ones share the gradient, as with torch.amax.
 *  Errors: LB_ERROR_ARGUMENT if x has no such axis. */
lb_tensor *lb_reduce_max(lb_tensor *x, int axis)
{
    return lb_op_apply(&max_op, LB_INPUTS(x), &axis, sizeof axis);
}

/** The logarithm of the sum of the exponentials along an axis, which is removed. If all elements are -inf it is -inf,
 *  without a gradient. Errors: as lb_reduce_max. */
lb_tensor *lb_log_sum_exp(lb_tensor *x, int axis)
{
    return lb_op_apply(&log_sum_exp_op, LB_INPUTS(x), &axis, sizeof axis);
}
