#include "lookback/data.h"

#include "base/alloc.h"

#include <stdlib.h>

struct lb_pair_order {
    const lb_pairs *pairs;
    int64_t batch_size, batches;
    uint64_t seed;
    int64_t epoch;   /* whose order is here; -1: none */
    uint64_t *keys;  /* [pairs]: lengths of target and source above, the number of the pair below */
    uint32_t *batch; /* [batches]: the index of the batch of each step among the sorted ones */
    int64_t *chosen; /* [batch_size] */
};

lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed, lb_error *error)
{
    int64_t count = lb_pairs_count(pairs);
    if (batch_size < 1 || count > (int64_t)UINT32_MAX + 1) {
        lb_error_set(error, LB_ERROR_ARGUMENT, "cannot put %lld pairs into batches of %lld", (long long)count,
                     (long long)batch_size);
        return NULL;
    }
    if (batch_size > count) batch_size = count;
    lb_pair_order *order = lb_alloc_zero(sizeof *order);
    if (order) {
        *order = (lb_pair_order){.pairs = pairs, .batch_size = batch_size, .seed = seed, .epoch = -1};
        order->batches = (count + batch_size - 1) / batch_size;
        order->keys = lb_alloc((size_t)count * sizeof *order->keys);
        order->batch = lb_alloc((size_t)order->batches * sizeof *order->batch);
        order->chosen = lb_alloc((size_t)batch_size * sizeof *order->chosen);
        if (order->keys && order->batch && order->chosen) return order;
    }
    lb_pair_order_free(order);
    lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the order of %lld pairs", (long long)count);
    return NULL;
}

void lb_pair_order_free(lb_pair_order *order)
{
    if (!order) return;
    lb_release(order->keys);
    lb_release(order->batch);
    lb_release(order->chosen);
    lb_release(order);
}

int64_t lb_pair_order_batches(const lb_pair_order *order)
{
    return order->batches;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Fisher-Yates shuffle; each step has its own random number. */
static void shuffle_pairs(lb_pair_order *order, lb_rng rng, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        uint64_t lengths = (uint64_t)lb_pairs_target_length(order->pairs, i) << 16 |
                           (uint64_t)lb_pairs_source_length(order->pairs, i);
        int64_t j = (int64_t)lb_rng_below(rng, (uint64_t)i, (uint64_t)i + 1);
        order->keys[i] = order->keys[j];
        order->keys[j] = lengths << 32 | (uint64_t)i;
    }
}

static void shuffle_batches(lb_pair_order *order, lb_rng rng)
{
    for (int64_t i = 0; i < order->batches; i++) {
        int64_t j = (int64_t)lb_rng_below(rng, (uint64_t)i, (uint64_t)i + 1);
        order->batch[i] = order->batch[j];
        order->batch[j] = (uint32_t)i;
    }
}

static void begin_epoch(lb_pair_order *order, int64_t epoch)
{
    lb_rng rng = {.seed = order->seed, .step = (uint32_t)epoch};
    int64_t count = lb_pairs_count(order->pairs), pool = LB_PAIR_ORDER_POOL * order->batch_size;
    rng.stream = lb_rng_stream("pair order");
    shuffle_pairs(order, rng, count);
    for (int64_t first = 0; first < count; first += pool) {
        int64_t size = count - first < pool ? count - first : pool;
        qsort(order->keys + first, (size_t)size, sizeof *order->keys, compare);
    }
    rng.stream = lb_rng_stream("batch order");
    shuffle_batches(order, rng);
    order->epoch = epoch;
}

lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step)
{
    int64_t epoch = step / order->batches, batch = step % order->batches;
    if (epoch != order->epoch) begin_epoch(order, epoch);
    int64_t first = order->batch[batch] * order->batch_size, left = lb_pairs_count(order->pairs) - first;
    int64_t count = left < order->batch_size ? left : order->batch_size;
    for (int64_t i = 0; i < count; i++) order->chosen[i] = (int64_t)(uint32_t)order->keys[first + i];
    return (lb_pair_step){.pair = order->chosen, .count = count, .epoch = epoch, .batch = batch};
}
