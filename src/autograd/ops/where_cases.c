/* References and cases of the ops in where.c. */
#include "autograd/loops.h"
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

enum { CONDITION, A, B, OPERANDS };

static void reference(const lb_node *node, double *const *out)
{
    lb_shape shape = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(shape); i++)
        out[0][i] =
            lb_pair_operand(node->in[lb_pair_operand(node->in[CONDITION], shape, i) != 0 ? A : B], shape, i);
}

static lb_tensor *where_case(lb_tensor *const *in)
{
    return lb_where(in[CONDITION], in[A], in[B]);
}

static const lb_op_case cases[] = {
    {"equal shapes", 3, {LB_DIMS(3, 4), LB_DIMS(3, 4), LB_DIMS(3, 4)}, .fixed = {true}, .apply = where_case},
    {"all stretch",
     3,
     {LB_DIMS(3, 1), LB_DIMS(2, 1, 4), LB_DIMS(2, 3, 1)},
     .fixed = {true},
     .apply = where_case},
    {"a scalar otherwise", 3, {LB_DIMS(2, 5), LB_DIMS(5), {0}}, .fixed = {true}, .apply = where_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("where", reference, cases),
};
const lb_op_proofs lb_proofs_where = {proofs, LB_LENGTH(proofs)};
