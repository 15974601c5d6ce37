/* Sums and means over one axis or over all elements. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"

/* What is summed, and what each element of it counts. */
static lb_axis axis_of(const lb_node *node, lb_real *weight)
{
    const lb_reduction *r = node->attributes;
    lb_axis e = r->all ? (lb_axis){1, lb_count(node->in[0]), 1} : lb_axis_of(node, r->axis);
    *weight = r->mean ? 1 / (lb_real)e.length : 1;
    return e;
}

static lb_status reduced_shape(const lb_node *node, lb_shape *out)
{
    const lb_reduction *r = node->attributes;
    return r->all ? LB_OK : lb_axis_removed(node, r->axis, r->keep, out);
}

static lb_status forward(lb_node *node)
{
    lb_real weight;
    lb_axis e = axis_of(node, &weight);
    const lb_real *x = node->in[0]->data;
    for (int64_t o = 0; o < e.outer; o++) {
        for (int64_t i = 0; i < e.inner; i++) {
            /* In double, so that a mean over a million numbers is one. */
            double sum = 0;
            for (int64_t l = 0; l < e.length; l++) sum += (double)x[(o * e.length + l) * e.inner + i];
            node->out[0]->data[o * e.inner + i] = (lb_real)(sum * (double)weight);
        }
    }
    return LB_OK;
}

static void backward(lb_node *node)
{
    lb_real weight;
    lb_axis e = axis_of(node, &weight);
    for (int64_t o = 0; o < e.outer; o++)
        for (int64_t l = 0; l < e.length; l++)
            for (int64_t i = 0; i < e.inner; i++)
                node->in[0]->grad[(o * e.length + l) * e.inner + i] +=
                    weight * node->out[0]->grad[o * e.inner + i];
}

static const lb_op sum_op = {
    .name = "sum",
    .operands = "x",
    .formula = "y = sum_i x_i",
    .derivative = "dx_i += dy",
    .shape = reduced_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

static const lb_op mean_op = {
    .name = "mean",
    .operands = "x",
    .formula = "y = (1/n) sum_i x_i",
    .derivative = "dx_i += dy / n",
    .shape = reduced_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Sum over one axis, which is removed; -1 is the last.
 *  Errors: LB_ERROR_ARGUMENT if x has no such axis. */
lb_tensor *lb_sum(lb_tensor *x, int axis)
{
    return lb_op_apply(&sum_op, LB_INPUTS(x), &(lb_reduction){.axis = axis}, sizeof(lb_reduction));
}

/** lb_sum, but the axis stays, with length 1, so that the result broadcasts with x. Shapes: [2, 3, 4], axis 1 ->
 *  [2, 1, 4]. */
lb_tensor *lb_sum_keep(lb_tensor *x, int axis)
{
    return lb_op_apply(&sum_op, LB_INPUTS(x), &(lb_reduction){.axis = axis, .keep = true},
                       sizeof(lb_reduction));
}

/** Sum over all elements -> a scalar. */
lb_tensor *lb_sum_all(lb_tensor *x)
{
    return lb_op_apply(&sum_op, LB_INPUTS(x), &(lb_reduction){.all = true}, sizeof(lb_reduction));
}

/** Mean over one axis, which is removed; NaN if it has length 0. Errors: as lb_sum. */
lb_tensor *lb_mean(lb_tensor *x, int axis)
{
    return lb_op_apply(&mean_op, LB_INPUTS(x), &(lb_reduction){.axis = axis, .mean = true},
                       sizeof(lb_reduction));
}

/** lb_mean, but the axis stays, as for lb_sum_keep. */
lb_tensor *lb_mean_keep(lb_tensor *x, int axis)
{
    return lb_op_apply(&mean_op, LB_INPUTS(x), &(lb_reduction){.axis = axis, .mean = true, .keep = true},
                       sizeof(lb_reduction));
}

/** Mean over all elements -> a scalar. */
lb_tensor *lb_mean_all(lb_tensor *x)
{
    return lb_op_apply(&mean_op, LB_INPUTS(x), &(lb_reduction){.all = true, .mean = true},
                       sizeof(lb_reduction));
}
