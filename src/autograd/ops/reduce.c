/* Sums and means over one axis or over all elements. */
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

typedef struct extent {
    int64_t outer, length, inner;
    lb_real weight;
} extent;

static extent extent_of(const lb_node *node)
{
    const lb_reduction *r = node->attributes;
    lb_shape shape = node->in[0]->shape;
    extent e = {1, lb_shape_count(shape), 1, 1};
    if (!r->all) {
        int axis = lb_shape_axis(shape, r->axis);
        e.length = shape.dim[axis];
        e.inner = lb_shape_stride(shape, axis);
        e.outer = lb_count(node->out[0]) / (e.inner ? e.inner : 1);
    }
    if (r->mean) e.weight = 1 / (lb_real)e.length;
    return e;
}

static lb_status reduced_shape(const lb_node *node, lb_shape *out)
{
    const lb_reduction *r = node->attributes;
    lb_shape shape = node->in[0]->shape;
    if (r->all) return LB_OK;
    int axis = lb_shape_axis(shape, r->axis);
    if (axis < 0) {
        char text[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "x%s has no axis %d", lb_shape_format(shape, text),
                          r->axis);
    }
    out->ndim = 0;
    for (int d = 0; d < shape.ndim; d++) {
        if (d != axis) out->dim[out->ndim++] = shape.dim[d];
        if (d == axis && r->keep) out->dim[out->ndim++] = 1;
    }
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    extent e = extent_of(node);
    const lb_real *x = node->in[0]->data;
    for (int64_t o = 0; o < e.outer; o++) {
        for (int64_t i = 0; i < e.inner; i++) {
            /* In double, so that a mean over a million numbers is one. */
            double sum = 0;
            for (int64_t l = 0; l < e.length; l++) sum += (double)x[(o * e.length + l) * e.inner + i];
            node->out[0]->data[o * e.inner + i] = (lb_real)(sum * (double)e.weight);
        }
    }
    return LB_OK;
}

static void backward(lb_node *node)
{
    extent e = extent_of(node);
    for (int64_t o = 0; o < e.outer; o++)
        for (int64_t l = 0; l < e.length; l++)
            for (int64_t i = 0; i < e.inner; i++)
                node->in[0]->grad[(o * e.length + l) * e.inner + i] +=
                    e.weight * node->out[0]->grad[o * e.inner + i];
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
