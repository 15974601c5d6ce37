/* The larger and the smaller of two, with broadcasting. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "lookback/ops.h"

/* The first comparison is false for a NaN in a, the second one for a NaN in b: either passes through. */
LB_KERNEL(maximum_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) {
        lb_real x = a.value[i * a.step], y = b.value[i * b.step];
        out[i] = x <= y || y != y ? y : x;
    }
}

LB_KERNEL(minimum_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) {
        lb_real x = a.value[i * a.step], y = b.value[i * b.step];
        out[i] = x >= y || y != y ? y : x;
    }
}

/* Equal operands get half each. With a NaN, both get all of it: nobody knows which one was meant. */
static void share(int64_t width, lb_pair_row a, lb_pair_row b, lb_real sign, const lb_real *grad)
{
    for (int64_t i = 0; i < width; i++) {
        lb_real lead = sign * (a.value[i * a.step] - b.value[i * b.step]);
        bool tie = a.value[i * a.step] == b.value[i * b.step];
        lb_real part = tie ? grad[i] / 2 : grad[i];
        if (a.grad && (tie || !(lead < 0))) a.grad[i * a.step] += part;
        if (b.grad && (tie || !(lead > 0))) b.grad[i * b.step] += part;
    }
}

static void maximum_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    share(width, a, b, 1, grad);
}

static void minimum_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    share(width, a, b, -1, grad);
}

static const lb_op maximum_op = LB_PAIR_OP(
    maximum, "y = max(a, b)", "da += dy where a > b, db += dy where b > a, each dy / 2 where a = b");
static const lb_op minimum_op = LB_PAIR_OP(
    minimum, "y = min(a, b)", "da += dy where a < b, db += dy where b < a, each dy / 2 where a = b");

/** The larger of a and b, or NaN. If they are equal, each gets half of the gradient, as in PyTorch.
 *  Shapes: two that broadcast -> their common shape; also for lb_minimum. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_maximum(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {maximum_forward, LB_TRAINING(maximum_backward)};
    return lb_op_apply(&maximum_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** The smaller of a and b; NaN and gradients as for lb_maximum. */
lb_tensor *lb_minimum(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {minimum_forward, LB_TRAINING(minimum_backward)};
    return lb_op_apply(&minimum_op, LB_INPUTS(a, b), &rows, sizeof rows);
}
