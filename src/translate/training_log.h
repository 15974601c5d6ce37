/* The log of a training: a file with a line of JSON for each evaluation. */
#ifndef LB_TRAINING_LOG_H
#define LB_TRAINING_LOG_H

#include "lookback/train.h"

/** Writes the file `path` with all points. Errors: LB_ERROR_WRITE, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_log_write(const char *path, const lb_train_history *history,
                                            lb_error *error);

/** Brings that file up to date after an evaluation: appends the last point where the file is known to have all others,
 *  so that a reader can follow it, else writes it anew. `*logged` is how many points it is known to have, 0 where a run
 *  begins or goes on; it is set to all. Errors: those of lb_training_log_write. */
LB_MUST_USE lb_status lb_training_log_append(const char *path, const lb_train_history *history,
                                             int64_t *logged, lb_error *error);

#endif
