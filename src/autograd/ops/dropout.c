/* Dropout: random zeros in training, with the other elements scaled to keep the expected value. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/arrays.h"

/* Elements per thread and piece of work. */
enum { CHUNK = 1 << 13 };

static lb_status same_shape(const lb_node *node, lb_shape *out)
{
    lb_real p = *(const lb_real *)node->attributes;
    if (!(p >= 0 && p < 1))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "invalid probability %g, expected 0 <= p < 1", (double)p);
    *out = node->in[0]->shape;
    return LB_OK;
}

static lb_status forward(lb_node *node)
{
    int64_t count = lb_count(node->in[0]);
    lb_real p = *(const lb_real *)node->attributes, *factor = lb_op_reals(node, count);
    if (!factor) return LB_ERROR_MEMORY;
    lb_rng rng = lb_op_rng(node);
#pragma omp parallel for schedule(static) if (count > CHUNK)
    for (int64_t first = 0; first < count; first += CHUNK) {
        int64_t end = first + CHUNK < count ? first + CHUNK : count;
        lb_dropout_mask(rng, p, first, end - first, factor + first);
        for (int64_t i = first; i < end; i++) node->out[0]->data[i] = node->in[0]->data[i] * factor[i];
    }
    node->saved = factor;
    return LB_OK;
}

static void backward(lb_node *node)
{
    int64_t count = lb_count(node->in[0]);
    const lb_real *factor = node->saved, *dy = node->out[0]->grad;
    lb_real *dx = node->in[0]->grad;
#pragma omp parallel for simd schedule(static) if (parallel : count > CHUNK)
    for (int64_t i = 0; i < count; i++) dx[i] += factor[i] * dy[i];
}

static const lb_op dropout_op = {
    .name = "dropout",
    .operands = "x",
    .formula = "y_i = 0 with probability p, else x_i / (1 - p)",
    .derivative = "dx_i += dy_i / (1 - p) where y_i was kept",
    .shape = same_shape,
    .forward = forward,
    .backward = LB_TRAINING(backward),
};

/** Dropout with probability p. Returns x itself if p is 0, or outside of LB_MODE_TRAIN. The dropped elements depend
 *  only on seed and step of the tape and on the number of random ops before.
 *  Errors: LB_ERROR_ARGUMENT unless 0 <= p < 1. */
lb_tensor *lb_dropout(lb_tensor *x, lb_real p)
{
    bool idle = x && (p == 0 || (x->tape && lb_tape_mode(x->tape) != LB_MODE_TRAIN));
    return idle ? x : lb_op_apply(&dropout_op, LB_INPUTS(x), &p, sizeof p);
}
