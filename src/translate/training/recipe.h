/* The recipe: the defaults of a training. */
#ifndef LB_RECIPE_H
#define LB_RECIPE_H

#include "lookback/translate.h"

/** Without a dev file, one pair in LB_HELD_OUT is held out. A model is evaluated on at most LB_MEASURED pairs. */
enum { LB_HELD_OUT = 10, LB_MEASURED = 2000 };

/** As lb_training_config_settle, also for a training that starts from a model, after lb_start_open has set what comes
 *  from the model. */
LB_MUST_USE lb_status lb_recipe_settle(lb_training_config *config, lb_error *error);

/** Fills in what depends on the number of pairs. */
void lb_recipe_fit(lb_training_config *config, int64_t pairs);

/** The steps of a training on so many pairs, which make this many batches. The configuration must be settled. */
int64_t lb_recipe_steps(const lb_training_config *config, int64_t pairs, int64_t batches);

/** The configuration of the training loop; the caller adds its functions and the checkpoint. */
lb_trainer_config lb_recipe_trainer(const lb_training_config *config, int64_t steps);

/** Builds the model for vocabularies of these sizes, with its parameters in `params`, which own it. NULL after an
 *  error.
 *  Errors: LB_ERROR_ARGUMENT for invalid sizes, LB_ERROR_MEMORY. */
lb_model *lb_recipe_model(const lb_training_config *config, int64_t source_vocab, int64_t target_vocab,
                          lb_params *params, lb_error *error);

/** Takes the columns of a format, unless the configuration has any. */
void lb_recipe_take_columns(lb_training_config *config, const lb_pair_format *format);

/** The line format of the configuration. Memory: it points to the separators of the configuration. */
lb_pair_format lb_recipe_format(const lb_training_config *config);

#endif
