/* References and cases of the ops in join.c. */
#include "autograd/op.h"
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

static void concat_reference(const lb_node *node, double *const *out)
{
    lb_shape whole = node->out[0]->shape;
    int axis = lb_shape_axis(whole, ((const lb_join_range *)node->attributes)->axis);
    int64_t inner = lb_shape_stride(whole, axis);
    for (int64_t i = 0; i < lb_shape_count(whole); i++) {
        int64_t o = i / (whole.dim[axis] * inner), along = i / inner % whole.dim[axis];
        int which = 0;
        while (along >= node->in[which]->shape.dim[axis]) along -= node->in[which++]->shape.dim[axis];
        out[0][i] =
            (double)node->in[which]->data[(o * node->in[which]->shape.dim[axis] + along) * inner + i % inner];
    }
}

static void slice_reference(const lb_node *node, double *const *out)
{
    const lb_join_range *r = node->attributes;
    lb_shape x = node->in[0]->shape, y = node->out[0]->shape;
    int axis = lb_shape_axis(x, r->axis);
    int64_t inner = lb_shape_stride(x, axis);
    for (int64_t i = 0; i < lb_shape_count(y); i++) {
        int64_t along = i / inner % y.dim[axis] + r->first, o = i / (y.dim[axis] * inner);
        out[0][i] = (double)node->in[0]->data[(o * x.dim[axis] + along) * inner + i % inner];
    }
}

static lb_tensor *concat_last(lb_tensor *const *in)
{
    return lb_concat(in, 3, -1);
}

static lb_tensor *concat_first(lb_tensor *const *in)
{
    return lb_concat(in, 2, 0);
}

static lb_tensor *stack_case(lb_tensor *const *in)
{
    return lb_stack(in, 2, 1);
}

static lb_tensor *slice_middle(lb_tensor *const *in)
{
    return lb_slice(in[0], 1, 1, 2);
}

static lb_tensor *slice_last(lb_tensor *const *in)
{
    return lb_slice(in[0], -1, 2, 1);
}

static const lb_op_case concat_cases[] = {
    {"last axis", 3, {LB_DIMS(2, 3), LB_DIMS(2, 1), LB_DIMS(2, 4)}, .apply = concat_last},
    {"first axis", 2, {LB_DIMS(2, 3), LB_DIMS(4, 3)}, .apply = concat_first},
    {"equal shapes", 2, {LB_DIMS(2, 3), LB_DIMS(2, 3)}, .apply = concat_first},
    {"stack", 2, {LB_DIMS(2, 3), LB_DIMS(2, 3)}, .apply = stack_case},
};
static const lb_op_case slice_cases[] = {
    {"middle axis", 1, {LB_DIMS(2, 4, 3)}, .apply = slice_middle},
    {"last axis", 1, {LB_DIMS(3, 3)}, .apply = slice_last},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("concat", concat_reference, concat_cases),
    LB_OP_PROOF("slice", slice_reference, slice_cases),
};
const lb_op_proofs lb_proofs_join = {proofs, LB_LENGTH(proofs)};
