/* A batch in parts: the shards of a step, whose gradients are added in one binary tree, and the processes that share
 * them. */
#ifndef LB_GROUP_H
#define LB_GROUP_H

#include "lookback/train.h"

/* ---- Processes. ---- */

/** Checks a group, which may be NULL, and that its size divides the number of shards.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status lb_group_check(const lb_group *group, int shards, lb_error *error);

/** The number of processes: 1 without a group. */
int lb_group_size(const lb_group *group);

/** Whether this process writes the files. */
bool lb_group_leads(const lb_group *group);

/** Adds `values` [count] of all processes in the binary tree of their ranks; everyone gets the same bits. `room`
 *  [LB_GROUP_ROOM], or [count] if that is less, is overwritten. Does nothing without a group.
 *  Cost:   each process sends 2 (1 - 1 / size) count numbers: halves, quarters, ... of sums, and then the sums back.
 *  Source: Rabenseifner 2004, "Optimization of collective reduction operations".
 *  Errors: those of the exchange. */
enum { LB_GROUP_ROOM = 1 << 18 };
LB_MUST_USE lb_status lb_group_add(const lb_group *group, lb_real *values, int64_t count, lb_real *room,
                                   lb_error *error);

/** The same for at most LB_GROUP_DOUBLES numbers in double. */
enum { LB_GROUP_DOUBLES = 8 };
LB_MUST_USE lb_status lb_group_add_doubles(const lb_group *group, double *values, int count, lb_error *error);

/** Gives the `count` bytes of the first process to all; their number may be any. Errors: those of the exchange. */
LB_MUST_USE lb_status lb_group_tell(const lb_group *group, void *bytes, size_t count, lb_error *error);

/** Compares `text`, at most 80 bytes, which says what `what` is here, with that of process 0. Their number may be any.
 *  Errors: LB_ERROR_ARGUMENT in all processes, with the name of the first one that has another text; those of the
 *          exchange. */
LB_MUST_USE lb_status lb_group_agree(const lb_group *group, const char *what, const char *text,
                                     lb_error *error);

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
