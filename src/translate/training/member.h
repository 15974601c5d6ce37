/* Training one model on pairs, in a folder of its own. */
#ifndef LB_TRAINING_H
#define LB_TRAINING_H

#include "translate/training/model.h"

/** Builds the model. The caller sets the fields above `params`, which must outlive the training, and makes the folder.
 *  Memory: freed by lb_training_free, also after an error.
 *  Errors: LB_ERROR_ARGUMENT for an invalid model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_training_init(lb_training *training, lb_error *error);

/** Trains until the steps are done or patience runs out, resuming from the checkpoint if there is one, and leaves the
 *  best weights in `params`, or the last ones if nothing is held out. During training, the file of the model holds
 *  those that would be left.
 *  Errors: those of lb_train; whatever a listener returns. */
LB_MUST_USE lb_status lb_training_do(lb_training *training, lb_error *error);

/** Whether there can be a training with this configuration, as far as can be said without its pairs. Draws no
 *  weights, which would take most of the time.
 *  Errors: those of lb_start_open and lb_training_init. */
LB_MUST_USE lb_status lb_training_try(const lb_training_config *config, lb_error *error);

/** Fills in what the recipe chooses for the pairs of a settled configuration that starts from no model; not the steps
 *  if it says `epochs` or `minutes`. Reads the files, and writes none.
 *  Errors: those of lb_training_data_open. */
LB_MUST_USE lb_status lb_training_fit(lb_training_config *config, lb_error *error);

/** The record of the training so far, for a file with the weights of the evaluation `kept`. Memory: as
 *  lb_training_record. */
char *lb_training_own_record(const lb_training *training, const lb_train_point *kept);

/** The configuration of its loop, without a description of the run. */
lb_trainer_config lb_training_trainer(lb_training *training);

void lb_training_free(lb_training *training);

#endif
