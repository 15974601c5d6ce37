/* Element by element, with broadcasting: sum, difference, product and quotient. */
#include "autograd/op.h"
#include "autograd/pairwise.h"
#include "lookback/ops.h"

LB_KERNEL static void add_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] + b.value[i * b.step];
}

LB_KERNEL static void subtract_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] - b.value[i * b.step];
}

LB_KERNEL static void multiply_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] * b.value[i * b.step];
}

LB_KERNEL static void divide_forward(int64_t width, lb_pair_row a, lb_pair_row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] / b.value[i * b.step];
}

LB_KERNEL static void accumulate(int64_t width, lb_pair_row to, lb_real sign, const lb_real *grad)
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

LB_KERNEL static void multiply_backward(int64_t width, lb_pair_row a, lb_pair_row b, const lb_real *grad)
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

static void add_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = lb_pair_operand(node->in[0], shape, i) + lb_pair_operand(node->in[1], shape, i);
}

static void subtract_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = lb_pair_operand(node->in[0], shape, i) - lb_pair_operand(node->in[1], shape, i);
}

static void multiply_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = lb_pair_operand(node->in[0], shape, i) * lb_pair_operand(node->in[1], shape, i);
}

static void divide_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = lb_pair_operand(node->in[0], shape, i) / lb_pair_operand(node->in[1], shape, i);
}

/* All ops of this file use the same test shapes. The values are not near zero, where a quotient is undefined. */
#define BROADCAST_CASES(function)                                                                             \
    {                                                                                                         \
        {"equal shapes", 2, {LB_DIMS(3, 4), LB_DIMS(3, 4)}, .low = 0.5, .high = 2, .apply = function},        \
            {"row", 2, {LB_DIMS(2, 3, 4), LB_DIMS(4)}, .low = 0.5, .high = 2, .apply = function},             \
            {"column", 2, {LB_DIMS(3, 1), LB_DIMS(3, 5)}, .low = 0.5, .high = 2, .apply = function},          \
            {"both stretch", 2, {LB_DIMS(2, 1, 4), LB_DIMS(3, 1)}, .low = 0.5, .high = 2, .apply = function}, \
            {"scalar", 2, {{0}, LB_DIMS(2, 3)}, .low = 0.5, .high = 2, .apply = function},                    \
    }

static lb_tensor *add_case(lb_tensor *const *in)
{
    return lb_add(in[0], in[1]);
}

static lb_tensor *subtract_case(lb_tensor *const *in)
{
    return lb_sub(in[0], in[1]);
}

static lb_tensor *multiply_case(lb_tensor *const *in)
{
    return lb_mul(in[0], in[1]);
}

static lb_tensor *divide_case(lb_tensor *const *in)
{
    return lb_div(in[0], in[1]);
}

static const lb_op_case add_cases[] = BROADCAST_CASES(add_case);
static const lb_op_case subtract_cases[] = BROADCAST_CASES(subtract_case);
static const lb_op_case multiply_cases[] = BROADCAST_CASES(multiply_case);
static const lb_op_case divide_cases[] = BROADCAST_CASES(divide_case);

static const lb_op add_op = {
    .name = "add",
    .operands = "a b",
    .formula = "y = a + b",
    .derivative = "da += dy, db += dy",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = add_reference,
    .cases = add_cases,
    .case_count = LB_LENGTH(add_cases),
};

static const lb_op subtract_op = {
    .name = "sub",
    .operands = "a b",
    .formula = "y = a - b",
    .derivative = "da += dy, db -= dy",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = subtract_reference,
    .cases = subtract_cases,
    .case_count = LB_LENGTH(subtract_cases),
};

static const lb_op multiply_op = {
    .name = "mul",
    .operands = "a b",
    .formula = "y = a b",
    .derivative = "da += dy b, db += dy a",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = multiply_reference,
    .cases = multiply_cases,
    .case_count = LB_LENGTH(multiply_cases),
};

static const lb_op divide_op = {
    .name = "div",
    .operands = "a b",
    .formula = "y = a / b",
    .derivative = "da += dy / b, db -= dy a / b^2",
    .shape = lb_pair_shape,
    .forward = lb_pair_forward,
    .backward = lb_pair_backward,
    .can_set = 1U | 1U << 1,
    .reference = divide_reference,
    .cases = divide_cases,
    .case_count = LB_LENGTH(divide_cases),
};

/** a + b. Shapes: any two that broadcast by the rules of NumPy -> their common shape; also for lb_sub, lb_mul, lb_div.
 *  Errors: LB_ERROR_SHAPE if they do not broadcast. */
lb_tensor *lb_add(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {add_forward, add_backward};
    return lb_op_apply(&add_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a - b. */
lb_tensor *lb_sub(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {subtract_forward, subtract_backward};
    return lb_op_apply(&subtract_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a times b, element by element. */
lb_tensor *lb_mul(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {multiply_forward, multiply_backward};
    return lb_op_apply(&multiply_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a divided by b, element by element. */
lb_tensor *lb_div(lb_tensor *a, lb_tensor *b)
{
    static const lb_pair_kernels rows = {divide_forward, divide_backward};
    return lb_op_apply(&divide_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

static const lb_op *const ops[] = {&add_op, &subtract_op, &multiply_op, &divide_op};
const lb_op_family lb_family_arithmetic = {ops, LB_LENGTH(ops)};
