/* What `compare` shows of its trainings, beside a table: charts, and on lists exact match by their length. */
#ifndef APP_COMPARISON_H
#define APP_COMPARISON_H

#include "several/side_by_side.h"

/** Draws what the models are chosen by on dev, and exact match on each test, too, if it is that: a point with whiskers
 *  for its mean and interval, in a row for each row of the table (intervals.c). `path` is in a folder that the user
 *  named: as app_save_chart. */
LB_MUST_USE lb_status app_draw_intervals(const app_result_table *table, const char *path, lb_error *error);

/* ---- Lists to sort (by_length.c). ---- */

/** Measures the models on held-out lists of each length of the task, prints a table on standard output,
 *  and what a step of each took on standard error, since that differs from run to run. Writes exact_match.png and
 *  exact_match.json.
 *  Errors: those of opening the models; LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_compare_lengths(const app_result_table *table, const lb_sort_task *task,
                                          lb_error *error);

#endif
