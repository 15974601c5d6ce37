/* The demo task, which is to sort a list of numbers. */
#ifndef LB_SORT_TASK_H
#define LB_SORT_TASK_H

#include "lookback/data.h"

#include <stdint.h>

/** Draws list number `index` of a split into `values` (room for max_length). Returns its length.
 *  The same task, split and index give the same list. The task must have passed lb_sort_check:
 *  drawing from a split without lists would never end. */
int32_t lb_sort_draw(const lb_sort_task *task, lb_split split, uint64_t index, int32_t *values);

/** The split of a list, which depends only on its numbers. */
lb_split lb_sort_split(const int32_t *values, int32_t length);

/** Sorts in place, ascending. */
void lb_sort_values(int32_t *values, int32_t length);

/* ---- sort_task_json.c: the task as text, as stored in the file of a model. ---- */

/** The metadata key of the text in a model file. */
#define LB_SORT_TASK_KEY "lookback.task"

/** One line of JSON without the seed, which is not part of the task; release it with lb_release. NULL if there is no
 *  memory. */
char *lb_sort_task_print(const lb_sort_task *task);

/** Reads the output of lb_sort_task_print. `text` may be NULL. Errors: LB_ERROR_FORMAT if it is not a sort task;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_task_parse(const char *text, lb_sort_task *task, lb_error *error);

#endif
