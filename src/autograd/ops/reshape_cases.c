/* References and cases of the ops in reshape.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

static void reshape_reference(const lb_node *node, double *const *out)
{
    for (int64_t i = 0; i < lb_count(node->in[0]); i++) out[0][i] = (double)node->in[0]->data[i];
}

static void permute_reference(const lb_node *node, double *const *out)
{
    const lb_permutation *p = node->attributes;
    lb_shape x = node->in[0]->shape, y = node->out[0]->shape;
    for (int64_t i = 0; i < lb_shape_count(x); i++) {
        int64_t to = 0;
        for (int d = 0; d < y.ndim; d++) {
            int axis = lb_shape_axis(x, p->axis[d]);
            to += i / lb_shape_stride(x, axis) % x.dim[axis] * lb_shape_stride(y, d);
        }
        out[0][to] = (double)node->in[0]->data[i];
    }
}

static lb_tensor *reshape_case(lb_tensor *const *in)
{
    return lb_reshape(in[0], LB_SHAPE(4, -1));
}

static lb_tensor *heads_case(lb_tensor *const *in)
{
    return lb_permute(in[0], 4, (const int[]){0, 2, 1, 3});
}

static lb_tensor *rotate_case(lb_tensor *const *in)
{
    return lb_permute(in[0], 3, (const int[]){-1, 0, 1});
}

static const lb_op_case reshape_cases[] = {
    {"one size left open", 1, {LB_DIMS(2, 3, 4)}, .apply = reshape_case}};
static const lb_op_case permute_cases[] = {
    {"split heads", 1, {LB_DIMS(2, 3, 4, 2)}, .apply = heads_case},
    {"last axis first", 1, {LB_DIMS(2, 3, 4)}, .apply = rotate_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("reshape", reshape_reference, reshape_cases),
    LB_OP_PROOF("permute", permute_reference, permute_cases),
};
const lb_op_proofs lb_proofs_reshape = {proofs, LB_LENGTH(proofs)};
