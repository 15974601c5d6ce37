/* References and cases of the ops in power.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

#include <math.h>

/* e^(b ln |a|), with the sign of a negative a for odd b. Infinite b count as even, as in C. */
static double power_of(double a, double b)
{
    if (b == 0 || a == 1 || (a == -1 && isinf(b))) return 1;
    double size = exp(b * log(fabs(a)));
    if (!signbit(a) || isinf(b)) return size;
    if (fmod(b, 1) != 0) return a == 0 || isinf(a) ? size : NAN;
    return fmod(b, 2) != 0 ? -size : size;
}

static void power_reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] = power_of(lb_pair_operand(node->in[0], shape, i), lb_pair_operand(node->in[1], shape, i));
}

static lb_tensor *power_case(lb_tensor *const *in)
{
    return lb_pow(in[0], in[1]);
}

static const lb_op_case power_cases[] = {
    {"equal shapes", 2, {LB_DIMS(3, 4), LB_DIMS(3, 4)}, .low = 0.5, .high = 2, .apply = power_case},
    {"both stretch", 2, {LB_DIMS(2, 1, 4), LB_DIMS(3, 1)}, .low = 0.5, .high = 2, .apply = power_case},
    {"one exponent", 2, {LB_DIMS(2, 3), {0}}, .low = 0.5, .high = 2, .apply = power_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("pow", power_reference, power_cases),
};
const lb_op_proofs lb_proofs_power = {proofs, LB_LENGTH(proofs)};
