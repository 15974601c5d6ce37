/* Functions of one tensor, element by element. */
#include "autograd/op.h"
#include "base/threads.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"

enum {
    CHUNK = 1 << 13, /* elements that a thread takes at a time, at most */
    LINE = 16,       /* neighbours that belong to one thread: a line of the cache */
    ALONE = 1 << 15  /* elements that are not worth a second thread */
};

/* A range of elements: operand, result and their gradients. `factor` is for lb_scale. */
typedef struct run {
    int64_t count;
    lb_real factor;
    const lb_real *x, *dy;
    lb_real *y, *dx;
} run;

typedef struct unary {
    void (*values)(run r);
    void (*gradient)(run r);
    lb_real factor;
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
    int64_t count = lb_count(x), each = lb_run_for_threads(count, LINE, CHUNK);
#pragma omp parallel for schedule(static) if (count > ALONE)
    for (int64_t first = 0; first < count; first += each) {
        run r = {.count = count - first < each ? count - first : each, .factor = op->factor};
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

static lb_status forward(lb_node *node)
{
    in_runs(node, false);
    return LB_OK;
}

static void backward(lb_node *node)
{
    in_runs(node, true);
}

/* The two kernels of an op: y from x, and the addition to dx. */
#define KERNELS(op, value, added)                                                                            \
    LB_KERNEL static void op##_values(run r)                                                                 \
    {                                                                                                        \
        const lb_real *x = r.x;                                                                              \
        _Pragma("omp simd") for (int64_t i = 0; i < r.count; i++) r.y[i] = (value);                          \
    }                                                                                                        \
    LB_KERNEL static void op##_gradient(run r)                                                               \
    {                                                                                                        \
        const lb_real *x = r.x, *y = r.y, *dy = r.dy;                                                        \
        (void)x, (void)y;                                                                                    \
        _Pragma("omp simd") for (int64_t i = 0; i < r.count; i++) r.dx[i] += (added);                        \
    }

/* ln(1 + e^x): the power is at most 1, so that it does not overflow. */
static inline lb_real softplus_of(lb_real x)
{
    lb_real power = lb_exp_inline(x < 0 ? x : -x);
    return (x < 0 ? 0 : x) + (lb_real)log1p((double)power);
}

KERNELS(exp, lb_exp_inline(x[i]), dy[i] * y[i])
KERNELS(log, (lb_real)log((double)x[i]), dy[i] / x[i])
KERNELS(tanh, lb_tanh_inline(x[i]), dy[i] * (1 - y[i] * y[i]))
KERNELS(sigmoid, lb_sigmoid_inline(x[i]), dy[i] * y[i] * (1 - y[i]))
KERNELS(relu, x[i]<0 ? 0 : x[i], y[i]> 0 ? dy[i] : 0) /* NaN passes through */
KERNELS(scale, r.factor *x[i], r.factor *dy[i])
KERNELS(sqrt, (lb_real)sqrt((double)x[i]), dy[i] / (2 * y[i]))
KERNELS(abs, x[i]<0 ? -x[i] : x[i], x[i]> 0 ? dy[i] : x[i] < 0 ? -dy[i] : 0)
KERNELS(softplus, softplus_of(x[i]), dy[i] * lb_sigmoid_inline(x[i]))

static void exp_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = exp((double)node->in[0]->data[i]);
}

static void log_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = log((double)node->in[0]->data[i]);
}

static void tanh_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = tanh((double)node->in[0]->data[i]);
}

static void sigmoid_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++)
        out[0][i] = 1 / (1 + exp(-(double)node->in[0]->data[i]));
}

static void relu_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        double x = (double)node->in[0]->data[i];
        out[0][i] = x < 0 ? 0 : x; /* NaN stays NaN */
    }
}

static void scale_reference(const lb_node *node, double *const *out)
{
    double factor = (double)((const unary *)node->attributes)->factor;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = factor * (double)node->in[0]->data[i];
}

static double root_of(double x)
{
    return x < 0 ? NAN : pow(x, 0.5);
}

static void sqrt_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = root_of((double)node->in[0]->data[i]);
}

static void abs_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = fabs((double)node->in[0]->data[i]);
}

static void softplus_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        double x = (double)node->in[0]->data[i], y = log1p(exp(x));
        out[0][i] = isinf(y) ? x : y; /* e^x overflows where 1 is far below it */
    }
}

static lb_tensor *exp_case(lb_tensor *const *in)
{
    return lb_exp(in[0]);
}

static lb_tensor *log_case(lb_tensor *const *in)
{
    return lb_log(in[0]);
}

static lb_tensor *tanh_case(lb_tensor *const *in)
{
    return lb_tanh(in[0]);
}

static lb_tensor *sigmoid_case(lb_tensor *const *in)
{
    return lb_sigmoid(in[0]);
}

static lb_tensor *relu_case(lb_tensor *const *in)
{
    return lb_relu(in[0]);
}

static lb_tensor *scale_case(lb_tensor *const *in)
{
    return lb_scale(in[0], (lb_real)-1.7);
}

static lb_tensor *sqrt_case(lb_tensor *const *in)
{
    return lb_sqrt(in[0]);
}

static lb_tensor *abs_case(lb_tensor *const *in)
{
    return lb_abs(in[0]);
}

static lb_tensor *softplus_case(lb_tensor *const *in)
{
    return lb_softplus(in[0]);
}

static const lb_op_case exp_cases[] = {
    {"small", 1, {LB_DIMS(3, 4)}, .low = -3, .high = 3, .apply = exp_case},
    {"longer than a vector register", 1, {LB_DIMS(37)}, .low = -10, .high = 2, .apply = exp_case},
};
static const lb_op_case log_cases[] = {
    {"positive", 1, {LB_DIMS(3, 4)}, .low = 0.2, .high = 3, .apply = log_case}};
static const lb_op_case tanh_cases[] = {
    {"wide", 1, {LB_DIMS(3, 13)}, .low = -4, .high = 4, .apply = tanh_case}};
static const lb_op_case sigmoid_cases[] = {
    {"wide", 1, {LB_DIMS(3, 13)}, .low = -6, .high = 6, .apply = sigmoid_case}};
static const lb_op_case relu_cases[] = {{"both sides", 1, {LB_DIMS(5, 7)}, .apply = relu_case}};
static const lb_op_case scale_cases[] = {{"negative factor", 1, {LB_DIMS(2, 5)}, .apply = scale_case}};

static const lb_op_case sqrt_cases[] = {
    {"positive", 1, {LB_DIMS(3, 7)}, .low = 0.2, .high = 3, .apply = sqrt_case}};
static const lb_op_case abs_cases[] = {{"both signs", 1, {LB_DIMS(5, 7)}, .apply = abs_case}};
static const lb_op_case softplus_cases[] = {
    {"wide", 1, {LB_DIMS(3, 13)}, .low = -20, .high = 20, .apply = softplus_case}};

#define UNARY_OP(op, formula_text, derivative_text)                                                          \
    {                                                                                                        \
        .name = #op, .operands = "x", .formula = formula_text, .derivative = derivative_text,                \
        .shape = same_shape, .forward = forward, .backward = backward, .can_set = 1U,                        \
        .reference = op##_reference, .cases = op##_cases, .case_count = LB_LENGTH(op##_cases),               \
    }

static const lb_op exp_op = UNARY_OP(exp, "y = e^x", "dx += dy y");
static const lb_op log_op = UNARY_OP(log, "y = ln x", "dx += dy / x");
static const lb_op tanh_op = UNARY_OP(tanh, "y = tanh x", "dx += dy (1 - y^2)");
static const lb_op sigmoid_op = UNARY_OP(sigmoid, "y = 1 / (1 + e^-x)", "dx += dy y (1 - y)");
static const lb_op relu_op = UNARY_OP(relu, "y = max(x, 0)", "dx += dy where y > 0");
static const lb_op scale_op = UNARY_OP(scale, "y = factor x", "dx += factor dy");
static const lb_op sqrt_op = UNARY_OP(sqrt, "y = sqrt x", "dx += dy / (2 y)");
static const lb_op abs_op = UNARY_OP(abs, "y = |x|", "dx += dy sign x");
static const lb_op softplus_op = UNARY_OP(softplus, "y = ln(1 + e^x)", "dx += dy / (1 + e^-x)");

static lb_tensor *apply(const lb_op *op, lb_tensor *x, void (*values)(run), void (*gradient)(run),
                        lb_real factor)
{
    const unary kernels = {values, gradient, factor};
    return lb_op_apply(op, LB_INPUTS(x), &kernels, sizeof kernels);
}

/** e to the power of x. Shapes: any -> the same, as for all ops of this file. */
lb_tensor *lb_exp(lb_tensor *x)
{
    return apply(&exp_op, x, exp_values, exp_gradient, 1);
}

/** Natural logarithm; -inf at zero, NaN below. */
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

/** Square root; NaN below zero. Its derivative at 0 is infinite, as in PyTorch. */
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

static const lb_op *const ops[] = {&exp_op,   &log_op,  &tanh_op, &sigmoid_op, &relu_op,
                                   &scale_op, &sqrt_op, &abs_op,  &softplus_op};
const lb_op_family lb_family_unary = {ops, LB_LENGTH(ops)};
