/* The same elements in another shape, in the same order or permuted. */
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

#include <string.h>

static lb_status reshaped(const lb_node *node, lb_shape *out)
{
    lb_shape from = node->in[0]->shape, to = *(const lb_shape *)node->attributes;
    int unknown = -1;
    for (int d = 0; d < to.ndim && unknown < 0; d++)
        if (to.dim[d] == -1) unknown = d;
    if (unknown >= 0) to.dim[unknown] = 1;
    if (unknown >= 0 && lb_shape_valid(to) && lb_shape_count(to) > 0)
        to.dim[unknown] = lb_shape_count(from) / lb_shape_count(to);
    if (!lb_shape_valid(to) || lb_shape_count(to) != lb_shape_count(from)) {
        char text_from[LB_SHAPE_TEXT], text_to[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_SHAPE, "cannot reshape x%s (%lld elements) to %s",
                          lb_shape_format(from, text_from), (long long)lb_shape_count(from),
                          lb_shape_format(*(const lb_shape *)node->attributes, text_to));
    }
    *out = to;
    return LB_OK;
}

static lb_status reshape_forward(lb_node *node)
{
    memcpy(node->out[0]->data, node->in[0]->data, (size_t)lb_count(node->in[0]) * sizeof(lb_real));
    return LB_OK;
}

static void reshape_backward(lb_node *node)
{
    lb_op_give_grad(node, 0, node->out[0]->grad);
}

static lb_status permuted(const lb_node *node, lb_shape *out)
{
    const lb_permutation *p = node->attributes;
    lb_shape x = node->in[0]->shape;
    bool seen[LB_MAX_DIMS] = {false};
    for (int d = 0; d < x.ndim; d++) {
        int axis = d < p->count ? lb_shape_axis(x, p->axis[d]) : -1;
        if (p->count != x.ndim || axis < 0 || seen[axis]) {
            char text[LB_SHAPE_TEXT];
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "found %d axes, expected each axis of x%s once",
                              p->count, lb_shape_format(x, text));
        }
        seen[axis] = true;
        out->dim[d] = x.dim[axis];
    }
    out->ndim = x.ndim;
    return LB_OK;
}

/* Visits each element of the result, in order, with that of x. */
static void visit_permuted(const lb_node *node, bool backward)
{
    const lb_permutation *p = node->attributes;
    lb_shape x = node->in[0]->shape, y = node->out[0]->shape;
    int64_t stride[LB_MAX_DIMS] = {0}, index[LB_MAX_DIMS] = {0}, from = 0;
    for (int d = 0; d < y.ndim; d++) stride[d] = lb_shape_stride(x, lb_shape_axis(x, p->axis[d]));
    for (int64_t to = 0; to < lb_shape_count(y); to++) {
        if (backward)
            node->in[0]->grad[from] += node->out[0]->grad[to];
        else
            node->out[0]->data[to] = node->in[0]->data[from];
        for (int d = y.ndim - 1; d >= 0; d--) {
            from += stride[d];
            if (++index[d] < y.dim[d]) break;
            from -= stride[d] * y.dim[d];
            index[d] = 0;
        }
    }
}

LB_PASSES(permute_forward, permute_backward, visit_permuted)

static const lb_op reshape_op = {
    .name = "reshape",
    .operands = "x",
    .formula = "y = x, in order",
    .derivative = "dx += dy",
    .shape = reshaped,
    .forward = reshape_forward,
    .backward = LB_TRAINING(reshape_backward),
    .can_set = 1U,
};

static const lb_op permute_op = {
    .name = "permute",
    .operands = "x",
    .formula = "y[i_p(0), i_p(1), ...] = x[i_0, i_1, ...]",
    .derivative = "dx += dy, permuted back",
    .shape = permuted,
    .forward = permute_forward,
    .backward = LB_TRAINING(permute_backward),
};

/** The elements of x, in order, in another shape. One dimension may be -1: it is computed from the others.
 *  Errors: LB_ERROR_SHAPE if the numbers of elements differ. */
lb_tensor *lb_reshape(lb_tensor *x, lb_shape shape)
{
    return lb_op_apply(&reshape_op, LB_INPUTS(x), &shape, sizeof shape);
}

/** Reorders the axes: axis d of the result is axis `axes[d]` of x. `count` is the number of axes.
 *  Errors: LB_ERROR_ARGUMENT unless each axis occurs once. */
lb_tensor *lb_permute(lb_tensor *x, int count, const int *axes)
{
    lb_permutation p = {.count = count};
    for (int d = 0; d < count && d < LB_MAX_DIMS; d++) p.axis[d] = axes[d];
    return lb_op_apply(&permute_op, LB_INPUTS(x), &p, sizeof p);
}
