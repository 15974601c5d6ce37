/* Ensembles: one training for each member, as many in parallel as there are processors; then they are joined. */
#ifndef APP_ENSEMBLE_H
#define APP_ENSEMBLE_H

#include "console/console.h"
#include "several/side_by_side.h"

#include <lookback/translate.h>

/* ---- The trainings (ensemble.c). ---- */

/** How many models `auto` trains for so few pairs that a vote of many is worth its time; 0: there are more pairs. */
int app_ensemble_of_few(int64_t pairs);

/** Trains the members of `list`, each in a folder named by its kind and seed, with `settings->seed` and the numbers
 *  after it, joins them, prints what they are good for, and writes that as ensemble.tsv. Running the same again resumes
 *  interrupted trainings and repeats none. Returns the exit status.
 *  The strings of the settings must outlive the call. */
int app_ensemble_run(const char *list, app_side_by_side *s);

/* ---- What `train` and `join` say about the model that they have made (joined.c). ---- */

/** What evaluations count, "pairs". */
const char *app_judged(const lb_training_config *config);

/** Prints the exact match on pairs, unless there are none, which are those of the configuration; and a line for each
 *  test, and says of one that the model was chosen by that it is spent. `search` found the outputs. Of a group, the
 *  first process prints. */
void app_print_result(const lb_training_config *config, const char *search, const lb_evaluation *dev,
                      int64_t pairs, const lb_evaluation *test, const int64_t *test_pairs);

/** Shows how far a join is: an lb_tell_fn. `progress` is an app_progress that is zero at first. */
lb_status app_count_joined(void *progress, const lb_event *event, lb_error *error);

/** Writes a table of the members, their weights and measures, as a file with tabs, unless `path` is NULL, and prints it
 *  to standard output, measures if there are any. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_show_joined(const lb_join_result *result, const char *path, lb_error *error);

#endif
