/* Functions of one tensor, element by element. */
#include "autograd/op.h"
#include "base/threads.h"
#include "base/transcendental.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"

enum {
    CHUNK = 1 << 13, /* elements that a thread takes at a time, at most */
    LINE = 16,       /* neighbours that belong to one thread: a line of the cache */
    ALONE = 1 << 15  /* elements that are not worth a second thread */
};

/* A range of elements: operand, result and their gradients. `number` is for lb_scale and lb_add_scalar. */
typedef struct run {
    int64_t count;
    lb_real number;
    const lb_real *x, *dy;
    lb_real *y, *dx;
} run;

typedef struct unary {
    lb_real number; /* first: references read it */
    void (*values)(run r);
    void (*gradient)(run r);
} unary;

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

/* Elements are independent: any thread can process any range of them. */
static void in_runs(const lb_node *node, bool backward)
{
    const unary *op = node->attributes;
    lb_tensor *x = node->in[0], *y = node->out[0];
    int64_t count = lb_count(x), each = lb_chunk_for_threads(count, LINE, CHUNK);
#pragma omp parallel for schedule(static) if (count > ALONE)
    for (int64_t first = 0; first < count; first += each) {
        run r = {.count = count - first < each ? count - first : each, .number = op->number};
        r.x = x->data + first;
        r.y = y->data + first;
        if (backward) {
            r.dx = lb_op_begin_grad(node, 0, first, r.count);
            r.dy = y->grad + first;
            op->gradient(r);
        } else {
            op->values(r);
        }
    }
}

LB_PASSES(forward, backward, in_runs)

/* The two kernels of an op: y from x, and the addition to dx. */
#define KERNELS(op, value, added)                                                                            \
    LB_KERNEL(op##_values, (run r), (r))                                                                     \
    {                                                                                                        \
        const lb_real *x = r.x;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < r.count; i++) r.y[i] = (value);                          \
    }                                                                                                        \
    LB_KERNEL(op##_gradient, (run r), (r))                                                                   \
    {                                                                                                        \
        const lb_real *x = r.x, *y = r.y, *dy = r.dy;                                                        \
        (void)x, (void)y;                                                                                    \
        _Pragma("omp simd") for (int64_t i = 0; i < r.count; i++) r.dx[i] += (added);                        \
    }

/* ln(1 + e^x): the power is at most 1, so that it does not overflow. */
static inline lb_real softplus_of(bool fused, lb_real x)
{
    lb_real power = lb_exp_inline(fused, x < 0 ? x : -x);
    return (x < 0 ? 0 : x) + (lb_real)lb_log1p64((double)power);
}

KERNELS(exp, lb_exp_inline(fused, x[i]), dy[i] * y[i])
KERNELS(log, (lb_real)lb_log64((double)x[i]), dy[i] == 0 ? 0 : dy[i] / x[i])
KERNELS(tanh, lb_tanh_inline(fused, x[i]), dy[i] * (1 - y[i] * y[i]))
KERNELS(sigmoid, lb_sigmoid_inline(fused, x[i]), dy[i] * y[i] * (1 - y[i]))
KERNELS(relu, x[i]<0 ? 0 : x[i], y[i]> 0 ? dy[i] : 0) /* NaN passes through */
KERNELS(scale, r.number *x[i], r.number *dy[i])
KERNELS(add_scalar, x[i] + r.number, dy[i])
KERNELS(sqrt, (lb_real)sqrt((double)x[i]), dy[i] == 0 ? 0 : dy[i] / (2 * y[i]))
KERNELS(abs, x[i]<0 ? -x[i] : x[i], x[i]> 0 ? dy[i] : x[i] < 0 ? -dy[i] : 0)
KERNELS(softplus, softplus_of(fused, x[i]), dy[i] * lb_sigmoid_inline(fused, x[i]))

#define UNARY_OP(op, formula_text, derivative_text)                                                          \
    {                                                                                                        \
        .name = #op, .operands = "x", .formula = formula_text, .derivative = derivative_text,                \
        .shape = same_shape, .forward = forward, .backward = LB_TRAINING(backward), .can_set = 1U,           \
    }

static const lb_op exp_op = UNARY_OP(exp, "y = e^x", "dx += dy y");
static const lb_op log_op = UNARY_OP(log, "y = ln x", "dx += dy / x where dy is not 0");
static const lb_op tanh_op = UNARY_OP(tanh, "y = tanh x", "dx += dy (1 - y^2)");
static const lb_op sigmoid_op = UNARY_OP(sigmoid, "y = 1 / (1 + e^-x)", "dx += dy y (1 - y)");
static const lb_op relu_op = UNARY_OP(relu, "y = max(x, 0)", "dx += dy where y > 0");
static const lb_op scale_op = UNARY_OP(scale, "y = factor x", "dx += factor dy");
static const lb_op add_scalar_op = UNARY_OP(add_scalar, "y = x + number", "dx += dy");
static const lb_op sqrt_op = UNARY_OP(sqrt, "y = sqrt x", "dx += dy / (2 y) where dy is not 0");
static const lb_op abs_op = UNARY_OP(abs, "y = abs x", "dx += dy sign x");
static const lb_op softplus_op = UNARY_OP(softplus, "y = ln(1 + e^x)", "dx += dy / (1 + e^-x)");

static lb_tensor *apply(const lb_op *op, lb_tensor *x, void (*values)(run), void (*gradient)(run),
                        lb_real number)
{
    const unary kernels = {number, values, LB_TRAINING(gradient)};
    return lb_op_apply(op, LB_INPUTS(x), &kernels, sizeof kernels);
}

/** e to the power of x. Shapes: any -> the same, as for all ops of this file. */
lb_tensor *lb_exp(lb_tensor *x)
{
    return apply(&exp_op, x, exp_values, exp_gradient, 1);
}

/** Natural logarithm; -inf at zero, NaN below. An element that no loss depends on gets no gradient, also at zero,
 *  where PyTorch makes all gradients NaN. */
lb_tensor *lb_log(lb_tensor *x)
{
    return apply(&log_op, x, log_values, log_gradient, 1);
}

/** Hyperbolic tangent. */
lb_tensor *lb_tanh(lb_tensor *x)
{
    return apply(&tanh_op, x, tanh_values, tanh_gradient, 1);
}

/** The logistic function 1 / (1 + exp(-x)). */
lb_tensor *lb_sigmoid(lb_tensor *x)
{
    return apply(&sigmoid_op, x, sigmoid_values, sigmoid_gradient, 1);
}

/** max(x, 0); its derivative at 0 is 0, as in PyTorch. */
lb_tensor *lb_relu(lb_tensor *x)
{
    return apply(&relu_op, x, relu_values, relu_gradient, 1);
}

/** factor times x. */
lb_tensor *lb_scale(lb_tensor *x, lb_real factor)
{
    return apply(&scale_op, x, scale_values, scale_gradient, factor);
}

/** x plus a number. */
lb_tensor *lb_add_scalar(lb_tensor *x, lb_real number)
{
    return apply(&add_scalar_op, x, add_scalar_values, add_scalar_gradient, number);
}

/** Square root; NaN below zero. Its derivative at 0 is infinite, as in PyTorch, unless no loss depends on it, as in
 *  lb_log. */
lb_tensor *lb_sqrt(lb_tensor *x)
{
    return apply(&sqrt_op, x, sqrt_values, sqrt_gradient, 1);
}

/** Absolute value; its derivative at 0 is 0, as in PyTorch. */
lb_tensor *lb_abs(lb_tensor *x)
{
    return apply(&abs_op, x, abs_values, abs_gradient, 1);
}

/** ln(1 + exp(x)), a smooth lb_relu that does not overflow. Differs: PyTorch returns x itself above 20. */
lb_tensor *lb_softplus(lb_tensor *x)
{
    return apply(&softplus_op, x, softplus_values, softplus_gradient, 1);
}
