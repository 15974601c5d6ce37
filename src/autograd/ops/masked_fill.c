/* Replaces elements by a constant according to a mask. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "lookback/ops.h"

enum { X, MASK };

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    lb_shape common;
    *out = node->in[X]->shape;
    if (lb_shape_broadcast(*out, node->in[MASK]->shape, &common) && lb_shape_equal(common, *out))
        return LB_OK;
    return lb_op_misfit(node, "the mask does not broadcast to x", X, MASK);
}

/* Visits each element of x with the element of the mask that covers it. */
static void fill(lb_node *node, bool backward)
{
    lb_real value = *(const lb_real *)node->attributes;
    if (backward && !lb_wants_grad(node->in[X])) return;
    lb_broadcast all = lb_broadcast_new((lb_shape[]){node->in[X]->shape, node->in[MASK]->shape}, 2);
    for (int64_t r = 0; r < all.rows; r++) {
        int64_t row[LB_BROADCAST];
        lb_broadcast_row(&all, r, row);
        const lb_real *mask = node->in[MASK]->data + row[MASK];
        for (int64_t i = 0; i < all.width; i++) {
            int64_t at = row[X] + i;
            bool hidden = mask[i * all.step[MASK]] == 0;
            if (!backward)
                node->out[0]->data[at] = hidden ? value : node->in[X]->data[at];
            else if (!hidden)
                node->in[X]->grad[at] += node->out[0]->grad[at];
        }
    }
}

LB_PASSES(forward, backward, fill)

static const lb_op masked_fill_op = {
    .name = "masked_fill",
    .operands = "x mask",
    .formula = "y = x where mask, else value",
    .derivative = "dx += dy where mask",
    .shape = same_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** x where the mask is not 0, `value` where it is 0.
 *  Shapes: x [...], mask broadcasts to x -> shape of x. The mask gets no gradient. Errors: LB_ERROR_SHAPE.
 *  Differs: masked_fill in PyTorch fills where the mask is true. */
lb_tensor *lb_masked_fill(lb_tensor *x, lb_tensor *mask, lb_real value)
{
    return lb_op_apply(&masked_fill_op, LB_INPUTS(x, mask), &value, sizeof value);
}
