/* References and cases of the ops in unary.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"

#include <math.h>

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
    double factor = (double)*(const lb_real *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = factor * (double)node->in[0]->data[i];
}

static void add_scalar_reference(const lb_node *node, double *const *out)
{
    double number = (double)*(const lb_real *)node->attributes;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = (double)node->in[0]->data[i] + number;
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

static lb_tensor *add_scalar_case(lb_tensor *const *in)
{
    return lb_add_scalar(in[0], (lb_real)-0.7);
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

static const lb_op_case add_scalar_cases[] = {
    {"negative number", 1, {LB_DIMS(2, 5)}, .apply = add_scalar_case}};
static const lb_op_case sqrt_cases[] = {
    {"positive", 1, {LB_DIMS(3, 7)}, .low = 0.2, .high = 3, .apply = sqrt_case}};
static const lb_op_case abs_cases[] = {{"both signs", 1, {LB_DIMS(5, 7)}, .apply = abs_case}};
static const lb_op_case softplus_cases[] = {
    {"wide", 1, {LB_DIMS(3, 13)}, .low = -20, .high = 20, .apply = softplus_case}};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("exp", exp_reference, exp_cases),
    LB_OP_PROOF("log", log_reference, log_cases),
    LB_OP_PROOF("tanh", tanh_reference, tanh_cases),
    LB_OP_PROOF("sigmoid", sigmoid_reference, sigmoid_cases),
    LB_OP_PROOF("relu", relu_reference, relu_cases),
    LB_OP_PROOF("scale", scale_reference, scale_cases),
    LB_OP_PROOF("add_scalar", add_scalar_reference, add_scalar_cases),
    LB_OP_PROOF("sqrt", sqrt_reference, sqrt_cases),
    LB_OP_PROOF("abs", abs_reference, abs_cases),
    LB_OP_PROOF("softplus", softplus_reference, softplus_cases),
};
const lb_op_proofs lb_proofs_unary = {proofs, LB_LENGTH(proofs)};
