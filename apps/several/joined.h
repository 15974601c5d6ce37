/* What `train` and `join` say about the model that they have made. */
#ifndef APP_JOINED_H
#define APP_JOINED_H

#include "console/progress.h"

#include <lookback/translate.h>

/** What evaluations count: "pairs", or "sources" if any target is right. */
const char *app_judged(const lb_training_config *config);

/** Shows how far a join is: `counted` of a listener. `progress` is an app_progress that is zero at first. */
void app_count_joined(void *progress, const char *unit, int64_t done, int64_t total);

/** Prints a table of the members to standard output: weights, and measures if there are any. */
void app_show_joined(const lb_join_result *result);

/** Writes the table, with measures, as a file with tabs. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_write_joined(const lb_join_result *result, const char *path, lb_error *error);

#endif
