/* Layer normalisation over the last axis. */
#include "autograd/op.h"
#include "autograd/ops.h"

#include <math.h>

enum { X, WEIGHT, BIAS };

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    lb_shape x = node->in[X]->shape;
    if (x.ndim < 1 || !lb_shape_equal(node->in[WEIGHT]->shape, LB_SHAPE(lb_shape_dim(x, -1))))
        return lb_op_misfit(node, "one weight for each column is needed", "x", X, "weight", WEIGHT);
    if (!lb_shape_equal(node->in[BIAS]->shape, node->in[WEIGHT]->shape))
        return lb_op_misfit(node, "weight and bias differ", "weight", WEIGHT, "bias", BIAS);
    *out = x;
    return LB_OK;
}

/* saved: the normalised values, then 1 / standard deviation of each row */
static lb_status forward(lb_node *node)
{
    lb_real epsilon = *(const lb_real *)node->attributes;
    int64_t width = lb_dim(node->in[X], -1), rows = width ? lb_count(node->in[X]) / width : 0;
    const lb_real *weight = node->in[WEIGHT]->data, *bias = node->in[BIAS]->data;
    lb_real *normal = lb_op_reals(node, rows * width + rows);
    if (!normal) return LB_ERROR_MEMORY;
    lb_real *inverse = normal + rows * width;
    for (int64_t row = 0; row < rows; row++) {
        const lb_real *x = node->in[X]->data + row * width;
        lb_real mean = 0, variance = 0;
        for (int64_t i = 0; i < width; i++) mean += x[i];
        mean /= (lb_real)width;
        for (int64_t i = 0; i < width; i++) variance += (x[i] - mean) * (x[i] - mean);
        inverse[row] = 1 / (lb_real)sqrt((double)(variance / (lb_real)width + epsilon));
        for (int64_t i = 0; i < width; i++) {
            normal[row * width + i] = (x[i] - mean) * inverse[row];
            node->out[0]->data[row * width + i] = normal[row * width + i] * weight[i] + bias[i];
        }
    }
    node->saved = normal;
    return LB_OK;
}

static void backward_x(const lb_node *node, int64_t row, int64_t width, const lb_real *normal,
                       lb_real inverse)
{
    const lb_real *dy = node->out[0]->grad + row * width, *weight = node->in[WEIGHT]->data;
    lb_real *dx = node->in[X]->grad + row * width, sum = 0, dot = 0;
    for (int64_t i = 0; i < width; i++) {
        sum += dy[i] * weight[i];
        dot += dy[i] * weight[i] * normal[i];
    }
    sum /= (lb_real)width;
    dot /= (lb_real)width;
    for (int64_t i = 0; i < width; i++) dx[i] += inverse * (dy[i] * weight[i] - sum - normal[i] * dot);
}

static void backward(lb_node *node)
{
    int64_t width = lb_dim(node->in[X], -1), rows = width ? lb_count(node->in[X]) / width : 0;
    const lb_real *normal = node->saved, *inverse = normal + rows * width;
    for (int64_t row = 0; row < rows; row++) {
        const lb_real *dy = node->out[0]->grad + row * width, *normal_row = normal + row * width;
        if (lb_wants_grad(node->in[X])) backward_x(node, row, width, normal_row, inverse[row]);
        for (int64_t i = 0; i < width && lb_wants_grad(node->in[WEIGHT]); i++)
            node->in[WEIGHT]->grad[i] += dy[i] * normal_row[i];
        for (int64_t i = 0; i < width && lb_wants_grad(node->in[BIAS]); i++) node->in[BIAS]->grad[i] += dy[i];
    }
}

static void reference(const lb_node *node, double *const *out)
{
    int64_t width = lb_dim(node->in[X], -1);
    for (int64_t i = 0; i < lb_count(node->in[X]); i++) {
        const lb_real *row = node->in[X]->data + i / width * width;
        double mean = 0, variance = 0;
        for (int64_t j = 0; j < width; j++) mean += (double)row[j] / (double)width;
        for (int64_t j = 0; j < width; j++) variance += pow((double)row[j] - mean, 2) / (double)width;
        double normal = ((double)node->in[X]->data[i] - mean) /
                        sqrt(variance + (double)*(const lb_real *)node->attributes);
        out[0][i] =
            normal * (double)node->in[WEIGHT]->data[i % width] + (double)node->in[BIAS]->data[i % width];
    }
}

static lb_tensor *norm_case(lb_tensor *const *in)
{
    return lb_normalize(in[X], in[WEIGHT], in[BIAS], (lb_real)1e-5);
}

static lb_tensor *large_epsilon_case(lb_tensor *const *in)
{
    return lb_normalize(in[X], in[WEIGHT], in[BIAS], (lb_real)0.1);
}

static const lb_op_case cases[] = {
    {"three axes", 3, {LB_DIMS(2, 3, 5), LB_DIMS(5), LB_DIMS(5)}, .apply = norm_case},
    {"an epsilon that matters", 3, {LB_DIMS(3, 4), LB_DIMS(4), LB_DIMS(4)}, .apply = large_epsilon_case},
};

static const lb_op normalize_op = {
    .name = "normalize",
    .formula = "y = n w + b, n = (x - mean x) / sqrt(var x + epsilon)",
    .derivative =
        "dn = dy w, dx += (dn - mean dn - n mean(dn n)) / sqrt(var x + epsilon), dw += dy n, db += dy",
    .shape = same_shape,
    .forward = forward,
    .backward = backward,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** Layer normalisation over the last axis, with the biased variance, as nn.LayerNorm.
 *  Shapes: x [..., width], weight [width], bias [width] -> shape of x. Errors: LB_ERROR_SHAPE.
 *  Source: Ba, Kiros, Hinton 2016, arXiv:1607.06450. Differs: some put epsilon beside the standard deviation. */
lb_tensor *lb_normalize(lb_tensor *x, lb_tensor *weight, lb_tensor *bias, lb_real epsilon)
{
    return lb_op_apply(&normalize_op, LB_INPUTS(x, weight, bias), &epsilon, sizeof epsilon);
}

static const lb_op *const ops[] = {&normalize_op};
const lb_op_family lb_family_normalize = {ops, LB_LENGTH(ops)};
