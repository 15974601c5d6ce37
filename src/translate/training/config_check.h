/* Configurations of a training that make no sense. */
#ifndef LB_CONFIG_CHECK_H
#define LB_CONFIG_CHECK_H

#include "lookback/translate.h"

#define LB_MODEL_SEQ2SEQ      "seq2seq"
#define LB_MODEL_TRANSFORMER  "transformer"
#define LB_DIRECTION_FORWARD  "forward"
#define LB_DIRECTION_BACKWARD "backward"

/** Errors: LB_ERROR_ARGUMENT, with the name of the field. */
LB_MUST_USE lb_status lb_config_check(const lb_training_config *config, lb_error *error);

/** The same for the fields that a model to start from leaves alone. */
LB_MUST_USE lb_status lb_config_check_numbers(const lb_training_config *config, lb_error *error);

#endif
