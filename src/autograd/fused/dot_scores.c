#include "autograd/fused/dot_scores.h"

#include "autograd/fused/dot_shapes.h"
#include "tensor/elementary.h"
#include "tensor/sparse_row.h"

#include <string.h>

/* Turns a row of scores into a row of weights. A row with nothing to attend to becomes zeros. */
LB_KERNEL(normalize_scores,
          (lb_normalizer normalizer, int64_t count, lb_real *x, const lb_real *mask, int64_t mask_step,
           const lb_real *bias, int64_t bias_step),
          (normalizer, count, x, mask, mask_step, bias, bias_step))
{
    const lb_real hidden = -(lb_real)INFINITY;
    for (int64_t i = 0; i < count && bias; i++) x[i] += bias[i * bias_step];
    for (int64_t i = 0; i < count && mask; i++) x[i] = mask[i * mask_step] == 0 ? hidden : x[i];
    if (normalizer == LB_SOFTMAX)
        lb_softmax_row_inline(count, x);
    else
        lb_sparse_row_inline(normalizer, count, x);
}

/* x becomes cap tanh(x / cap); `slope` receives its derivative, unless NULL. */
LB_KERNEL(cap_row, (int64_t count, lb_real cap, lb_real *x, lb_real *slope), (count, cap, x, slope))
{
    for (int64_t i = 0; i < count; i++) {
        lb_real t = lb_tanh_inline(x[i] / cap);
        x[i] = cap * t;
        if (slope) slope[i] = 1 - t * t;
    }
}

void lb_dot_weigh_row(const lb_node *node, int64_t index, int64_t i, int64_t keys, lb_real *x, lb_real *slope)
{
    const lb_dot_options *options = lb_dot_options_of(node);
    int64_t mask_step = 0, bias_step = 0, first, end;
    const lb_real *mask = lb_dot_row(node, LB_DOT_MASK, index, i, &mask_step);
    const lb_real *bias = lb_dot_row(node, LB_DOT_BIAS, index, i, &bias_step);
    for (int64_t k = 0; k < keys; k++) x[k] *= options->scale;
    if (options->softcap > 0 && options->cap_biased) {
        for (int64_t k = 0; k < keys && bias; k++) x[k] += bias[k * bias_step];
        for (int64_t k = 0; k < keys && mask; k++)
            if (mask[k * mask_step] == 0) x[k] = -(lb_real)INFINITY;
        mask = bias = NULL;
    }
    if (options->softcap > 0) cap_row(keys, options->softcap, x, slope);
    if (options->window.on) {
        lb_dot_reach(options, i, keys, &first, &end);
        for (int64_t k = 0; k < first; k++) x[k] = -(lb_real)INFINITY;
        for (int64_t k = end; k < keys; k++) x[k] = -(lb_real)INFINITY;
    }
    normalize_scores(options->normalizer, keys, x, mask, mask_step, bias, bias_step);
}

LB_KERNEL(weights_backward,
          (lb_normalizer normalizer, int64_t count, const lb_real *probability, const lb_real *weight,
           lb_real scale, lb_real *d),
          (normalizer, count, probability, weight, scale, d))
{
    if (normalizer != LB_SOFTMAX) {
        for (int64_t i = 0; i < count; i++) d[i] = weight[i] == 0 ? 0 : d[i] * (weight[i] / probability[i]);
        lb_real mean = lb_sparse_mean_inline(normalizer, count, probability, d);
        for (int64_t i = 0; i < count; i++)
            d[i] = scale * lb_sparse_slope_inline(normalizer, probability[i]) * (d[i] - mean);
        return;
    }
    lb_real dot = 0;
#pragma omp simd reduction(+ : dot)
    for (int64_t i = 0; i < count; i++) dot += d[i] * weight[i];
    for (int64_t i = 0; i < count; i++) d[i] = scale * (d[i] * weight[i] - dot * probability[i]);
}

void lb_dot_weights_backward(lb_normalizer normalizer, int64_t count, const lb_real *probability,
                             const lb_real *weight, lb_real scale, lb_real *d)
{
    weights_backward(normalizer, count, probability, weight, scale, d);
}

void lb_dot_scores_backward(const lb_dot_options *options, int64_t count, const lb_real *slope,
                            lb_real *dbias, lb_real *d)
{
    if (dbias && !options->cap_biased) memcpy(dbias, d, (size_t)count * sizeof *d);
    for (int64_t i = 0; i < count && slope; i++) d[i] *= slope[i];
    if (dbias && options->cap_biased) memcpy(dbias, d, (size_t)count * sizeof *d);
    for (int64_t i = 0; i < count; i++) d[i] *= options->scale;
}
