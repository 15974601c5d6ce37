/* Layer normalisation over the last axis. */
#include "autograd/op.h"
#include "lookback/ops.h"

#include <math.h>

enum { X, WEIGHT, BIAS };

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
    *out = x;
    return LB_OK;
}

/* The mean of one row. `variance` receives its biased variance plus epsilon. */
static inline lb_real moments_inline(int64_t width, lb_real epsilon, const lb_real *x, lb_real *variance)
{
    lb_real mean = 0, sum = 0;
#pragma omp simd reduction(+ : mean)
    for (int64_t i = 0; i < width; i++) mean += x[i];
    mean /= (lb_real)width;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < width; i++) sum += (x[i] - mean) * (x[i] - mean);
    *variance = sum / (lb_real)width + epsilon;
    return mean;
}

/* One row: its normalised values, the output, and 1 / its standard deviation. */
LB_KERNEL static lb_real normalize_row(int64_t width, lb_real epsilon, const lb_real *x,
                                       const lb_real *weight, const lb_real *bias, lb_real *normal,
                                       lb_real *y)
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

/* saved: the normalised values, then 1 / standard deviation of each row */
static lb_status forward(lb_node *node)
{
    lb_real epsilon = *(const lb_real *)node->attributes;
    int64_t width = lb_dim(node->in[X], -1), rows = width ? lb_count(node->in[X]) / width : 0;
    lb_real *normal = lb_op_reals(node, rows * width + rows);
    if (!normal) return LB_ERROR_MEMORY;
    lb_real *inverse = normal + rows * width;
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
    for (int64_t row = 0; row < rows; row++)
        inverse[row] =
            normalize_row(width, epsilon, node->in[X]->data + row * width, node->in[WEIGHT]->data,
                          node->in[BIAS]->data, normal + row * width, node->out[0]->data + row * width);
    node->saved = normal;
    return LB_OK;
}

LB_KERNEL static void backward_row(int64_t width, const lb_real *dy, const lb_real *weight,
                                   const lb_real *normal, lb_real inverse, lb_real *dx)
{
    lb_real sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
    for (int64_t i = 0; i < width; i++) {
        sum += dy[i] * weight[i];
        dot += dy[i] * weight[i] * normal[i];
    }
    sum /= (lb_real)width;
    dot /= (lb_real)width;
#pragma omp simd
    for (int64_t i = 0; i < width; i++) dx[i] += inverse * (dy[i] * weight[i] - sum - normal[i] * dot);
}

/* A block of columns, with its own sums over the rows. */
LB_KERNEL static void backward_columns(int64_t rows, int64_t width, int64_t count, const lb_real *dy,
                                       const lb_real *normal, lb_real *dweight, lb_real *dbias)
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
    const lb_real *normal = node->saved, *inverse = normal + rows * width, *dy = node->out[0]->grad;
    if (lb_wants_grad(node->in[X])) {
#pragma omp parallel for schedule(static) if (rows * width > ALONE)
        for (int64_t row = 0; row < rows; row++)
            backward_row(width, dy + row * width, node->in[WEIGHT]->data, normal + row * width, inverse[row],
                         lb_op_begin_grad(node, X, row * width, width));
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

/** Layer normalisation over the last axis, with the biased variance, as in nn.LayerNorm. It is as precise for rows far
 *  from 0 as for others; a row of equal numbers gives the bias.
 *  Shapes: x [..., width], weight [width], bias [width] -> shape of x. Errors: LB_ERROR_SHAPE.
 *  Source: Ba, Kiros, Hinton 2016, arXiv:1607.06450. Differs: epsilon is added to the variance; some others add it to
 *          the standard deviation. */
lb_tensor *lb_standardize(lb_tensor *x, lb_tensor *weight, lb_tensor *bias, lb_real epsilon)
{
    return lb_op_apply(&standardize_op, LB_INPUTS(x, weight, bias), &epsilon, sizeof epsilon);
}
