/* References and cases of the ops in maximum.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

#include <math.h>

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

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("maximum", maximum_reference, maximum_cases),
    LB_OP_PROOF("minimum", minimum_reference, minimum_cases),
};
const lb_op_proofs lb_proofs_maximum = {proofs, LB_LENGTH(proofs)};
