/* Layer normalisation, also of the sum of a residual connection. */
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/kernel.h"
#include "tensor/sum.h"

#include <math.h>

enum { X, WEIGHT, BIAS, BRANCH };
enum { NORMAL, SUM };

enum {
    ALONE = 1 << 13, /* elements that one thread is quicker with */
    COLUMNS = 16,    /* whose sums a thread takes at a time */
    FAR = 16         /* standard deviations between a row's mean and 0 */
};

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    lb_shape x = node->in[X]->shape;
    if (x.ndim < 1 || !lb_shape_equal(node->in[WEIGHT]->shape, LB_SHAPE(lb_shape_dim(x, -1))))
        return lb_op_misfit(node, "expected one weight per column", X, WEIGHT);
    if (!lb_shape_equal(node->in[BIAS]->shape, node->in[WEIGHT]->shape))
        return lb_op_misfit(node, "weight and bias sizes differ", WEIGHT, BIAS);
    out[0] = x;
    if (node->inputs <= BRANCH) return LB_OK;
    lb_real p = ((const lb_norm_attributes *)node->attributes)->dropout;
    if (!(p >= 0 && p < 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid probability %g, expected 0 <= p < 1", (double)p);
    if (!lb_shape_equal(node->in[BRANCH]->shape, x)) return lb_op_misfit(node, "shapes differ", X, BRANCH);
    out[SUM] = x;
    return LB_OK;
}

/* The mean of one row. `variance` receives its biased variance plus epsilon. */
static inline LB_INLINED lb_real moments_inline(int64_t width, lb_real epsilon, const lb_real *x,
                                                lb_real *variance)
{
    LB_SUM(lb_real, mean, i, width, x[i]);
    mean /= (lb_real)width;
    LB_SUM(lb_real, sum, i, width, (x[i] - mean) * (x[i] - mean));
    *variance = sum / (lb_real)width + epsilon;
    return mean;
}

/* One row: its normalised values, the output, and 1 / its standard deviation. */
LB_KERNEL_OF(lb_real, normalize_row,
             (int64_t width, lb_real epsilon, const lb_real *x, const lb_real *weight, const lb_real *bias,
              lb_real *normal, lb_real *y),
             (width, epsilon, x, weight, bias, normal, y))
{
    lb_real variance, mean = moments_inline(width, epsilon, x, &variance);
    if (!(mean * mean < (lb_real)(FAR * FAR) * variance)) {
        /* The rounding of the mean would be as large as what is left. Differences between close numbers are exact. */
        for (int64_t i = 0; i < width; i++) normal[i] = x[i] - x[0];
        x = normal;
        mean = moments_inline(width, epsilon, x, &variance);
    }
    lb_real inverse = 1 / (lb_real)sqrt((double)variance);
#pragma omp simd
    for (int64_t i = 0; i < width; i++) {
        normal[i] = (x[i] - mean) * inverse;
        y[i] = normal[i] * weight[i] + bias[i];
    }
    return inverse;
}

/* The sum of a row of x and of the branch, whose elements are multiplied by `factor` unless it is NULL. */
LB_KERNEL(add_row,
          (int64_t width, const lb_real *x, const lb_real *branch, const lb_real *factor, lb_real *sum),
          (width, x, branch, factor, sum))
{
    if (factor)
        for (int64_t i = 0; i < width; i++) sum[i] = x[i] + branch[i] * factor[i];
    else
#pragma omp simd
        for (int64_t i = 0; i < width; i++) sum[i] = x[i] + branch[i];
}

typedef struct kept {
    lb_real *normal;  /* the normalised values */
    lb_real *inverse; /* 1 / standard deviation of each row */
    lb_real *factor;  /* of the elements of the branch; NULL: nothing is dropped */
} kept;

static void forward_row(const lb_node *node, lb_rng rng, int64_t row)
{
    const lb_norm_attributes *attributes = node->attributes;
    const kept *keep = node->saved;
    int64_t width = lb_dim(node->in[X], -1), at = row * width;
    const lb_real *x = node->in[X]->data + at;
    if (node->in[BRANCH]) {
        lb_real *factor = keep->factor ? keep->factor + at : NULL, *sum = node->out[SUM]->data + at;
        if (factor) lb_dropout_mask(rng, attributes->dropout, at, width, factor);
        add_row(width, x, node->in[BRANCH]->data + at, factor, sum);
        x = sum;
    }
    keep->inverse[row] = normalize_row(width, attributes->epsilon, x, node->in[WEIGHT]->data,
                                       node->in[BIAS]->data, keep->normal + at, node->out[0]->data + at);
}

static lb_status forward(lb_node *node)
{
    int64_t width = lb_dim(node->in[X], -1), rows = width ? lb_count(node->in[X]) / width : 0;
    bool drops = ((const lb_norm_attributes *)node->attributes)->dropout > 0;
    kept *keep = node->saved = lb_tape_alloc(node->tape, sizeof *keep);
    lb_real *reals = lb_op_reals(node, (1 + drops) * rows * width + rows);
    if (!keep || !reals) return LB_ERROR_MEMORY;
    *keep = (kept){reals, reals + rows * width, drops ? reals + rows * width + rows : NULL};
    lb_rng rng = drops ? lb_op_rng(node) : (lb_rng){0};
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
    for (int64_t row = 0; row < rows; row++) forward_row(node, rng, row);
    return LB_OK;
}

LB_KERNEL(backward_row,
          (int64_t width, const lb_real *dy, const lb_real *weight, const lb_real *normal, lb_real inverse,
           lb_real *dx),
          (width, dy, weight, normal, inverse, dx))
{
    LB_SUM(lb_real, sum, i, width, dy[i] * weight[i]);
    LB_SUM(lb_real, dot, i, width, dy[i] * weight[i] * normal[i]);
    sum /= (lb_real)width;
    dot /= (lb_real)width;
#pragma omp simd
    for (int64_t i = 0; i < width; i++) dx[i] += inverse * (dy[i] * weight[i] - sum - normal[i] * dot);
}

/* The gradient of a row of the sum goes to an operand. */
LB_KERNEL(give_row, (int64_t width, bool sets, const lb_real *factor, const lb_real *from, lb_real *to),
          (width, sets, factor, from, to))
{
    for (int64_t i = 0; i < width; i++) {
        lb_real given = factor ? factor[i] * from[i] : from[i];
        to[i] = sets ? given : to[i] + given;
    }
}

/* The gradient of a sum receives what comes through its norm. */
static void backward_from_row(lb_node *node, int64_t row)
{
    const kept *keep = node->saved;
    int64_t width = lb_dim(node->in[X], -1), at = row * width;
    lb_tensor *x = node->in[X], *branch = node->in[BRANCH];
    lb_real *dx = branch ? node->out[SUM]->grad + at : lb_op_begin_grad(node, X, at, width);
    backward_row(width, node->out[0]->grad + at, node->in[WEIGHT]->data, keep->normal + at,
                 keep->inverse[row], dx);
    if (!branch) return;
    if (lb_wants_grad(x)) give_row(width, lb_op_sets(node, X), NULL, dx, x->grad + at);
    if (lb_wants_grad(branch))
        give_row(width, lb_op_sets(node, BRANCH), keep->factor ? keep->factor + at : NULL, dx,
                 branch->grad + at);
}

/* A block of columns, with its own sums over the rows. */
LB_KERNEL(backward_columns,
          (int64_t rows, int64_t width, int64_t count, const lb_real *dy, const lb_real *normal,
           lb_real *dweight, lb_real *dbias),
          (rows, width, count, dy, normal, dweight, dbias))
{
    for (int64_t row = 0; row < rows; row++, dy += width, normal += width) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) {
            dweight[i] += dy[i] * normal[i];
            dbias[i] += dy[i];
        }
    }
}

static int64_t work(const lb_node *node)
{
    return 2 * lb_dim(node->in[X], -1);
}

static void backward(lb_node *node)
{
    int64_t width = lb_dim(node->in[X], -1), rows = width ? lb_count(node->in[X]) / width : 0;
    const lb_real *normal = ((const kept *)node->saved)->normal, *dy = node->out[0]->grad;
    if (lb_wants_grad(node->in[X]) || lb_wants_grad(node->in[BRANCH])) {
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
        for (int64_t row = 0; row < rows; row++) backward_from_row(node, row);
    }
    if (!lb_wants_grad(node->in[WEIGHT]) && !lb_wants_grad(node->in[BIAS])) return;
    lb_real *dweight = node->work, *dbias = dweight + width;
    for (int64_t i = 0; i < 2 * width; i++) node->work[i] = 0;
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
    for (int64_t first = 0; first < width; first += COLUMNS)
        backward_columns(rows, width, width - first < COLUMNS ? width - first : COLUMNS, dy + first,
                         normal + first, dweight + first, dbias + first);
    lb_op_add_grad(node->in[WEIGHT], dweight);
    lb_op_add_grad(node->in[BIAS], dbias);
}

static const lb_op standardize_op = {
    .name = "standardize",
    .operands = "x weight bias",
    .formula = "y = n w + b, n = (x - mean x) / sqrt(var x + epsilon)",
    .derivative =
        "dn = dy w, dx += (dn - mean dn - n mean(dn n)) / sqrt(var x + epsilon), dw += dy n, db += dy",
    .shape = same_shape,
    .forward = forward,
    .work = LB_TRAINING(work),
    .backward = LB_TRAINING(backward),
    .can_set = 1U << X,
};

static const lb_op add_standardize_op = {
    .name = "add_standardize",
    .operands = "x weight bias branch",
    .formula = "y = standardize(s), s = x + dropout(branch)",
    .derivative = "as standardize: ds, dx += ds, dbranch += ds where it was kept",
    .outputs = 2,
    .shape = same_shape,
    .forward = forward,
    .work = LB_TRAINING(work),
    .backward = LB_TRAINING(backward),
    .can_set = 1U << X | 1U << BRANCH,
};

/** Layer normalisation over the last axis, with the biased variance, as in nn.LayerNorm. A row of equal numbers gives
 *  the bias.
 *  Shapes: x [..., width], weight [width], bias [width] -> shape of x. Errors: LB_ERROR_SHAPE.
 *  Source: Ba, Kiros, Hinton 2016, arXiv:1607.06450. Differs: epsilon is added to the variance. */
lb_tensor *lb_standardize(lb_tensor *x, lb_tensor *weight, lb_tensor *bias, lb_real epsilon)
{
    return lb_op_apply(&standardize_op, LB_INPUTS(x, weight, bias), &(lb_norm_attributes){epsilon, 0},
                       sizeof(lb_norm_attributes));
}

lb_tensor *lb_add_standardize(lb_tensor *x, lb_tensor *branch, lb_tensor *weight, lb_tensor *bias,
                              lb_real epsilon, lb_real p)
{
    if (x && x->tape && lb_tape_mode(x->tape) != LB_MODE_TRAIN) p = 0;
    return lb_op_apply(&add_standardize_op, LB_INPUTS(x, weight, bias, branch),
                       &(lb_norm_attributes){epsilon, p}, sizeof(lb_norm_attributes));
}
