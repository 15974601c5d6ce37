/* The larger and the smaller of two, element by element, with broadcasting. */
#include "autograd/op.h"
#include "autograd/pairwise.h"
#include "lookback/ops.h"

#include <math.h>

/* The first comparison is false for a NaN in a, the second one for a NaN in b: either passes through. */
LB_KERNEL static void maximum_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) {
        lb_real x = a.value[i * a.step], y = b.value[i * b.step];
        out[i] = x <= y || y != y ? y : x;
    }
}

LB_KERNEL static void minimum_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
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

static double maximum_of(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static void maximum_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] =
            maximum_of(lb_pair_operand(node->in[0], shape, i), lb_pair_operand(node->in[1], shape, i));
}

static double minimum_of(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static void minimum_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] =
            minimum_of(lb_pair_operand(node->in[0], shape, i), lb_pair_operand(node->in[1], shape, i));
}

static lb_tensor *maximum_case(lb_tensor *const *in)
{
    return lb_maximum(in[0], in[1]);
}

static lb_tensor *minimum_case(lb_tensor *const *in)
{
    return lb_minimum(in[0], in[1]);
}

static const lb_op_case maximum_cases[] = {
    {"equal shapes", 2, {LB_DIMS(3, 4), LB_DIMS(3, 4)}, .apply = maximum_case},
    {"both stretch", 2, {LB_DIMS(2, 1, 4), LB_DIMS(3, 1)}, .apply = maximum_case},
    {"scalar", 2, {{0}, LB_DIMS(2, 3)}, .apply = maximum_case},
};
static const lb_op_case minimum_cases[] = {
    {"equal shapes", 2, {LB_DIMS(3, 4), LB_DIMS(3, 4)}, .apply = minimum_case},
    {"row", 2, {LB_DIMS(2, 3, 4), LB_DIMS(4)}, .apply = minimum_case},
};

static const lb_op maximum_op = {
    .name = "maximum",
    .operands = "a b",
    .formula = "y = max(a, b)",
    .derivative = "da += dy where a > b, db += dy where b > a, each dy / 2 where a = b",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = maximum_reference,
    .cases = maximum_cases,
    .case_count = LB_LENGTH(maximum_cases),
};

static const lb_op minimum_op = {
    .name = "minimum",
    .operands = "a b",
    .formula = "y = min(a, b)",
    .derivative = "da += dy where a < b, db += dy where b < a, each dy / 2 where a = b",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = minimum_reference,
    .cases = minimum_cases,
    .case_count = LB_LENGTH(minimum_cases),
};

/** The larger of a and b. A NaN passes through. Where they are equal, each gets half of the gradient, as in PyTorch.
 *  Shapes: any two that broadcast by the rules of NumPy -> their common shape; also for lb_minimum.
 *  Errors: LB_ERROR_SHAPE if they do not broadcast. */
lb_tensor *lb_maximum(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {maximum_forward, maximum_backward};
    return lb_op_apply(&maximum_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** The smaller of a and b; NaN and gradients as for lb_maximum. */
lb_tensor *lb_minimum(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {minimum_forward, minimum_backward};
    return lb_op_apply(&minimum_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

static const lb_op *const ops[] = {&maximum_op, &minimum_op};
const lb_op_family lb_family_maximum = {ops, LB_LENGTH(ops)};
