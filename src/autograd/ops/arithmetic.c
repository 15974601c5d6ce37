/* Element by element, with broadcasting: sum, difference, product and quotient. */
#include "autograd/broadcast.h"
#include "autograd/op.h"
#include "lookback/ops.h"

enum {
    CHUNK = 1 << 13, /* elements that a thread takes at a time */
    ALONE = 1 << 16  /* elements that are not worth a second thread */
};

/* One row of an operand, or of its gradient: `step` is 0 if one element is used for the whole row. */
typedef struct row {
    const lb_real *value;
    lb_real *grad; /* NULL if nobody wants it */
    int64_t step;
} row;

/* The two kernels of an op: its values along a row, and its gradients along a row. */
typedef struct arithmetic {
    void (*forward)(int64_t width, row a, row b, lb_real *out);
    void (*backward)(int64_t width, row a, row b, const lb_real *grad);
} arithmetic;

LB_KERNEL static void add_forward(int64_t width, row a, row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] + b.value[i * b.step];
}

LB_KERNEL static void subtract_forward(int64_t width, row a, row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] - b.value[i * b.step];
}

LB_KERNEL static void multiply_forward(int64_t width, row a, row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] * b.value[i * b.step];
}

LB_KERNEL static void divide_forward(int64_t width, row a, row b, lb_real *out)
{
    for (int64_t i = 0; i < width; i++) out[i] = a.value[i * a.step] / b.value[i * b.step];
}

LB_KERNEL static void accumulate(int64_t width, row to, lb_real sign, const lb_real *grad)
{
    if (!to.grad) return;
    for (int64_t i = 0; i < width; i++) to.grad[i * to.step] += sign * grad[i];
}

static void add_backward(int64_t width, row a, row b, const lb_real *grad)
{
    accumulate(width, a, 1, grad);
    accumulate(width, b, 1, grad);
}

static void subtract_backward(int64_t width, row a, row b, const lb_real *grad)
{
    accumulate(width, a, 1, grad);
    accumulate(width, b, -1, grad);
}

LB_KERNEL static void multiply_backward(int64_t width, row a, row b, const lb_real *grad)
{
    for (int64_t i = 0; i < width && a.grad; i++) a.grad[i * a.step] += grad[i] * b.value[i * b.step];
    for (int64_t i = 0; i < width && b.grad; i++) b.grad[i * b.step] += grad[i] * a.value[i * a.step];
}

static void divide_backward(int64_t width, row a, row b, const lb_real *grad)
{
    for (int64_t i = 0; i < width; i++) {
        lb_real quotient = grad[i] / b.value[i * b.step];
        if (a.grad) a.grad[i * a.step] += quotient;
        if (b.grad) b.grad[i * b.step] -= quotient * a.value[i * a.step] / b.value[i * b.step];
    }
}

static lb_status broadcast_shape(const lb_node *node, lb_shape *out)
{
    if (lb_shape_broadcast(node->in[0]->shape, node->in[1]->shape, out)) return LB_OK;
    return lb_op_misfit(node, "shapes do not broadcast", 0, 1);
}

static row row_of(const lb_node *node, int i, int64_t offset, int64_t step)
{
    const lb_tensor *operand = node->in[i];
    return (row){operand->data + offset, lb_wants_grad(operand) ? operand->grad + offset : NULL, step};
}

/* A run of an operand that is as large as the result. */
static row run_of(const lb_node *node, bool backward, int i, int64_t first, int64_t count)
{
    if (backward && lb_wants_grad(node->in[i])) lb_op_begin_grad(node, i, first, count);
    return row_of(node, i, first, 1);
}

static void take_row(const lb_node *node, bool backward, row a, row b, int64_t offset, int64_t width)
{
    const arithmetic *op = node->attributes;
    if (backward)
        op->backward(width, a, b, node->out[0]->grad + offset);
    else
        op->forward(width, a, b, node->out[0]->data + offset);
}

/* Operands of the same shape: rows can have any length, and no two rows overlap. */
static void walk_alike(const lb_node *node, bool backward)
{
    int64_t count = lb_count(node->out[0]);
#pragma omp parallel for schedule(static) if (count > ALONE)
    for (int64_t first = 0; first < count; first += CHUNK) {
        int64_t length = count - first < CHUNK ? count - first : CHUNK;
        row a = run_of(node, backward, 0, first, length), b = run_of(node, backward, 1, first, length);
        take_row(node, backward, a, b, first, length);
    }
}

static void walk(lb_node *node, bool backward)
{
    if (lb_shape_equal(node->in[0]->shape, node->in[1]->shape)) {
        walk_alike(node, backward);
        return;
    }
    for (int i = 0; i < 2 && backward; i++)
        if (lb_wants_grad(node->in[i])) lb_op_begin_grad(node, i, 0, lb_count(node->in[i]));
    lb_broadcast broadcast = lb_broadcast_new(node->in[0]->shape, node->in[1]->shape);
    for (int64_t r = 0; r < broadcast.rows; r++) {
        int64_t offset_a, offset_b;
        lb_broadcast_row(&broadcast, r, &offset_a, &offset_b);
        take_row(node, backward, row_of(node, 0, offset_a, broadcast.step_a),
                 row_of(node, 1, offset_b, broadcast.step_b), r * broadcast.width, broadcast.width);
    }
}

static lb_status forward(lb_node *node)
{
    walk(node, false);
    return LB_OK;
}

static void backward(lb_node *node)
{
    walk(node, true);
}

/* The index of the operand for element `i` of a result of this shape. */
static double operand_at(const lb_tensor *operand, lb_shape result, int64_t i)
{
    int64_t offset = 0;
    for (int axis = -1; axis >= -operand->shape.ndim; axis--) {
        int64_t index = i / lb_shape_stride(result, axis) % lb_shape_dim(result, axis);
        if (lb_dim(operand, axis) > 1) offset += index * lb_shape_stride(operand->shape, axis);
    }
    return (double)operand->data[offset];
}

static void add_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = operand_at(node->in[0], shape, i) + operand_at(node->in[1], shape, i);
}

static void subtract_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = operand_at(node->in[0], shape, i) - operand_at(node->in[1], shape, i);
}

static void multiply_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = operand_at(node->in[0], shape, i) * operand_at(node->in[1], shape, i);
}

static void divide_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = operand_at(node->in[0], shape, i) / operand_at(node->in[1], shape, i);
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
    .shape = broadcast_shape,
    .forward = forward,
    .backward = backward,
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
    .shape = broadcast_shape,
    .forward = forward,
    .backward = backward,
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
    .shape = broadcast_shape,
    .forward = forward,
    .backward = backward,
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
    .shape = broadcast_shape,
    .forward = forward,
    .backward = backward,
    .can_set = 1U | 1U << 1,
    .reference = divide_reference,
    .cases = divide_cases,
    .case_count = LB_LENGTH(divide_cases),
};

/** a + b. Shapes: any two that broadcast by the rules of NumPy -> their common shape; also for lb_sub, lb_mul, lb_div.
 *  Errors: LB_ERROR_SHAPE if they do not broadcast. */
lb_tensor *lb_add(lb_tensor *a, lb_tensor *b)
{
    static const arithmetic rows = {add_forward, add_backward};
    return lb_op_apply(&add_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a - b. */
lb_tensor *lb_sub(lb_tensor *a, lb_tensor *b)
{
    static const arithmetic rows = {subtract_forward, subtract_backward};
    return lb_op_apply(&subtract_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a times b, element by element. */
lb_tensor *lb_mul(lb_tensor *a, lb_tensor *b)
{
    static const arithmetic rows = {multiply_forward, multiply_backward};
    return lb_op_apply(&multiply_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

/** a divided by b, element by element. */
lb_tensor *lb_div(lb_tensor *a, lb_tensor *b)
{
    static const arithmetic rows = {divide_forward, divide_backward};
    return lb_op_apply(&divide_op, LB_INPUTS(a, b), &rows, sizeof rows);
}

static const lb_op *const ops[] = {&add_op, &subtract_op, &multiply_op, &divide_op};
const lb_op_family lb_family_arithmetic = {ops, LB_LENGTH(ops)};
