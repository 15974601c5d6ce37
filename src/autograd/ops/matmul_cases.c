/* References and cases of the ops in matmul.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/shape.h"

static void reference(const lb_node *node, double *const *out)
{
    const lb_matmul_sides *p = node->attributes;
    const lb_tensor *a = node->in[0], *b = node->in[1];
    int64_t m = lb_dim(node->out[0], -2), n = lb_dim(node->out[0], -1),
            k = lb_dim(a, p->transpose_a ? -2 : -1);
    lb_shape batch = node->out[0]->shape;
    batch.ndim -= 2;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        int64_t which = i / (m * n), row = i / n % m, column = i % n, offset_a = 0, offset_b = 0;
        for (int axis = -1; axis >= -batch.ndim; axis--) {
            int64_t index = which / lb_shape_stride(batch, axis) % lb_shape_dim(batch, axis);
            if (axis - 2 >= -a->shape.ndim && lb_dim(a, axis - 2) > 1)
                offset_a += index * lb_shape_stride(a->shape, axis - 2);
            if (axis - 2 >= -b->shape.ndim && lb_dim(b, axis - 2) > 1)
                offset_b += index * lb_shape_stride(b->shape, axis - 2);
        }
        out[0][i] = 0;
        for (int64_t j = 0; j < k; j++)
            out[0][i] += (double)a->data[offset_a + (p->transpose_a ? j * m + row : row * k + j)] *
                         (double)b->data[offset_b + (p->transpose_b ? column * k + j : j * n + column)];
    }
}

static lb_tensor *plain_case(lb_tensor *const *in)
{
    return lb_matmul(in[0], in[1]);
}

static lb_tensor *transpose_a_case(lb_tensor *const *in)
{
    return lb_matmul_transposed(in[0], true, in[1], false);
}

static lb_tensor *transpose_b_case(lb_tensor *const *in)
{
    return lb_matmul_transposed(in[0], false, in[1], true);
}

static lb_tensor *transpose_both_case(lb_tensor *const *in)
{
    return lb_matmul_transposed(in[0], true, in[1], true);
}

static const lb_op_case cases[] = {
    {"two axes", 2, {LB_DIMS(3, 4), LB_DIMS(4, 5)}, .apply = plain_case},
    {"square", 2, {LB_DIMS(4, 4), LB_DIMS(4, 4)}, .apply = plain_case},
    {"transposed a", 2, {LB_DIMS(4, 3), LB_DIMS(4, 5)}, .apply = transpose_a_case},
    {"transposed b", 2, {LB_DIMS(3, 4), LB_DIMS(5, 4)}, .apply = transpose_b_case},
    {"both transposed", 2, {LB_DIMS(4, 3), LB_DIMS(5, 4)}, .apply = transpose_both_case},
    {"batch", 2, {LB_DIMS(2, 3, 4), LB_DIMS(2, 4, 5)}, .apply = plain_case},
    {"batch, both transposed", 2, {LB_DIMS(2, 4, 3), LB_DIMS(2, 5, 4)}, .apply = transpose_both_case},
    {"one b for all", 2, {LB_DIMS(2, 3, 4), LB_DIMS(4, 5)}, .apply = plain_case},
    {"one transposed b for all", 2, {LB_DIMS(2, 3, 4), LB_DIMS(5, 4)}, .apply = transpose_b_case},
    {"one a for all", 2, {LB_DIMS(3, 4), LB_DIMS(2, 4, 5)}, .apply = plain_case},
    {"both stretch", 2, {LB_DIMS(2, 1, 3, 4), LB_DIMS(3, 4, 2)}, .apply = plain_case},
    {"one b of length 1 for all", 2, {LB_DIMS(2, 3, 4), LB_DIMS(1, 4, 5)}, .apply = plain_case},
    {"several tiles", 2, {LB_DIMS(130, 6), LB_DIMS(6, 7)}, .apply = plain_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("matmul", reference, cases),
};
const lb_op_proofs lb_proofs_matmul = {proofs, LB_LENGTH(proofs)};
