/* Configurations of a training that make no sense. */
#ifndef LB_CONFIG_CHECK_H
#define LB_CONFIG_CHECK_H

#include "lookback/translate.h"

#define LB_MODEL_SEQ2SEQ      "seq2seq"
#define LB_MODEL_TRANSFORMER  "transformer"
#define LB_DIRECTION_FORWARD  "forward"
#define LB_DIRECTION_BACKWARD "backward"

/** Checks a configuration: ranges by the rows of the settings, and what two of them say together.
 *  Errors: LB_ERROR_ARGUMENT, with the name of the field. */
LB_MUST_USE lb_status lb_config_check(lb_training_config *config, lb_error *error);

#endif
