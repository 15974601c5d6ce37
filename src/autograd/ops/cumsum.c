/* Running sums along an axis. */
#include "autograd/axis.h"
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

static void reference(const lb_node *node, double *const *out)
{
    lb_axis a = lb_axis_of(node, *(const int *)node->attributes);
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        int64_t along = i / a.inner % a.length;
        out[0][i] = 0;
        for (int64_t l = 0; l <= along; l++) out[0][i] += (double)node->in[0]->data[i - l * a.inner];
    }
}

static lb_tensor *cumsum_last(lb_tensor *const *in)
{
    return lb_cumsum(in[0], -1);
}

static lb_tensor *cumsum_middle(lb_tensor *const *in)
{
    return lb_cumsum(in[0], 1);
}

static const lb_op_case cases[] = {
    {"last axis", 1, {LB_DIMS(3, 5)}, .apply = cumsum_last},
    {"middle axis", 1, {LB_DIMS(2, 4, 3)}, .apply = cumsum_middle},
};

static const lb_op cumsum_op = {
    .name = "cumsum",
    .operands = "x",
    .formula = "y_i = sum_(j <= i) x_j",
    .derivative = "dx_j += sum_(i >= j) dy_i",
    .shape = same_shape,
    .forward = forward,
    .backward = backward,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** The sum of each element and all before it along an axis; -1 is the last. Shapes: any -> the same.
 *  Errors: LB_ERROR_ARGUMENT if x has no such axis. */
lb_tensor *lb_cumsum(lb_tensor *x, int axis)
{
    return lb_op_apply(&cumsum_op, LB_INPUTS(x), &axis, sizeof axis);
}

static const lb_op *const ops[] = {&cumsum_op};
const lb_op_family lb_family_cumsum = {ops, LB_LENGTH(ops)};
