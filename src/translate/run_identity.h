/* What tells one training from any other, and what is said where a checkpoint belongs to another one. */
#ifndef LB_RUN_IDENTITY_H
#define LB_RUN_IDENTITY_H

#include "translate/training.h"

/** The settings that the weights follow from, for lb_trainer_config.run: a JSON object, to be released with lb_release;
 *  NULL if there is no memory. Neither steps, patience nor target are compared: a run that has ended can be resumed
 *  with more of them. */
char *lb_run_identity(const lb_training *training, const lb_trainer_config *trainer);

/** Compares that of a checkpoint with ours. Errors: LB_ERROR_FORMAT, with what differs; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_run_identity_check(const lb_training *training, const lb_trainer_config *trainer,
                                            const char *found, const char *ours, lb_error *error);

#endif
