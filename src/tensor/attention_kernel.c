#include "tensor/attention_kernel.h"

#include "tensor/softmax_row.h"

#include <assert.h>
#include <stddef.h>

const char *const lb_normalizer_names[] = {
    [LB_SOFTMAX] = "softmax", [LB_SPARSEMAX] = "sparsemax", [LB_ENTMAX] = "entmax", NULL};

/* e^(2 LIMIT), and its inverse, are still normal numbers. */
#ifdef LB_REAL_IS_DOUBLE
static const lb_real LIMIT = 350;
#else
static const lb_real LIMIT = 43;
#endif

LB_SHARED_KERNEL_OF(bool, lb_attend_exp2x, (int64_t count, const lb_real *x, lb_real *exp2x),
                    (count, x, exp2x))
{
    int64_t beyond = 0;
#pragma omp simd reduction(+ : beyond)
    for (int64_t i = 0; i < count; i++) {
        exp2x[i] = lb_exp_inline(fused, 2 * x[i]);
        beyond += x[i] > LIMIT || x[i] < -LIMIT;
    }
    return beyond == 0;
}

/* tanh(q + k) from e^2q and e^2k. If their product is infinite or 0, this is 1 or -1. */
static inline lb_real tanh_by_exp2x(bool fused, lb_real query, lb_real key)
{
    return 1 - 2 / lb_multiply_add(fused, query, key, 1);
}

static inline LB_INLINED lb_real score(bool fused, int64_t width, const lb_real *v, const lb_real *query,
                                       const lb_real *key)
{
    LB_SUM(lb_real, sum, i, width, v[i] * lb_tanh_inline(fused, query[i] + key[i]));
    return sum;
}

static inline LB_INLINED lb_real score_by_exp2x(bool fused, int64_t width, const lb_real *v,
                                                const lb_real *query, const lb_real *key)
{
    lb_real sum[LB_LANES] = {0};
    LB_IN_LANES(i, lane, width,
                sum[lane] = lb_multiply_add(fused, v[i], tanh_by_exp2x(fused, query[i], key[i]), sum[lane]));
    LB_FOLD(sum);
    return sum[0];
}

static inline bool is_hidden(const lb_attended *to, int64_t k)
{
    return to->mask && to->mask[k] == 0;
}

/* Computes e^2q, if there is e^2k. Returns whether a tanh can be computed from both. */
static bool make_exp2q(const lb_attended *to, const lb_real *query)
{
    assert(!to->exp2k || to->exp2q);
    return to->exp2k && lb_attend_exp2x(to->width, query, to->exp2q);
}

/* Turns scores into weights with zeros. */
static inline void weigh_sparsely(const lb_attended *to, lb_real *weights)
{
    for (int64_t k = 0; k < to->count; k++)
        if (is_hidden(to, k)) weights[k] = -(lb_real)INFINITY;
    lb_sparse_row(to->normalizer, to->count, weights);
}

/* Whether a key has no part in the context, and gets no gradient. */
static inline bool is_left_out(const lb_attended *to, const lb_real *weights, int64_t k)
{
    return to->normalizer == LB_SOFTMAX ? is_hidden(to, k) : weights[k] == 0;
}

LB_KERNEL(attend,
          (const lb_attended *to, bool by_exp2x, const lb_real *query, lb_real *weights, lb_real *context),
          (to, by_exp2x, query, weights, context))
{
    /* Local pointers, so that the compiler sees that no store changes them. */
    const lb_real *v = to->v;
    int64_t width = to->width, depth = to->depth;
    lb_real maximum = -(lb_real)INFINITY, total = 0;
    for (int64_t k = 0; k < to->count; k++) {
        if (is_hidden(to, k)) continue;
        weights[k] = by_exp2x ? score_by_exp2x(fused, width, v, to->exp2q, to->exp2k + k * width)
                              : score(fused, width, v, query, to->keys + k * width);
        maximum = weights[k] > maximum ? weights[k] : maximum;
    }
    if (to->normalizer == LB_SOFTMAX) {
        for (int64_t k = 0; k < to->count; k++) {
            weights[k] = is_hidden(to, k) ? 0 : lb_exp_inline(fused, weights[k] - maximum);
            total += weights[k];
        }
    } else {
        weigh_sparsely(to, weights);
        total = 1;
    }
    for (int64_t i = 0; i < depth; i++) context[i] = 0;
    for (int64_t k = 0; k < to->count; k++) {
        if (is_left_out(to, weights, k)) continue;
        const lb_real *value = to->values + k * depth;
        lb_real weight = weights[k] / total;
        weights[k] = weight;
#pragma omp simd
        for (int64_t i = 0; i < depth; i++) context[i] = lb_multiply_add(fused, weight, value[i], context[i]);
    }
}

void lb_attend(const lb_attended *to, const lb_real *query, lb_real *weights, lb_real *context)
{
    attend(to, make_exp2q(to, query), query, weights, context);
}

/* The contribution of a query and a key to the gradients of v, of the key and of the query. */
static inline void add_gradients(bool fused, lb_real dscore, lb_real v, lb_real tanh_i, lb_real *dv,
                                 lb_real *dkey, lb_real *dquery)
{
    lb_real d = dscore * v * lb_multiply_add(fused, -tanh_i, tanh_i, 1);
    *dv = lb_multiply_add(fused, dscore, tanh_i, *dv);
    *dkey += d;
    *dquery += d;
}

static inline void add_scaled(bool fused, int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] = lb_multiply_add(fused, factor, from[i], to[i]);
}

LB_KERNEL(attend_backward,
          (const lb_attended *to, bool by_exp2x, const lb_real *query, const lb_real *weights,
           const lb_real *dcontext, const lb_real *dweights, lb_attended_grad into),
          (to, by_exp2x, query, weights, dcontext, dweights, into))
{
    const lb_real *v = to->v, *exp2q = to->exp2q;
    lb_real *dv = into.v, *dquery = into.query, *dscores = into.scores, mean = 0;
    int64_t width = to->width, depth = to->depth;
    for (int64_t k = 0; k < to->count; k++) {
        const lb_real *value = to->values + k * depth;
        LB_SUM(lb_real, dweight, i, depth, dcontext[i] * value[i]);
        dscores[k] = dweights[k] + dweight;
        mean += weights[k] * dscores[k];
    }
    bool sparse = to->normalizer != LB_SOFTMAX;
    if (sparse) mean = lb_sparse_mean_inline(to->normalizer, to->count, weights, dscores);
    for (int64_t i = 0; i < width; i++) dquery[i] = 0;
    for (int64_t k = 0; k < to->count; k++) {
        if (is_left_out(to, weights, k)) continue;
        const lb_real *key = (by_exp2x ? to->exp2k : to->keys) + k * width;
        lb_real weight = weights[k], slope = weight;
        if (sparse) slope = lb_sparse_slope_inline(to->normalizer, weight);
        lb_real dscore = slope * (dscores[k] - mean);
        lb_real *dkey = into.keys + k * width;
        if (into.values) add_scaled(fused, depth, weight, dcontext, into.values + k * depth);
        if (by_exp2x) {
#pragma omp simd
            for (int64_t i = 0; i < width; i++)
                add_gradients(fused, dscore, v[i], tanh_by_exp2x(fused, exp2q[i], key[i]), &dv[i], &dkey[i],
                              &dquery[i]);
        } else {
#pragma omp simd
            for (int64_t i = 0; i < width; i++)
                add_gradients(fused, dscore, v[i], lb_tanh_inline(fused, query[i] + key[i]), &dv[i], &dkey[i],
                              &dquery[i]);
        }
    }
}

void lb_attend_backward(const lb_attended *to, const lb_real *query, const lb_real *weights,
                        const lb_real *dcontext, const lb_real *dweights, lb_attended_grad into)
{
    assert(into.keys && into.v && into.query && into.scores);
    attend_backward(to, make_exp2q(to, query), query, weights, dcontext, dweights, into);
}
