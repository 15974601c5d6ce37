/* The demo task, which is to sort a list of numbers, or to reverse, copy or add it. */
#ifndef LB_SORT_TASK_H
#define LB_SORT_TASK_H

#include "lookback/data.h"

/** The names of what is done to a list; ends with NULL. */
extern const char *const lb_list_task_names[];

/** The longest source of lists of at most this length: to add, two of them and a plus, the number max_value + 1. */
int32_t lb_sort_longest(const lb_sort_task *task, int32_t length);

/** Sets the lengths from "5-10", or "7" for one length. `of` and `name` say in a message where the text is from:
 *  "--" and "lengths", or "test " and the name of a test.
 *  Errors: LB_ERROR_ARGUMENT, and nothing is set, if the text is anything else. */
LB_MUST_USE lb_status lb_sort_set_lengths(lb_sort_task *task, const char *of, const char *name,
                                          const char *text, lb_error *error);

/** Draws list number `index` of a split into `values` (room for lb_sort_longest). Returns its length.
 *  The same task, split and index give the same list. The task must have passed lb_sort_check:
 *  drawing from a split without lists would never end. */
int32_t lb_sort_draw(const lb_sort_task *task, lb_split split, uint64_t index, int32_t *values);

/** The task whose lists make up the batch of a step in training: with `one_length`, a single length. */
lb_sort_task lb_sort_task_of_step(const lb_sort_task *task, int64_t step);

/** The split of a list, which depends only on its numbers. */
lb_split lb_sort_split(const int32_t *values, int32_t length);

/** Sorts in place, ascending. */
void lb_sort_values(int32_t *values, int32_t length);

/** Puts the answer in the place of the list, which is at least as long. Both are ids, as in a batch: a number and
 *  LB_FIRST_TOKEN. Returns its length. */
int32_t lb_sort_answer(const lb_sort_task *task, int32_t *id, int32_t length);

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
