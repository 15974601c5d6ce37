/* The parts of a batch: their gradients and losses, added in one binary tree. */
#ifndef LB_SHARDS_H
#define LB_SHARDS_H

#include "lookback/train.h"

enum { LB_SHARD_LEVELS = 10 }; /* 2^10 is LB_MOST_SHARDS */

/** The sums of a step, in double, in the order of the tree. */
typedef struct lb_shard_totals {
    double loss;   /* of all target tokens, not their mean */
    double tokens; /* target tokens */
} lb_shard_totals;

/** Sums over the parts before the last: of 2^i parts that wait for their neighbours, for each i that they need. */
typedef struct lb_shards {
    lb_params *params;
    int count, done; /* parts; those added */
    lb_real *grads[LB_SHARD_LEVELS];
    lb_shard_totals totals[LB_SHARD_LEVELS];
} lb_shards;

/** Begins with `count` parts, a power of two.
 *  Memory: freed by lb_shards_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_shards_init(lb_shards *shards, lb_params *params, int count, lb_error *error);

/** Takes the gradients of a part that is not the last one out of the parameters, and its totals. */
void lb_shards_put_aside(lb_shards *shards, lb_shard_totals part);

/** After the backward of the last part: adds the gradients of all others to those of the parameters. Returns the totals
 *  of all parts; `part` is those of the last one. The next step can begin. */
lb_shard_totals lb_shards_end(lb_shards *shards, lb_shard_totals part);

void lb_shards_free(lb_shards *shards);

#endif
