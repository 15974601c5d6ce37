/* A batch in parts: the shards of a step, whose gradients are added in one binary tree; and the processes that share
 * them must compute alike. */
#ifndef LB_SHARDS_H
#define LB_SHARDS_H

#include "base/group.h"
#include "lookback/train.h"

/** What decides the bits of equal computations. */
typedef struct lb_build {
    const char *version, *kernel; /* lb_kernel_name */
    const char *instruction_set;  /* of our own loops */
} lb_build;

/** Compares the builds of all processes. Errors: as lb_group_agree. */
LB_MUST_USE lb_status lb_group_agree_on(const lb_group *group, const lb_build *build, lb_error *error);

/** The same with the build of this process on this processor. */
LB_MUST_USE lb_status lb_group_agree_on_build(const lb_group *group, lb_error *error);

/* ---- Shards: the parts of a batch in this process. ---- */

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

/** After the backward of a part: takes its gradients out of the parameters, and its totals. After that of the last one
 *  the parameters have the gradients of all parts, and `part` their totals; the next step can begin. */
void lb_shards_add(lb_shards *shards, lb_shard_totals *part);

void lb_shards_free(lb_shards *shards);

#endif
