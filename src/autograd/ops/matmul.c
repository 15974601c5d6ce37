/* Matrix products of the last two axes. */
#include "autograd/loops.h"
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/gemm.h"

static lb_shape leading(lb_shape shape)
{
    shape.ndim -= 2;
    return shape;
}

static lb_status product_shape(const lb_node *node, lb_shape *out)
{
    const lb_matmul_sides *p = node->attributes;
    lb_shape a = node->in[0]->shape, b = node->in[1]->shape;
    if (a.ndim < 2 || b.ndim < 2) return lb_op_misfit(node, "operands need two axes or more", 0, 1);
    int64_t inner_a = lb_shape_dim(a, p->transpose_a ? -2 : -1),
            inner_b = lb_shape_dim(b, p->transpose_b ? -1 : -2);
    if (inner_a != inner_b) {
        char text_a[LB_SHAPE_TEXT], text_b[LB_SHAPE_TEXT];
        return lb_op_fail(node, LB_ERROR_SHAPE, "inner sizes differ: a%s%s x b%s%s (%lld != %lld)",
                          lb_shape_format(a, text_a), p->transpose_a ? "'" : "", lb_shape_format(b, text_b),
                          p->transpose_b ? "'" : "", (long long)inner_a, (long long)inner_b);
    }
    if (!lb_shape_broadcast(leading(a), leading(b), out))
        return lb_op_misfit(node, "leading axes do not broadcast", 0, 1);
    out->dim[out->ndim++] = lb_shape_dim(a, p->transpose_a ? -1 : -2);
    out->dim[out->ndim++] = lb_shape_dim(b, p->transpose_b ? -2 : -1);
    return LB_OK;
}

/* All products of one run: `batch` of them, each [m, k] x [k, n]. */
typedef struct plan {
    int64_t m, n, k;
    lb_broadcast batches; /* its rows and columns together number the products */
    bool transpose[2];
    int64_t width[2]; /* of the matrices as they are stored */
} plan;

static plan plan_of(const lb_node *node)
{
    const lb_matmul_sides *p = node->attributes;
    const lb_tensor *a = node->in[0], *b = node->in[1], *out = node->out[0];
    plan all = {.m = lb_dim(out, -2),
                .n = lb_dim(out, -1),
                .k = lb_dim(a, p->transpose_a ? -2 : -1),
                .transpose = {p->transpose_a, p->transpose_b},
                .width = {lb_dim(a, -1), lb_dim(b, -1)}};
    lb_shape batch_a = leading(a->shape), batch_b = leading(b->shape);
    if (lb_shape_count(batch_b) == 1 && !p->transpose_a) {
        /* One b for all: the rows of all a's make one tall matrix. */
        all.m *= lb_shape_count(batch_a);
        batch_a = batch_b = (lb_shape){0};
    }
    all.batches = lb_broadcast_new((lb_shape[]){batch_a, batch_b}, 2);
    return all;
}

static int64_t product_count(const plan *all)
{
    return all->batches.rows * all->batches.width;
}

/* Offsets of product `i` in the operands, in elements. */
static void locate(const plan *all, int64_t i, int64_t at[LB_BROADCAST])
{
    lb_broadcast_row(&all->batches, i / all->batches.width, at);
    int64_t column = i % all->batches.width;
    at[0] = (at[0] + column * all->batches.step[0]) * all->m * all->k;
    at[1] = (at[1] + column * all->batches.step[1]) * all->k * all->n;
}

static lb_matrix operand(const lb_node *node, const plan *all, int i, const int64_t *at)
{
    return (lb_matrix){node->in[i]->data + at[i], all->width[i], all->transpose[i], NULL};
}

static lb_matrix turned(lb_matrix matrix)
{
    matrix.transposed = !matrix.transposed;
    return matrix;
}

static lb_status forward(lb_node *node)
{
    plan all = plan_of(node);
    int64_t count = product_count(&all);
#pragma omp parallel for schedule(static) if (count > 1 && count * all.m * all.n * all.k > (1 << 18))
    for (int64_t i = 0; i < count; i++) {
        int64_t at[LB_BROADCAST];
        locate(&all, i, at);
        lb_gemm(all.m, all.n, all.k, operand(node, &all, 0, at), operand(node, &all, 1, at), 0,
                node->out[0]->data + i * all.m * all.n, all.n);
    }
    return LB_OK;
}

/* Adds left right [m, n] to a gradient; its transpose, which is right' left', to one that is stored so. */
static void add_product(int64_t m, int64_t n, int64_t k, lb_matrix left, lb_matrix right, bool transposed,
                        lb_real *grad, int64_t width)
{
    if (transposed)
        lb_gemm(n, m, k, turned(right), turned(left), 1, grad, width);
    else
        lb_gemm(m, n, k, left, right, 1, grad, width);
}

static void backward(lb_node *node)
{
    plan all = plan_of(node);
    int64_t count = product_count(&all);
    /* Where an operand is broadcast, several products add to one gradient, one after the other. */
    bool apart =
        lb_count(node->in[0]) == count * all.m * all.k && lb_count(node->in[1]) == count * all.k * all.n;
    (void)apart; /* without OpenMP there is one thread */
#pragma omp parallel for schedule(static) if (apart && count > 1 && count * all.m * all.n * all.k > (1 << 18))
    for (int64_t i = 0; i < count; i++) {
        int64_t at[LB_BROADCAST];
        locate(&all, i, at);
        lb_matrix dc = lb_plain(node->out[0]->grad + i * all.m * all.n, all.n);
        if (lb_wants_grad(node->in[0])) /* da = dc b' */
            add_product(all.m, all.k, all.n, dc, turned(operand(node, &all, 1, at)), all.transpose[0],
                        node->in[0]->grad + at[0], all.width[0]);
        if (lb_wants_grad(node->in[1])) /* db = a' dc */
            add_product(all.k, all.n, all.m, turned(operand(node, &all, 0, at)), dc, all.transpose[1],
                        node->in[1]->grad + at[1], all.width[1]);
    }
}

static const lb_op matmul_op = {
    .name = "matmul",
    .operands = "a b",
    .formula = "c = a b",
    .derivative = "da += dc b', db += a' dc",
    .shape = product_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Matrix product of the last two axes; leading axes broadcast.
 *  Shapes: a [..., m, k], b [..., k, n] -> [..., m, n]. Errors: LB_ERROR_SHAPE. Cost: O(m n k) per product. */
lb_tensor *lb_matmul(lb_tensor *a, lb_tensor *b)
{
    return lb_op_apply(&matmul_op, LB_INPUTS(a, b), &(lb_matmul_sides){0}, sizeof(lb_matmul_sides));
}

/** lb_matmul with transposed operands, without copying them: with `transpose_a`, a is stored as [..., k, m]; with
 *  `transpose_b`, b is stored as [..., n, k]. */
lb_tensor *lb_matmul_transposed(lb_tensor *a, bool transpose_a, lb_tensor *b, bool transpose_b)
{
    return lb_op_apply(&matmul_op, LB_INPUTS(a, b), &(lb_matmul_sides){transpose_a, transpose_b},
                       sizeof(lb_matmul_sides));
}
