/* A choice between two tensors, element by element, with broadcasting. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "lookback/ops.h"

enum { CONDITION, A, B };

static lb_status common_shape(const lb_node *node, lb_shape *out)
{
    if (!lb_shape_broadcast(node->in[A]->shape, node->in[B]->shape, out))
        return lb_op_misfit(node, "shapes do not broadcast", A, B);
    lb_shape choice = *out;
    if (lb_shape_broadcast(node->in[CONDITION]->shape, choice, out)) return LB_OK;
    return lb_op_misfit(node, "shapes do not broadcast", CONDITION,
                        lb_shape_broadcast(node->in[CONDITION]->shape, node->in[A]->shape, out) ? B : A);
}

/* Visits each element of the result with those of the operands. */
static void choose_elements(const lb_node *node, bool backward)
{
    lb_tensor *a = node->in[A], *b = node->in[B], *y = node->out[0];
    lb_broadcast all = lb_broadcast_new((lb_shape[]){node->in[CONDITION]->shape, a->shape, b->shape}, 3);
    for (int64_t r = 0; r < all.rows; r++) {
        int64_t at[LB_BROADCAST];
        lb_broadcast_row(&all, r, at);
        const lb_real *condition = node->in[CONDITION]->data + at[CONDITION];
        for (int64_t i = 0; i < all.width; i++) {
            int64_t whole = r * all.width + i, in_a = at[A] + i * all.step[A], in_b = at[B] + i * all.step[B];
            bool first = condition[i * all.step[CONDITION]] != 0;
            if (!backward)
                y->data[whole] = first ? a->data[in_a] : b->data[in_b];
            else if (first && lb_wants_grad(a))
                a->grad[in_a] += y->grad[whole];
            else if (!first && lb_wants_grad(b))
                b->grad[in_b] += y->grad[whole];
        }
    }
}

LB_PASSES(forward, backward, choose_elements)

static const lb_op where_op = {
    .name = "where",
    .operands = "condition a b",
    .formula = "y = a where condition, else b",
    .derivative = "da += dy where condition, db += dy elsewhere",
    .shape = common_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** a where the condition is not 0, b where it is 0. Elements that are not chosen may be NaN or infinite.
 *  Shapes: three that broadcast -> their common shape. The condition gets no gradient. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_where(lb_tensor *condition, lb_tensor *a, lb_tensor *b)
{
    return lb_op_apply(&where_op, LB_INPUTS(condition, a, b), NULL, 0);
}
