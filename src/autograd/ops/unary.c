/* Functions of one tensor, element by element. */
#include "autograd/op.h"
#include "autograd/ops.h"
#include "tensor/accumulate.h"
#include "tensor/elementary.h"

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    *out = node->in[0]->shape;
    return LB_OK;
}

LB_KERNEL static void exp_values(int64_t count, const lb_real *x, lb_real *y)
{
    for (int64_t i = 0; i < count; i++) y[i] = lb_exp_inline(x[i]);
}

LB_KERNEL static void tanh_values(int64_t count, const lb_real *x, lb_real *y)
{
    for (int64_t i = 0; i < count; i++) y[i] = lb_tanh_inline(x[i]);
}

LB_KERNEL static void sigmoid_values(int64_t count, const lb_real *x, lb_real *y)
{
    for (int64_t i = 0; i < count; i++) y[i] = lb_sigmoid_inline(x[i]);
}

static lb_status exp_forward(lb_node *node)
{
    exp_values(lb_count(node->in[0]), node->in[0]->data, node->out[0]->data);
    return LB_OK;
}

static lb_status tanh_forward(lb_node *node)
{
    tanh_values(lb_count(node->in[0]), node->in[0]->data, node->out[0]->data);
    return LB_OK;
}

static lb_status sigmoid_forward(lb_node *node)
{
    sigmoid_values(lb_count(node->in[0]), node->in[0]->data, node->out[0]->data);
    return LB_OK;
}

static lb_status log_forward(lb_node *node)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++)
        node->out[0]->data[i] = (lb_real)log((double)node->in[0]->data[i]);
    return LB_OK;
}

static lb_status relu_forward(lb_node *node)
{
    const lb_real *x = node->in[0]->data;
    /* Written so that NaN passes through. */
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->out[0]->data[i] = x[i] < 0 ? 0 : x[i];
    return LB_OK;
}

static lb_status scale_forward(lb_node *node)
{
    lb_real factor = *(const lb_real *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->out[0]->data[i] = factor * node->in[0]->data[i];
    return LB_OK;
}

static void exp_backward(lb_node *node)
{
    const lb_real *y = node->out[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += dy[i] * y[i];
}

static void log_backward(lb_node *node)
{
    const lb_real *x = node->in[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += dy[i] / x[i];
}

static void tanh_backward(lb_node *node)
{
    const lb_real *y = node->out[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += dy[i] * (1 - y[i] * y[i]);
}

static void sigmoid_backward(lb_node *node)
{
    const lb_real *y = node->out[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += dy[i] * y[i] * (1 - y[i]);
}

static void relu_backward(lb_node *node)
{
    const lb_real *y = node->out[0]->data, *dy = node->out[0]->grad;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) node->in[0]->grad[i] += y[i] > 0 ? dy[i] : 0;
}

static void scale_backward(lb_node *node)
{
    lb_real factor = *(const lb_real *)node->attributes;
    lb_add_scaled_to(lb_count(node->in[0]), factor, node->out[0]->grad, node->in[0]->grad);
}

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
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = fmax(0, (double)node->in[0]->data[i]);
}

static void scale_reference(const lb_node *node, double *const *out)
{
    double factor = (double)*(const lb_real *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = factor * (double)node->in[0]->data[i];
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

#define UNARY_OP(op, formula_text, derivative_text)                                                          \
    {                                                                                                        \
        .name = #op, .formula = formula_text, .derivative = derivative_text, .shape = same_shape,            \
        .forward = op##_forward, .backward = op##_backward, .reference = op##_reference,                     \
        .cases = op##_cases, .case_count = LB_LENGTH(op##_cases),                                            \
    }

static const lb_op exp_op = UNARY_OP(exp, "y = e^x", "dx += dy y");
static const lb_op log_op = UNARY_OP(log, "y = ln x", "dx += dy / x");
static const lb_op tanh_op = UNARY_OP(tanh, "y = tanh x", "dx += dy (1 - y^2)");
static const lb_op sigmoid_op = UNARY_OP(sigmoid, "y = 1 / (1 + e^-x)", "dx += dy y (1 - y)");
static const lb_op relu_op = UNARY_OP(relu, "y = max(x, 0)", "dx += dy where y > 0");
static const lb_op scale_op = UNARY_OP(scale, "y = factor x", "dx += factor dy");

/** e to the power of x. Shapes: any -> the same; so for all of this file. */
lb_tensor *lb_exp(lb_tensor *x)
{
    return lb_op_apply(&exp_op, LB_INPUTS(x), NULL, 0);
}

/** Natural logarithm; -inf at zero, NaN below. */
lb_tensor *lb_log(lb_tensor *x)
{
    return lb_op_apply(&log_op, LB_INPUTS(x), NULL, 0);
}

/** Hyperbolic tangent. */
lb_tensor *lb_tanh(lb_tensor *x)
{
    return lb_op_apply(&tanh_op, LB_INPUTS(x), NULL, 0);
}

/** The logistic function 1 / (1 + exp(-x)). */
lb_tensor *lb_sigmoid(lb_tensor *x)
{
    return lb_op_apply(&sigmoid_op, LB_INPUTS(x), NULL, 0);
}

/** max(x, 0); its derivative at 0 is 0, as in PyTorch. */
lb_tensor *lb_relu(lb_tensor *x)
{
    return lb_op_apply(&relu_op, LB_INPUTS(x), NULL, 0);
}

/** factor times x. */
lb_tensor *lb_scale(lb_tensor *x, lb_real factor)
{
    return lb_op_apply(&scale_op, LB_INPUTS(x), &factor, sizeof factor);
}

static const lb_op *const ops[] = {&exp_op, &log_op, &tanh_op, &sigmoid_op, &relu_op, &scale_op};
const lb_op_family lb_family_unary = {ops, LB_LENGTH(ops)};
