/* References and cases of the ops in reduce.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

static void reference(const lb_node *node, double *const *out)
{
    const lb_reduction *r = node->attributes;
    lb_shape shape = node->in[0]->shape;
    int axis = r->all ? 0 : lb_shape_axis(shape, r->axis);
    int64_t below = r->all ? 1 : lb_shape_stride(shape, axis),
            length = r->all ? lb_count(node->in[0]) : shape.dim[axis];
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) out[0][i] = 0;
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) {
        int64_t to = i / (below * length) * below + i % below;
        out[0][to] += (double)node->in[0]->data[i] / (r->mean ? (double)length : 1);
    }
}

static lb_tensor *sum_first(lb_tensor *const *in)
{
    return lb_sum(in[0], 0);
}

static lb_tensor *sum_middle(lb_tensor *const *in)
{
    return lb_sum(in[0], -2);
}

static lb_tensor *sum_keep_middle(lb_tensor *const *in)
{
    return lb_sum_keep(in[0], 1);
}

static lb_tensor *sum_all(lb_tensor *const *in)
{
    return lb_sum_all(in[0]);
}

static lb_tensor *mean_last(lb_tensor *const *in)
{
    return lb_mean(in[0], -1);
}

static lb_tensor *mean_keep_last(lb_tensor *const *in)
{
    return lb_mean_keep(in[0], -1);
}

static lb_tensor *mean_all(lb_tensor *const *in)
{
    return lb_mean_all(in[0]);
}

static const lb_op_case sum_cases[] = {
    {"first axis", 1, {LB_DIMS(3, 2, 4)}, .apply = sum_first},
    {"middle axis", 1, {LB_DIMS(3, 2, 4)}, .apply = sum_middle},
    {"kept axis", 1, {LB_DIMS(3, 2, 4)}, .apply = sum_keep_middle},
    {"everything", 1, {LB_DIMS(3, 2)}, .apply = sum_all},
};
static const lb_op_case mean_cases[] = {
    {"last axis", 1, {LB_DIMS(3, 2, 4)}, .apply = mean_last},
    {"kept axis", 1, {LB_DIMS(3, 5)}, .apply = mean_keep_last},
    {"everything", 1, {LB_DIMS(3, 5)}, .apply = mean_all},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("sum", reference, sum_cases),
    LB_OP_PROOF("mean", reference, mean_cases),
};
const lb_op_proofs lb_proofs_reduce = {proofs, LB_LENGTH(proofs)};
