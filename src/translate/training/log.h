/* The log of a training: a file with one line per evaluation, in JSON or, if its name ends in ".csv", as a table whose
 * first line names the columns. */
#ifndef LB_TRAINING_LOG_H
#define LB_TRAINING_LOG_H

#include "lookback/train.h"

/** Writes the file `path` with all points. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_log_write(const char *path, const lb_train_history *history,
                                            lb_error *error);

/** Updates that file after an evaluation. If it is known to have all other points, appends the last one, so that a
 *  reader can follow it; otherwise rewrites it. `*logged` is the number of points that it is known to have, 0 when a
 *  run starts or resumes; it is set to the number of all points. Errors: as lb_training_log_write. */
LB_MUST_USE lb_status lb_training_log_append(const char *path, const lb_train_history *history,
                                             int64_t *logged, lb_error *error);

#endif
