/* The order of pairs in training: batches of similar lengths, in a different order in each epoch. */
#ifndef LB_PAIR_ORDER_H
#define LB_PAIR_ORDER_H

#include "lookback/data.h"

/** The number of batches that are sorted by length together. A larger pool means less padding; a smaller pool means
 *  better mixed batches. */
enum { LB_PAIR_ORDER_POOL = 100 };

/** The pairs of each step, a function of seed and step: a resumed run has nothing to load.
 *  In each epoch, all pairs are shuffled and split into pools of LB_PAIR_ORDER_POOL batches. A pool is sorted by target
 *  length, then source length, and split into batches. The batches are shuffled. Each pair is in exactly one batch. If
 *  the division leaves a remainder, one batch is smaller. */
typedef struct lb_pair_order lb_pair_order;

/** The pairs of one step. */
typedef struct lb_pair_step {
    const int64_t *pair; /* [count] pair numbers */
    int64_t count;
    int64_t epoch; /* counted from 0 */
    int64_t batch; /* within the epoch, counted from 0 */
} lb_pair_step;

/** The order of the pairs in batches of `batch_size`. It reads only the lengths of the pairs.
 *  Memory: 4 bytes per pair; `pairs` must outlive it; free it with lb_pair_order_free. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if the batch size is less than 1 or there are more than 2^32 pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed,
                                             lb_error *error);

/** Frees the order. NULL is allowed. */
void lb_pair_order_free(lb_pair_order *order);

/** The number of batches per epoch. */
int64_t lb_pair_order_batches(const lb_pair_order *order);

/** The pairs of a step, 0 <= step. Memory: `pair` is valid until the next call.
 *  Cost: O(batch size); O(pool) for the first batch of a pool, O(pairs) if the epoch differs from that of the previous
 *  call. */
lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step);

#endif
