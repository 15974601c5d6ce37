/* The sort task as text, as stored in the file of a model. */
#ifndef LB_SORT_TASK_JSON_H
#define LB_SORT_TASK_JSON_H

#include "data/sort_task.h"

/** The metadata key of the text in a model file. */
#define LB_SORT_TASK_KEY "lookback.task"

/** One line of JSON without the seed, which is not part of the task; release it with lb_release. NULL if there is no
 *  memory. */
char *lb_sort_task_print(const lb_sort_task *task);

/** Reads the output of lb_sort_task_print. `text` may be NULL. Errors: LB_ERROR_FORMAT if it is not a sort task;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_task_parse(const char *text, lb_sort_task *task, lb_error *error);

#endif
