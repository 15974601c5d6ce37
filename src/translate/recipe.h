/* The recipe: the defaults of a training. */
#ifndef LB_RECIPE_H
#define LB_RECIPE_H

#include "lookback/translate.h"

/** One of so many pairs is held out where there is no file of them; a model is measured on so many at most. */
enum { LB_HELD_OUT = 10, LB_MEASURED = 2000 };

/** As lb_training_config_settle, also where the training starts from a model, of which the configuration has taken what
 *  it needs. */
LB_MUST_USE lb_status lb_recipe_settle(lb_training_config *config, lb_error *error);

/** Pairs in a batch, label smoothing, and steps in such batches, for so many pairs. Configurations have been
 *  settled. */
int lb_recipe_batch(const lb_training_config *config, int64_t pairs);
double lb_recipe_smoothing(const lb_training_config *config, int64_t pairs);
int64_t lb_recipe_steps(const lb_training_config *config, int64_t batches);

/** How the training goes; the caller adds its functions and the checkpoint. */
lb_trainer_config lb_recipe_trainer(const lb_training_config *config, int64_t steps);

/** Builds the model for vocabularies of these sizes, with its parameters in `params`, which own it. NULL after an
 *  error.
 *  Errors: LB_ERROR_ARGUMENT for impossible sizes, LB_ERROR_MEMORY. */
lb_model *lb_recipe_model(const lb_training_config *config, int64_t source_vocab, int64_t target_vocab,
                          lb_params *params, lb_error *error);

/** What the configuration says of a line. Memory: it points to the configuration's separators. */
lb_pair_format lb_recipe_format(const lb_training_config *config);

#endif
