/* Powers, element by element, with broadcasting. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "base/transcendental.h"
#include "lookback/ops.h"

#include <math.h>

static void power_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++)
        out[i] = (lb_real)lb_pow64((double)a.value[i * a.step], (double)b.value[i * b.step]);
}

/* 0 to any positive power stays 0 when the power changes a little, although ln 0 is infinite; x^0 stays 1 when x
 * does. */
static void power_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
{
    for (int64_t i = 0; i < width; i++) {
        double x = (double)a.value[i * a.step], y = (double)b.value[i * b.step], dy = (double)grad[i];
        if (a.grad && y != 0) a.grad[i * a.step] += (lb_real)(dy * y * lb_pow64(x, y - 1));
        if (b.grad && !(x == 0 && y >= 0)) b.grad[i * b.step] += (lb_real)(dy * lb_pow64(x, y) * lb_log64(x));
    }
}

static const lb_op power_op = LB_PAIR_OP(pow, "y = a^b", "da += dy b a^(b - 1), db += dy y ln a");

/** a to the power of b. A negative a gives NaN unless b is whole. As in PyTorch, a gets the gradient 0 where b = 0, and
 *  b gets 0 where a = 0 and b >= 0.
 *  Shapes: two that broadcast -> their common shape. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_pow(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {power_forward, LB_TRAINING(power_backward)};
    return lb_op_apply(&power_op, LB_INPUTS(a, b), &rows, sizeof rows);
}
