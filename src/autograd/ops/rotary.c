/* Rotary positions: pairs of numbers of a query or key are turned by an angle that grows with the position. */
#include "autograd/op.h"
#include "autograd/ops/attributes.h"
#include "autograd/tape.h"
#include "lookback/ops.h"

/* x as batch times length times heads; with the heads as an axis, they come before the length. */
typedef struct layout {
    int64_t outer, length,
        inner; /* rows [outer, length, inner] of `width` numbers, one position for each `length` */
    int64_t width, pairs;
    int64_t turned; /* of `inner` */
} layout;

static layout layout_of(const lb_node *node)
{
    const lb_rotary_attributes *attributes = node->attributes;
    const lb_rotary_options *options = &attributes->options;
    lb_shape x = node->in[0]->shape;
    layout l = {.pairs = options->rotated / 2, .turned = attributes->turned};
    if (x.ndim == 4) {
        l.outer = x.dim[0] * x.dim[1];
        l.inner = 1;
    } else {
        l.outer = x.dim[0];
        l.inner = options->heads;
    }
    l.length = lb_shape_dim(x, -2);
    l.width = lb_shape_dim(x, -1) / l.inner;
    return l;
}

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    const lb_rotary_options *options = node->attributes;
    *out = node->in[0]->shape;
    char text[LB_SHAPE_TEXT];
    if (out->ndim < 3 || out->ndim > 4 || options->heads < 1 || lb_shape_dim(*out, -1) % options->heads)
        return lb_op_fail(node, LB_ERROR_SHAPE, "cannot divide x%s into %lld heads",
                          lb_shape_format(*out, text), (long long)options->heads);
    int64_t width = lb_shape_dim(*out, -1) / options->heads;
    if (options->rotated < 0 || options->rotated % 2 || options->rotated > width)
        return lb_op_fail(node, LB_ERROR_ARGUMENT,
                          "expected an even number of rotated columns, at most %lld, found %lld",
                          (long long)width, (long long)options->rotated);
    if (options->first < 0)
        return lb_op_fail(node, LB_ERROR_INDEX, "found position %lld, expected 0 or more",
                          (long long)options->first);
    return LB_OK;
}

/* Adds one row, turned; `sign` is -1 for turning back. */
static void turn_row(const layout *l, bool interleaved, lb_real sign, const lb_real *angle, const lb_real *x,
                     lb_real *y)
{
    int64_t step = interleaved ? 2 : 1, apart = interleaved ? 1 : l->pairs;
    for (int64_t j = 0; j < l->pairs; j++) {
        lb_real cosine = angle[2 * j + 1], sine = sign * angle[2 * j], a = x[j * step],
                b = x[j * step + apart];
        y[j * step] += cosine * a - sine * b;
        y[j * step + apart] += sine * a + cosine * b;
    }
    for (int64_t i = 2 * l->pairs; i < l->width; i++) y[i] += x[i];
}

static void turn(const lb_node *node, lb_real sign, const lb_real *x, lb_real *y)
{
    layout l = layout_of(node), still = {.width = l.width};
    bool interleaved = ((const lb_rotary_options *)node->attributes)->interleaved;
    for (int64_t row = 0; row < l.outer * l.length * l.inner; row++)
        turn_row(row % l.inner < l.turned ? &l : &still, interleaved, sign,
                 (const lb_real *)node->saved + row / l.inner % l.length * l.pairs * 2, x + row * l.width,
                 y + row * l.width);
}

/* saved: sin and cos of the angle of each position and pair */
static lb_status forward(lb_node *node)
{
    layout l = layout_of(node);
    const lb_rotary_options *options = node->attributes;
    node->saved = lb_tape_sinusoids(node->tape, options->base, 2 * l.pairs, options->first, l.length);
    if (!node->saved) return LB_ERROR_MEMORY;
    for (int64_t i = 0; i < lb_count(node->out[0]); i++) node->out[0]->data[i] = 0;
    turn(node, 1, node->in[0]->data, node->out[0]->data);
    return LB_OK;
}

static void backward(lb_node *node)
{
    turn(node, -1, node->out[0]->grad, node->in[0]->grad);
}

static const lb_op rotary_op = {
    .name = "rotary",
    .operands = "x",
    .formula = "[y_a y_b] = [x_a cos t - x_b sin t, x_a sin t + x_b cos t], t = position base^(-j / pairs) "
               "for pair j",
    .derivative = "dx += dy turned by -t",
    .shape = same_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Turns queries or keys by their positions, so that a dot product of two depends on their distance.
 *  Shapes: x [batch, length, heads * width] or [batch, heads, length, width]; `heads` is then ignored -> the same. Pair
 *          j is columns j and j + rotated / 2 of a head, as in most models and by default in ONNX, or, interleaved,
 *          columns 2j and 2j + 1, as in the paper.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if `rotated` is odd or wider than a head; LB_ERROR_INDEX if `first` is
 *          negative.
 *  Source: Su et al. 2021, arXiv:2104.09864. */
lb_tensor *lb_rotary(lb_tensor *x, lb_rotary_options options)
{
    return lb_rotary_first(x, lb_is_sound(x) && x->shape.ndim == 4 ? 1 : options.heads, options);
}

lb_tensor *lb_rotary_first(lb_tensor *x, int64_t turned, lb_rotary_options options)
{
    int ndim = lb_is_sound(x) ? x->shape.ndim : 0;
    if (ndim == 4) options.heads = 1;
    if (options.heads == 0) options.heads = 1;
    if (options.base == 0) options.base = 10000;
    if (options.rotated == 0 && ndim >= 3) options.rotated = lb_dim(x, -1) / options.heads;
    const lb_rotary_attributes attributes = {options, turned ? turned : options.heads};
    return lb_op_apply(&rotary_op, LB_INPUTS(x), &attributes, sizeof attributes);
}
