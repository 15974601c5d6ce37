/* Puts pairs into batches of similar lengths, in another order in each epoch, for training. */
#include "data/pairs/pairs.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "io/scratch_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { AHEAD = 64 };

struct lb_pair_order {
    const lb_pairs *pairs;
    int64_t batch_size, batches, pools;
    uint64_t seed;
    int64_t epoch; /* whose order is here; -1: none */
    lb_scratch room;
    uint32_t *pair;  /* [pairs] of the epoch, pool after pool */
    uint32_t *batch; /* [batches]: the index of the batch of each step among the sorted ones */
    bool *sorted;    /* [pools]: whether the pool has been sorted, which is done when a step needs it */
    uint64_t *keys;  /* [pairs of a pool]: lengths of target and source above, the number of the pair below */
    int64_t *chosen; /* [batch_size] */
};

static int64_t pool_size(const lb_pair_order *order)
{
    return LB_PAIR_ORDER_POOL * order->batch_size;
}

/* What grows with the pairs is not in memory if they are in an index. */
static bool make_room(lb_pair_order *order, int64_t count)
{
    int64_t pool = pool_size(order) < count ? pool_size(order) : count;
    size_t bytes = (size_t)(count + order->batches) * sizeof *order->pair + (size_t)order->pools;
    if (!lb_scratch_get(&order->room, bytes, order->pairs->index)) return false;
    order->pair = order->room.bytes;
    order->batch = order->pair + count;
    order->sorted = (bool *)(order->batch + order->batches);
    order->keys = lb_alloc((size_t)pool * sizeof *order->keys);
    order->chosen = lb_alloc((size_t)order->batch_size * sizeof *order->chosen);
    return order->keys && order->chosen;
}

lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed, lb_error *error)
{
    int64_t count = lb_pairs_different(pairs);
    if (batch_size < 1 || lb_pairs_count(pairs) > (int64_t)UINT32_MAX + 1)
        return lb_null(lb_error_set(error, LB_ERROR_ARGUMENT, "cannot put %lld pairs into batches of %lld",
                                    (long long)count, (long long)batch_size));
    if (batch_size > count) batch_size = count;
    lb_pair_order *order = lb_alloc_zero(sizeof *order);
    if (order) {
        *order = (lb_pair_order){.pairs = pairs, .batch_size = batch_size, .seed = seed, .epoch = -1};
        order->batches = (count + batch_size - 1) / batch_size;
        order->pools = (count + pool_size(order) - 1) / pool_size(order);
        if (make_room(order, count)) return order;
    }
    lb_pair_order_free(order);
    return lb_null(
        lb_error_set(error, LB_ERROR_MEMORY, "out of memory for the order of %lld pairs", (long long)count));
}

void lb_pair_order_free(lb_pair_order *order)
{
    if (!order) return;
    lb_scratch_free(&order->room);
    lb_release(order->keys);
    lb_release(order->chosen);
    lb_release(order);
}

int64_t lb_pair_order_batches(const lb_pair_order *order)
{
    return order->batches;
}

/* Fisher-Yates shuffle of 0, 1, ..., without the numbers whose weight is 0; each step has its own random number.
 * These come a block ahead, so that the processor can wait for several places in memory at once. */
static void shuffle(uint32_t *number, int64_t count, const float *weights, lb_rng rng)
{
    uint32_t other[AHEAD], next = 0;
    for (int64_t first = 0; first < count; first += AHEAD) {
        int64_t size = count - first < AHEAD ? count - first : AHEAD;
        for (int64_t k = 0; k < size; k++)
            other[k] = (uint32_t)lb_rng_below(rng, (uint64_t)(first + k), (uint64_t)(first + k) + 1);
        for (int64_t k = 0; k < size; k++, next++) {
            while (weights && !(weights[next] > 0)) next++;
            number[first + k] = number[other[k]];
            number[other[k]] = next;
        }
    }
}

static void sort_pool(lb_pair_order *order, int64_t pool)
{
    int64_t first = pool * pool_size(order), left = lb_pairs_different(order->pairs) - first;
    int64_t count = left < pool_size(order) ? left : pool_size(order);
    uint32_t *pair = order->pair + first;
    if (order->sorted[pool]) return;
    for (int64_t i = 0; i < count; i++) {
        uint64_t lengths = (uint64_t)lb_pairs_target_length(order->pairs, pair[i]) << 16 |
                           (uint64_t)lb_pairs_source_length(order->pairs, pair[i]);
        order->keys[i] = lengths << 32 | pair[i];
    }
    qsort(order->keys, (size_t)count, sizeof *order->keys, lb_compare_whole);
    for (int64_t i = 0; i < count; i++) pair[i] = (uint32_t)order->keys[i];
    order->sorted[pool] = true;
}

lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step)
{
    int64_t epoch = step / order->batches, batch = step % order->batches;
    assert(step >= 0);
    if (epoch != order->epoch) {
        const lb_rng pairs = {order->seed, lb_rng_stream("pair order"), (uint32_t)epoch},
                     batches = {order->seed, lb_rng_stream("batch order"), (uint32_t)epoch};
        shuffle(order->pair, lb_pairs_different(order->pairs), order->pairs->weights, pairs);
        shuffle(order->batch, order->batches, NULL, batches);
        memset(order->sorted, 0, (size_t)order->pools);
        order->epoch = epoch;
    }
    int64_t first = order->batch[batch] * order->batch_size, left = lb_pairs_different(order->pairs) - first;
    int64_t count = left < order->batch_size ? left : order->batch_size;
    sort_pool(order, order->batch[batch] / LB_PAIR_ORDER_POOL);
    for (int64_t i = 0; i < count; i++) order->chosen[i] = order->pair[first + i];
    return (lb_pair_step){.pair = order->chosen, .count = count};
}
