/* References and cases of the ops in masked_fill.c. */
#include "autograd/op_cases.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

enum { X, MASK };

static void reference(const lb_node *node, double *const *out)
{
    const lb_tensor *x = node->in[X], *mask = node->in[MASK];
    for (int64_t i = 0; i < lb_count(x); i++) {
        int64_t offset = 0;
        for (int axis = -1; axis >= -mask->shape.ndim; axis--)
            if (lb_dim(mask, axis) > 1)
                offset += i / lb_shape_stride(x->shape, axis) % lb_dim(x, axis) *
                          lb_shape_stride(mask->shape, axis);
        out[0][i] = mask->data[offset] != 0 ? (double)x->data[i] : (double)*(const lb_real *)node->attributes;
    }
}

static lb_tensor *fill_case(lb_tensor *const *in)
{
    return lb_masked_fill(in[X], in[MASK], (lb_real)-2.5);
}

static const lb_op_case cases[] = {
    {"equal shapes", 2, {LB_DIMS(3, 4), LB_DIMS(3, 4)}, .fixed = {false, true}, .apply = fill_case},
    {"one mask for all queries",
     2,
     {LB_DIMS(2, 3, 4), LB_DIMS(2, 1, 4)},
     .fixed = {false, true},
     .apply = fill_case},
    {"one mask for the batch", 2, {LB_DIMS(3, 2, 4), LB_DIMS(4)}, .fixed = {false, true}, .apply = fill_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("masked_fill", reference, cases),
};
const lb_op_proofs lb_proofs_masked_fill = {proofs, LB_LENGTH(proofs)};
