/* The sort task as text: how a model's file says what it was trained for. */
#ifndef LB_SORT_TASK_JSON_H
#define LB_SORT_TASK_JSON_H

#include "data/sort_task.h"

/** The key of a model file's metadata under which the text stands. */
#define LB_SORT_TASK_KEY "lookback.task"

/** One line of JSON, without the seed, which says nothing of the task; to be released with lb_release; NULL if there is
 *  no memory. */
char *lb_sort_task_print(const lb_sort_task *task);

/** Reads what lb_sort_task_print wrote. `text` may be NULL. Errors: LB_ERROR_FORMAT if it is no sort task;
 *  LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_sort_task_parse(const char *text, lb_sort_task *task, lb_error *error);

#endif
