/* References and cases of the ops in affine.c. */
#include "autograd/op_cases.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"

enum { X, WEIGHT, BIAS, BESIDE };

/* The product of one row of x, or of `beside`, with one row of the weight. */
static double dot(const lb_node *node, int operand, int64_t row, const lb_real *weight)
{
    int64_t inputs = lb_dim(node->in[operand], -1);
    double sum = 0;
    for (int64_t j = 0; j < inputs; j++)
        sum += (double)node->in[operand]->data[row * inputs + j] * (double)weight[j];
    return sum;
}

static void reference(const lb_node *node, double *const *out)
{
    const lb_tensor *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    const lb_affine_part *of = node->attributes;
    int64_t outputs = lb_dim(node->out[0], -1);
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) {
        int64_t row = i / outputs, column = of->top + i % outputs;
        const lb_real *met = weight->data + column * lb_dim(weight, 1) + of->first;
        out[0][i] = (bias ? (double)bias->data[column] : 0) + dot(node, X, row, met);
        if (of->rectify && out[0][i] < 0) out[0][i] = 0;
        if (node->in[BESIDE]) out[0][i] += dot(node, BESIDE, row, met + lb_dim(node->in[X], -1));
    }
}

static lb_tensor *biased_case(lb_tensor *const *in)
{
    return lb_affine(in[0], in[1], in[2]);
}

static lb_tensor *plain_case(lb_tensor *const *in)
{
    return lb_affine(in[0], in[1], NULL);
}

static lb_tensor *columns_case(lb_tensor *const *in)
{
    return lb_affine_columns(in[0], in[1], 2, in[2]);
}

static lb_tensor *rows_case(lb_tensor *const *in)
{
    return lb_affine_rows(in[0], in[1], 2, 3, in[2]);
}

static lb_tensor *relu_case(lb_tensor *const *in)
{
    return lb_affine_relu(in[0], in[1], in[2]);
}

static lb_tensor *plain_relu_case(lb_tensor *const *in)
{
    return lb_affine_relu(in[0], in[1], NULL);
}

static lb_tensor *pair_case(lb_tensor *const *in)
{
    return lb_affine_pair(in[0], in[3], in[1], in[2]);
}

static lb_tensor *plain_pair_case(lb_tensor *const *in)
{
    return lb_affine_pair(in[0], in[2], in[1], NULL);
}

/* No rows are not all of them, which `top` would put behind the end of the weight. */
static lb_tensor *no_rows_case(lb_tensor *const *in)
{
    return lb_affine_rows(in[0], in[1], 2, 0, in[2]);
}

static const lb_op_case cases[] = {
    {"with bias", 3, {LB_DIMS(3, 4), LB_DIMS(5, 4), LB_DIMS(5)}, .apply = biased_case},
    {"three axes", 3, {LB_DIMS(2, 3, 4), LB_DIMS(5, 4), LB_DIMS(5)}, .apply = biased_case},
    {"without bias", 2, {LB_DIMS(3, 4), LB_DIMS(5, 4)}, .apply = plain_case},
    {"no outputs", 4, {LB_DIMS(2, 3), LB_DIMS(0, 5), LB_DIMS(0), LB_DIMS(2, 2)}, .apply = pair_case},
    {"one row", 3, {LB_DIMS(4), LB_DIMS(3, 4), LB_DIMS(3)}, .apply = biased_case},
    {"some columns", 3, {LB_DIMS(2, 3), LB_DIMS(4, 7), LB_DIMS(4)}, .apply = columns_case},
    {"some rows", 3, {LB_DIMS(2, 3), LB_DIMS(7, 3), LB_DIMS(7)}, .apply = rows_case},
    {"no rows", 3, {LB_DIMS(2, 3), LB_DIMS(7, 3), LB_DIMS(7)}, .apply = no_rows_case},
    {"rectified", 3, {LB_DIMS(3, 5), LB_DIMS(6, 5), LB_DIMS(6)}, .apply = relu_case},
    {"rectified, without bias", 2, {LB_DIMS(2, 2, 3), LB_DIMS(5, 3)}, .apply = plain_relu_case},
    {"a pair", 4, {LB_DIMS(2, 2, 3), LB_DIMS(4, 5), LB_DIMS(4), LB_DIMS(2, 2, 2)}, .apply = pair_case},
    {"a pair without bias", 3, {LB_DIMS(2, 3), LB_DIMS(4, 5), LB_DIMS(2, 2)}, .apply = plain_pair_case},
};

static const lb_op_proof proofs[] = {
    LB_OP_PROOF("affine", reference, cases),
};
const lb_op_proofs lb_proofs_affine = {proofs, LB_LENGTH(proofs)};
