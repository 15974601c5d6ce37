#include "tensor/attention_kernel.h"

#include "tensor/elementary.h"

#include <stdbool.h>

static inline bool is_hidden(const lb_attended *to, int64_t k)
{
    return to->mask && to->mask[k] == 0;
}

LB_KERNEL void lb_attend(const lb_attended *to, const lb_real *query, lb_real *weights, lb_real *context)
{
    /* Pointers of their own, so that the compiler sees that no store moves them. */
    const lb_real *v = to->v;
    int64_t width = to->width, depth = to->depth;
    lb_real maximum = -(lb_real)INFINITY, total = 0;
    for (int64_t k = 0; k < to->count; k++) {
        const lb_real *key = to->keys + k * width;
        lb_real score = 0;
        if (is_hidden(to, k)) continue;
#pragma omp simd reduction(+ : score)
        for (int64_t i = 0; i < width; i++) score += v[i] * lb_tanh_inline(query[i] + key[i]);
        weights[k] = score;
        maximum = score > maximum ? score : maximum;
    }
    for (int64_t k = 0; k < to->count; k++) {
        weights[k] = is_hidden(to, k) ? 0 : lb_exp_inline(weights[k] - maximum);
        total += weights[k];
    }
    for (int64_t i = 0; i < depth; i++) context[i] = 0;
    for (int64_t k = 0; k < to->count; k++) {
        if (is_hidden(to, k)) continue;
        const lb_real *value = to->values + k * depth;
        lb_real weight = weights[k] / total;
        weights[k] = weight;
#pragma omp simd
        for (int64_t i = 0; i < depth; i++) context[i] += weight * value[i];
    }
}

LB_KERNEL void lb_attend_backward(const lb_attended *to, const lb_real *query, const lb_real *weights,
                                  const lb_real *dcontext, const lb_real *dweights, lb_real *dscores,
                                  lb_attended_grad into, lb_real *dquery)
{
    const lb_real *v = to->v;
    lb_real *dv = into.v, mean = 0;
    int64_t width = to->width, depth = to->depth;
    for (int64_t k = 0; k < to->count; k++) {
        const lb_real *value = to->values + k * depth;
        lb_real dweight = dweights[k];
#pragma omp simd reduction(+ : dweight)
        for (int64_t i = 0; i < depth; i++) dweight += dcontext[i] * value[i];
        dscores[k] = dweight;
        mean += weights[k] * dweight;
    }
    for (int64_t i = 0; i < width; i++) dquery[i] = 0;
    for (int64_t k = 0; k < to->count; k++) {
        if (is_hidden(to, k)) continue;
        const lb_real *key = to->keys + k * width;
        lb_real weight = weights[k], dscore = weight * (dscores[k] - mean);
        lb_real *dvalue = into.values + k * depth, *dkey = into.keys + k * width;
#pragma omp simd
        for (int64_t i = 0; i < depth; i++) dvalue[i] += weight * dcontext[i];
#pragma omp simd
        for (int64_t i = 0; i < width; i++) {
            lb_real tanh_i = lb_tanh_inline(query[i] + key[i]);
            lb_real d = dscore * v[i] * (1 - tanh_i * tanh_i);
            dv[i] += dscore * tanh_i;
            dkey[i] += d;
            dquery[i] += d;
        }
    }
}
