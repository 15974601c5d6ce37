#include "tensor/row_attention.h"

#include "tensor/softmax_row.h"

#include <assert.h>

enum { LANES = LB_LANES, TOGETHER = 4 }; /* keys whose sums run side by side and hide each other's latency */

typedef lb_real lanes
    __attribute__((vector_size(LANES * sizeof(lb_real)), aligned(sizeof(lb_real)), may_alias));

int64_t lb_attend_row_room(int64_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* Where four keys are, from `first` on, or what is `at` numbers behind them. The last one is repeated if there are
 * fewer. */
static inline LB_INLINED void find_rows(const lb_attended_row *to, int64_t first, int64_t at,
                                        const lb_real **row)
{
    for (int j = 0; j < TOGETHER; j++)
        row[j] = to->entry[first + j < to->count ? first + j : to->count - 1] + at;
}

/* sum += x y */
static inline LB_INLINED void add_product(bool fused, const lanes *x, const lanes *y, lanes *sum)
{
    const lb_real *a = (const lb_real *)x, *b = (const lb_real *)y;
    lb_real *to = (lb_real *)sum;
#pragma omp simd
    for (int i = 0; i < LANES; i++) to[i] = lb_multiply_add(fused, a[i], b[i], to[i]);
}

/* The scores of four keys in one head, which starts at `column`. */
static inline LB_INLINED void score_inline(bool fused, int64_t width, const lb_real *query,
                                           const lb_real *const *key, int64_t column, lb_real *score)
{
    const lb_real *a = key[0] + column, *b = key[1] + column, *c = key[2] + column, *d = key[3] + column;
    const int64_t whole = width & -(int64_t)LANES;
    lanes sum[TOGETHER] = {0};
    for (int64_t i = 0; i < whole; i += LANES) {
        const lanes *q = (const lanes *)(query + i);
        add_product(fused, q, (const lanes *)(a + i), &sum[0]);
        add_product(fused, q, (const lanes *)(b + i), &sum[1]);
        add_product(fused, q, (const lanes *)(c + i), &sum[2]);
        add_product(fused, q, (const lanes *)(d + i), &sum[3]);
    }
    lb_four all;
    lb_fold_four((const lb_real *)&sum[0], (const lb_real *)&sum[1], (const lb_real *)&sum[2],
                 (const lb_real *)&sum[3], &all);
    for (int64_t i = whole; i < width; i++) all += query[i] * (lb_four){a[i], b[i], c[i], d[i]};
    *(lb_four *)score = all;
}

/* Turns products into what the normaliser reads, in place. What is beyond the keys is hidden. */
static inline LB_INLINED void finish_scores(bool fused, const lb_attended_row *to, int64_t head, int64_t room,
                                            lb_real *x)
{
    const lb_real *bias = to->bias ? to->bias + head * to->bias_stride : NULL;
    for (int64_t k = to->count; k < room; k++) x[k] = 0;
#pragma omp simd
    for (int64_t k = 0; k < room; k++) x[k] *= to->scale;
    if (to->softcap > 0)
        for (int64_t k = 0; k < room; k++) x[k] = to->softcap * lb_tanh_inline(fused, x[k] / to->softcap);
    for (int64_t k = 0; k < to->count && bias; k++) x[k] += bias[k];
    for (int64_t k = to->count; k < room; k++) x[k] = -(lb_real)INFINITY;
}

/* The rows of all heads as weights, by softmax: their exponentials are one loop. */
static inline LB_INLINED void softmax_inline(bool fused, int64_t heads, int64_t room, lb_real *work)
{
    for (int64_t h = 0; h < heads; h++) {
        lb_real *x = work + h * room, largest = lb_largest_inline(room, x);
        lb_real shift = largest == -(lb_real)INFINITY ? 0 : largest;
#pragma omp simd
        for (int64_t k = 0; k < room; k++) x[k] -= shift;
    }
#pragma omp simd
    for (int64_t i = 0; i < heads * room; i++) work[i] = lb_exp_inline(fused, work[i]);
    for (int64_t h = 0; h < heads; h++) {
        lb_real *x = work + h * room;
        lb_four side = {0};
        for (int64_t k = 0; k < room; k += TOGETHER) side += *(const lb_four *)(x + k);
        lb_real sum = (side[0] + side[1]) + (side[2] + side[3]), inverse = sum == 0 ? 0 : 1 / sum;
#pragma omp simd
        for (int64_t k = 0; k < room; k++) x[k] *= inverse;
    }
}

/* Adds four values times their weights to the context of one head. Beyond the keys, weights are 0. */
static inline LB_INLINED void add_values_inline(int64_t depth, const lb_real *weight,
                                                const lb_real *const *value, int64_t column, lb_real *context)
{
    const lb_real *a = value[0] + column, *b = value[1] + column, *c = value[2] + column,
                  *d = value[3] + column;
    const int64_t whole = depth & -(int64_t)LANES;
    for (int64_t i = 0; i < whole; i += LANES) {
        lanes sum = *(lanes *)(context + i) + weight[0] * *(const lanes *)(a + i);
        sum += weight[1] * *(const lanes *)(b + i);
        sum += weight[2] * *(const lanes *)(c + i);
        *(lanes *)(context + i) = sum + weight[3] * *(const lanes *)(d + i);
    }
    for (int64_t i = whole; i < depth; i++)
        context[i] += weight[0] * a[i] + weight[1] * b[i] + weight[2] * c[i] + weight[3] * d[i];
}

LB_SHARED_KERNEL(lb_attend_row,
                 (const lb_attended_row *to, const lb_real *query, lb_real *work, lb_real *context),
                 (to, query, work, context))
{
    assert(to->heads % to->kv_heads == 0);
    const int64_t room = lb_attend_row_room(to->count), group = to->heads / to->kv_heads;
    const lb_real *row[TOGETHER];
    /* All heads of some keys, then those of the next ones: keys come from memory once. */
    for (int64_t first = 0; first < to->count; first += TOGETHER) {
        find_rows(to, first, 0, row);
        for (int64_t h = 0; h < to->heads; h++)
            score_inline(fused, to->width, query + h * to->width, row, h / group * to->width,
                         work + h * room + first);
    }
    for (int64_t h = 0; h < to->heads; h++) finish_scores(fused, to, h, room, work + h * room);
    if (to->normalizer == LB_SOFTMAX) softmax_inline(fused, to->heads, room, work);
    for (int64_t h = 0; h < to->heads && to->normalizer != LB_SOFTMAX; h++)
        lb_sparse_row(to->normalizer, room, work + h * room);
    for (int64_t i = 0; i < to->heads * to->depth; i++) context[i] = 0;
    for (int64_t first = 0; first < to->count; first += TOGETHER) {
        find_rows(to, first, to->values_at, row);
        for (int64_t h = 0; h < to->heads; h++)
            add_values_inline(to->depth, work + h * room + first, row, h / group * to->depth,
                              context + h * to->depth);
    }
}
