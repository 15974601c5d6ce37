/* The order in which training sees pairs: in batches of similar lengths, another one in each epoch. */
#ifndef LB_PAIR_ORDER_H
#define LB_PAIR_ORDER_H

#include "data/pairs.h"

/** Batches that are sorted by length among each other: more mean less padding, fewer mean batches that are mixed better. */
enum { LB_PAIR_ORDER_POOL = 100 };

/** Which pairs each step sees: a function of the seed and the step, so that a resumed run has nothing to load.
 *  An epoch: all pairs are shuffled and cut into pools of LB_PAIR_ORDER_POOL batches; a pool is sorted by the length of targets,
 *  equal ones by that of sources, and cut into batches; the batches are shuffled. Each pair is in just one batch, and
 *  one batch has fewer pairs if there is a rest. */
typedef struct lb_pair_order lb_pair_order;

/** The pairs of one step. */
typedef struct lb_pair_step {
    const int64_t *pair; /* [count] numbers of pairs */
    int64_t count;
    int64_t epoch; /* 0 is the first */
    int64_t batch; /* of the epoch, from 0 on */
} lb_pair_step;

/** The order of the pairs, of which only the lengths are read here, in batches of `batch_size`, for a seed.
 *  Memory: 8 bytes a pair; `pairs` must outlive it; freed by lb_pair_order_free. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if the batch size is less than 1 or there are more than 2^32 pairs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_pair_order *lb_pair_order_new(const lb_pairs *pairs, int64_t batch_size, uint64_t seed,
                                             lb_error *error);

/** Frees the order. NULL is allowed. */
void lb_pair_order_free(lb_pair_order *order);

/** Batches of an epoch. */
int64_t lb_pair_order_batches(const lb_pair_order *order);

/** The pairs of a step, 0 <= step. Memory: `pair` stays until the next call.
 *  Cost: O(batch size), and O(pairs) where the epoch is another than in the call before. */
lb_pair_step lb_pair_order_at(lb_pair_order *order, int64_t step);

#endif
