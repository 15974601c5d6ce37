/* References and cases of the ops in arithmetic.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

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

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("add", add_reference, add_cases),
    LB_OP_PROOF("sub", subtract_reference, subtract_cases),
    LB_OP_PROOF("mul", multiply_reference, multiply_cases),
    LB_OP_PROOF("div", divide_reference, divide_cases),
};
const lb_op_proofs lb_proofs_arithmetic = {proofs, LB_LENGTH(proofs)};
