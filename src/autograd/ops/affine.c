/* The affine map of a layer: one product and a bias. */
#include "autograd/op.h"
#include "autograd/ops.h"
#include "tensor/gemm.h"

#include <string.h>

enum { X, WEIGHT, BIAS };

/* Which columns of the weight meet x. */
typedef struct columns {
    bool some; /* false: all, and there must be as many as x is wide */
    int64_t first;
} columns;

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    const columns *of = node->attributes;
    lb_shape x = node->in[X]->shape, weight = node->in[WEIGHT]->shape;
    if (x.ndim < 1 || weight.ndim != 2 || (!of->some && lb_shape_dim(x, -1) != weight.dim[1]))
        return lb_op_misfit(node, "widths differ", "x", X, "weight", WEIGHT);
    if (of->first < 0 || of->first + lb_shape_dim(x, -1) > weight.dim[1])
        return lb_op_misfit(node, "the weight has not that many columns", "x", X, "weight", WEIGHT);
    if (node->in[BIAS] && !lb_shape_equal(node->in[BIAS]->shape, LB_SHAPE(weight.dim[0])))
        return lb_op_misfit(node, "one bias for each output is needed", "bias", BIAS, "weight", WEIGHT);
    *out = x;
    out->dim[x.ndim - 1] = weight.dim[0];
    return LB_OK;
}

/* Each row of y becomes the bias, to which the product is added. */
static void fill_rows(int64_t rows, int64_t width, const lb_real *bias, lb_real *y)
{
    enum { ALONE = 1 << 15 /* elements that one thread is quicker with */ };
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
    for (int64_t row = 0; row < rows; row++) memcpy(y + row * width, bias, (size_t)width * sizeof *y);
}

static lb_status forward(lb_node *node)
{
    const lb_tensor *x = node->in[X], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    int64_t outputs = weight->shape.dim[0], inputs = lb_dim(x, -1);
    int64_t rows = lb_count(node->out[0]) / (outputs ? outputs : 1);
    int64_t first = ((const columns *)node->attributes)->first;
    lb_real *y = node->out[0]->data;
    if (bias) fill_rows(rows, outputs, bias->data, y);
    lb_matrix met;
    if (!lb_op_transposed_weight(node, weight, first, inputs, rows, &met)) return LB_ERROR_MEMORY;
    lb_gemm(rows, outputs, inputs, lb_plain(x->data, inputs), met, bias ? 1 : 0, y, outputs);
    return LB_OK;
}

static void backward(lb_node *node)
{
    lb_tensor *x = node->in[X], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    int64_t outputs = weight->shape.dim[0], stride = weight->shape.dim[1], inputs = lb_dim(x, -1);
    int64_t rows = lb_count(node->out[0]) / (outputs ? outputs : 1);
    int64_t first = ((const columns *)node->attributes)->first;
    const lb_real *dy = node->out[0]->grad;
    if (lb_wants_grad(x))
        lb_gemm(rows, inputs, outputs, lb_plain(dy, outputs), lb_plain(weight->data + first, stride),
                lb_op_sets(node, X) ? 0 : 1, x->grad, inputs);
    if (lb_wants_grad(weight))
        lb_gemm(outputs, inputs, rows, lb_transposed(dy, outputs), lb_plain(x->data, inputs), 1,
                weight->grad + first, stride);
    lb_op_add_grad_rows(bias, rows, dy);
}

static void reference(const lb_node *node, double *const *out)
{
    const lb_tensor *x = node->in[X], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    int64_t outputs = weight->shape.dim[0], stride = weight->shape.dim[1], inputs = lb_dim(x, -1);
    int64_t first = ((const columns *)node->attributes)->first;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        int64_t row = i / outputs, column = i % outputs;
        out[0][i] = bias ? (double)bias->data[column] : 0;
        for (int64_t j = 0; j < inputs; j++)
            out[0][i] +=
                (double)x->data[row * inputs + j] * (double)weight->data[column * stride + first + j];
    }
}

static lb_tensor *biased_case(lb_tensor *const *in)
{
    return lb_affine(in[0], in[1], in[2]);
}

static lb_tensor *plain_case(lb_tensor *const *in)
{
    return lb_affine(in[0], in[1], NULL);
}

static lb_tensor *columns_case(lb_tensor *const *in)
{
    return lb_affine_columns(in[0], in[1], 2, in[2]);
}

static const lb_op_case cases[] = {
    {"with bias", 3, {LB_DIMS(3, 4), LB_DIMS(5, 4), LB_DIMS(5)}, .apply = biased_case},
    {"three axes", 3, {LB_DIMS(2, 3, 4), LB_DIMS(5, 4), LB_DIMS(5)}, .apply = biased_case},
    {"without bias", 2, {LB_DIMS(3, 4), LB_DIMS(5, 4)}, .apply = plain_case},
    {"one row", 3, {LB_DIMS(4), LB_DIMS(3, 4), LB_DIMS(3)}, .apply = biased_case},
    {"some columns", 3, {LB_DIMS(2, 3), LB_DIMS(4, 7), LB_DIMS(4)}, .apply = columns_case},
};

static const lb_op affine_op = {
    .name = "affine",
    .formula = "y = x w' + b",
    .derivative = "dx += dy w, dw += dy' x, db += sum over rows of dy",
    .shape = output_shape,
    .forward = forward,
    .backward = backward,
    .can_set = 1U << X,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** x times the transposed weight, plus bias: the layout of nn.Linear. `bias` may be NULL.
 *  Shapes: x [..., inputs], weight [outputs, inputs], bias [outputs] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_affine(lb_tensor *x, lb_tensor *weight, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias), &(columns){0}, sizeof(columns));
}

/** The same with a part of the weight: columns first, first + 1, ... What is joined before it meets a weight need not be
 *  joined: [a; b] w' is a w1' + b w2', where w1 and w2 are columns of w.
 *  Shapes: x [..., inputs], weight [outputs, first + inputs or more]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_affine_columns(lb_tensor *x, lb_tensor *weight, int64_t first, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias), &(columns){true, first}, sizeof(columns));
}

static const lb_op *const ops[] = {&affine_op};
const lb_op_family lb_family_affine = {ops, LB_LENGTH(ops)};
