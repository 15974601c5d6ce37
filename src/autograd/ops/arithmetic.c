/* Element by element, with broadcasting. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "lookback/ops.h"

LB_KERNEL(add_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] + b.value[i * b.step];
}

LB_KERNEL(subtract_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] - b.value[i * b.step];
}

LB_KERNEL(multiply_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] * b.value[i * b.step];
}

LB_KERNEL(divide_forward, (int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out), (width, a, b, out))
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] / b.value[i * b.step];
}

LB_KERNEL(accumulate, (int64_t width, lb_pair_row to, lb_real sign, const lb_real *grad),
          (width, to, sign, grad))
{
    if (!to.grad) return;
    for (int64_t i = 0; i < width; i++) to.grad[i * to.step] += sign * grad[i];
}

static void add_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    accumulate(width, a, 1, grad);
    accumulate(width, b, 1, grad);
}

static void subtract_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    accumulate(width, a, 1, grad);
    accumulate(width, b, -1, grad);
}

LB_KERNEL(multiply_backward, (int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad),
          (width, a, b, grad))
{
    for (int64_t i = 0; i < width && a.grad; i++) a.grad[i * a.step] += grad[i] * b.value[i * b.step];
    for (int64_t i = 0; i < width && b.grad; i++) b.grad[i * b.step] += grad[i] * a.value[i * a.step];
}

static void divide_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    for (int64_t i = 0; i < width; i++) {
        lb_real quotient = grad[i] / b.value[i * b.step];
        if (a.grad) a.grad[i * a.step] += quotient;
        if (b.grad) b.grad[i * b.step] -= quotient * a.value[i * a.step] / b.value[i * b.step];
    }
}

static const lb_op add_op = LB_PAIR_OP(add, "y = a + b", "da += dy, db += dy");
static const lb_op subtract_op = LB_PAIR_OP(sub, "y = a - b", "da += dy, db -= dy");
static const lb_op multiply_op = LB_PAIR_OP(mul, "y = a b", "da += dy b, db += dy a");
static const lb_op divide_op = LB_PAIR_OP(div, "y = a / b", "da += dy / b, db -= dy a / b^2");

/** a + b. Shapes: two that broadcast as in NumPy -> their common shape; also for lb_sub, lb_mul, lb_div.
 *  Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_add(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {add_forward, LB_TRAINING(add_backward)};
    return lb_op_apply(&add_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a - b. */
lb_tensor *lb_sub(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {subtract_forward, LB_TRAINING(subtract_backward)};
    return lb_op_apply(&subtract_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a times b. */
lb_tensor *lb_mul(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {multiply_forward, LB_TRAINING(multiply_backward)};
    return lb_op_apply(&multiply_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a divided by b. */
lb_tensor *lb_div(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {divide_forward, LB_TRAINING(divide_backward)};
    return lb_op_apply(&divide_op, LB_INPUTS(a, b), &rows, sizeof rows);
}
