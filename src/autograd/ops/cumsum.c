/* Running sums along an axis. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "lookback/ops.h"

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return lb_axis_check(node, *(const int *)node->attributes) < 0 ? LB_ERROR_ARGUMENT : LB_OK;
}

static lb_status forward(lb_node *node)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        int64_t at = row / a.inner * a.length * a.inner + row % a.inner;
        double sum = 0; /* as in lb_sum, so that the last one is the same */
        for (int64_t l = 0; l < a.length; l++, at += a.inner) {
            sum += (double)node->in[0]->data[at];
            node->out[0]->data[at] = (lb_real)sum;
        }
    }
    return LB_OK;
}

static void backward(lb_node *node)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    for (int64_t row = 0; row < a.outer * a.inner; row++) {
        int64_t at = row / a.inner * a.length * a.inner + row % a.inner + (a.length - 1) * a.inner;
        double sum = 0;
        for (int64_t l = a.length; l > 0; l--, at -= a.inner) {
            sum += (double)node->out[0]->grad[at];
            node->in[0]->grad[at] += (lb_real)sum;
        }
    }
}

static const lb_op cumsum_op = {
    .name = "cumsum",
    .operands = "x",
    .formula = "y_i = sum_(j <= i) x_j",
    .derivative = "dx_j += sum_(i >= j) dy_i",
    .shape = same_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** The sum of each element and all before it along an axis; -1 is the last. Shapes: any -> the same.
 *  Errors: LB_ERROR_ARGUMENT if x has no such axis. */
lb_tensor *lb_cumsum(lb_tensor *x, int axis)
{
    return lb_op_apply(&cumsum_op, LB_INPUTS(x), &axis, sizeof axis);
}
