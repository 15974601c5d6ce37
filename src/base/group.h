/* Processes that work together: they add numbers, hear from the first one, and agree. */
#ifndef LB_GROUP_H
#define LB_GROUP_H

#include "lookback/base.h"

/** Checks a group, which may be NULL, and that its size divides the number of shards.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status lb_group_check(const lb_group *group, int shards, lb_error *error);

/** The number of processes: 1 without a group. */
int lb_group_size(const lb_group *group);

/** Whether this process writes the files. */
bool lb_group_leads(const lb_group *group);

/** Adds `values` [count] of all processes in the binary tree of their ranks; everyone gets the same bits. `room`
 *  [LB_GROUP_ROOM], or [count] if that is less, is overwritten. `add` adds `from` to `to`. Does nothing without a
 *  group.
 *  Cost:   each process sends 2 (1 - 1 / size) count numbers: halves, quarters, ... of sums, and then the sums back.
 *  Source: Rabenseifner 2004, "Optimization of collective reduction operations".
 *  Errors: those of the exchange. */
enum { LB_GROUP_ROOM = 1 << 18 };
typedef void lb_add_fn(int64_t count, const lb_real *from, lb_real *to);
LB_MUST_USE lb_status lb_group_add(const lb_group *group, lb_real *values, int64_t count, lb_real *room,
                                   lb_add_fn *add, lb_error *error);

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

#endif
