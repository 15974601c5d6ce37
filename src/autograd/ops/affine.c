/* The affine map of a layer. */
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "base/threads.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"
#include "tensor/gemm.h"

enum { X, WEIGHT, BIAS, BESIDE };

static const lb_affine_part *part_of(const lb_node *node)
{
    return node->attributes;
}

/* Of the weight that are used. */
static int64_t output_count(const lb_node *node)
{
    return part_of(node)->band ? part_of(node)->rows : lb_dim(node->in[WEIGHT], 0);
}

/* The first of the columns that multiply an operand. */
static int64_t first_column(const lb_node *node, int operand)
{
    return part_of(node)->first + (operand == BESIDE ? lb_dim(node->in[X], -1) : 0);
}

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    const lb_affine_part *of = part_of(node);
    lb_shape x = node->in[X]->shape, weight = node->in[WEIGHT]->shape;
    if (x.ndim < 1 || weight.ndim != 2) return lb_op_misfit(node, "widths differ", X, WEIGHT);
    int64_t inputs = lb_shape_dim(x, -1);
    if (node->in[BESIDE]) {
        lb_shape rows = node->in[BESIDE]->shape;
        inputs += rows.dim[x.ndim - 1];
        rows.dim[x.ndim - 1] = x.dim[x.ndim - 1];
        if (!lb_shape_equal(rows, x)) return lb_op_misfit(node, "rows differ", X, BESIDE);
    }
    if (!of->some && inputs != weight.dim[1]) return lb_op_misfit(node, "widths differ", X, WEIGHT);
    if (of->first < 0 || of->first + inputs > weight.dim[1])
        return lb_op_misfit(node, "the weight has too few columns", X, WEIGHT);
    if (node->in[BIAS] && !lb_shape_equal(node->in[BIAS]->shape, LB_SHAPE(weight.dim[0])))
        return lb_op_misfit(node, "expected one bias per output", BIAS, WEIGHT);
    if (of->top < 0 || of->rows < 0 || of->top + of->rows > weight.dim[0])
        return lb_op_misfit(node, "the weight has too few rows", X, WEIGHT);
    *out = x;
    out->dim[x.ndim - 1] = output_count(node);
    return LB_OK;
}

/* The result does not tell: without outputs it has no elements. */
static int64_t row_count(const lb_node *node)
{
    lb_shape rows = node->in[X]->shape;
    rows.ndim--;
    return lb_shape_count(rows);
}

/* Whether the weight has so many outputs, such as the words of a language, that to lay it out before the product takes
 * more memory and time than to do so in parts, within it. */
static bool is_large(const lb_node *node)
{
    enum { LARGE = 4 << 20, FEWEST_ROWS = 64 };
    return lb_tape_mode(node->tape) == LB_MODE_TRAIN && row_count(node) >= FEWEST_ROWS &&
           output_count(node) * lb_dim(node->in[WEIGHT], 1) * (int64_t)sizeof(lb_real) >= LARGE;
}

/* y = x w' + bias; of the operand beside x, y += x w'. */
static lb_status multiply(const lb_node *node, int operand)
{
    const lb_affine_part *of = part_of(node);
    const lb_tensor *x = node->in[operand], *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    int64_t outputs = output_count(node), inputs = lb_dim(x, -1), rows = row_count(node);
    int64_t stride = lb_dim(weight, 1), first = first_column(node, operand);
    bool add = operand == BESIDE;
    lb_matrix from = lb_plain(x->data, inputs);
    lb_matrix part = lb_op_rounded(node, lb_transposed(weight->data + of->top * stride + first, stride));
    lb_gemm_fn *serial = is_large(node) ? lb_gemm_laid_out : lb_gemm_serial;
    if (!is_large(node) &&
        !lb_op_transposed_weight(node, weight, of->top, outputs, first, inputs, rows, &part))
        return LB_ERROR_MEMORY;
    lb_gemm_tiled(serial, rows, outputs, inputs, from, part, add, bias && !add ? bias->data + of->top : NULL,
                  of->rectify, node->out[0]->data, outputs);
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    lb_status status = multiply(node, X);
    return !status && node->in[BESIDE] ? multiply(node, BESIDE) : status;
}

/* The gradient of what was rectified, which is that of the result where it is positive. */
static int64_t work(const lb_node *node)
{
    return part_of(node)->rectify ? lb_count(node->out[0]) : 0;
}

LB_KERNEL(mask_gradient, (int64_t count, const lb_real *y, const lb_real *dy, lb_real *to),
          (count, y, dy, to))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] = y[i] > 0 ? dy[i] : 0;
}

static const lb_real *product_gradient(const lb_node *node)
{
    enum { CHUNK = 1 << 13 };
    const lb_tensor *y = node->out[0];
    const int64_t count = lb_count(y);
    if (!part_of(node)->rectify) return y->grad;
#pragma omp parallel for schedule(static) if (count > 4 * (int64_t)CHUNK)
    for (int64_t i = 0; i < count; i += CHUNK)
        mask_gradient(lb_smaller(CHUNK, count - i), y->data + i, y->grad + i, node->work + i);
    return node->work;
}

static void multiply_backward(const lb_node *node, int operand, const lb_real *dy)
{
    lb_tensor *x = node->in[operand], *weight = node->in[WEIGHT];
    int64_t outputs = output_count(node), stride = lb_dim(weight, 1), inputs = lb_dim(x, -1),
            rows = row_count(node), at = part_of(node)->top * stride + first_column(node, operand);
    if (lb_wants_grad(x))
        lb_gemm(rows, inputs, outputs, lb_op_rounded(node, lb_plain(dy, outputs)),
                lb_plain(weight->data + at, stride), lb_op_sets(node, operand) ? 0 : 1, x->grad, inputs);
    if (lb_wants_grad(weight))
        lb_gemm(outputs, inputs, rows, lb_op_rounded(node, lb_transposed(dy, outputs)),
                lb_plain(x->data, inputs), 1, weight->grad + at, stride);
}

static void backward(lb_node *node)
{
    const lb_real *dy = product_gradient(node);
    multiply_backward(node, X, dy);
    if (node->in[BESIDE]) multiply_backward(node, BESIDE, dy);
    int64_t outputs = output_count(node);
    if (lb_wants_grad(node->in[BIAS]))
        lb_add_rows_to(row_count(node), outputs, dy, outputs, node->in[BIAS]->grad + part_of(node)->top);
}

static const lb_op affine_op = {
    .name = "affine",
    .operands = "x weight bias? beside?",
    .formula = "y = x w' + b, or max(x w' + b, 0)",
    .derivative = "dx += dy w, dw += dy' x, db += sum over rows of dy, where y > 0",
    .shape = output_shape,
    .forward = forward,
    .work = LB_TRAINING(work),
    .backward = LB_TRAINING(backward),
    .can_set = 1U << X | 1U << BESIDE,
};

/** x times the transposed weight, plus bias, as nn.Linear. `bias` may be NULL.
 *  Shapes: x [..., inputs], weight [outputs, inputs], bias [outputs] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_affine(lb_tensor *x, lb_tensor *weight, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias, NULL), &(lb_affine_part){0},
                       sizeof(lb_affine_part));
}

lb_tensor *lb_affine_columns(lb_tensor *x, lb_tensor *weight, int64_t first, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias, NULL),
                       &(lb_affine_part){.some = true, .first = first}, sizeof(lb_affine_part));
}

lb_tensor *lb_affine_rows(lb_tensor *x, lb_tensor *weight, int64_t top, int64_t rows, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias, NULL),
                       &(lb_affine_part){.band = true, .top = top, .rows = rows}, sizeof(lb_affine_part));
}

lb_tensor *lb_affine_relu(lb_tensor *x, lb_tensor *weight, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias, NULL), &(lb_affine_part){.rectify = true},
                       sizeof(lb_affine_part));
}

/** lb_affine of [x; beside] without joining them. Errors: LB_ERROR_SHAPE.
 *  Shapes: x [..., n], beside [..., m], weight [outputs, n + m], bias [outputs] or NULL -> [..., outputs]. */
lb_tensor *lb_affine_pair(lb_tensor *x, lb_tensor *beside, lb_tensor *weight, lb_tensor *bias)
{
    return lb_op_apply(&affine_op, LB_INPUTS(x, weight, bias, beside), &(lb_affine_part){0},
                       sizeof(lb_affine_part));
}
