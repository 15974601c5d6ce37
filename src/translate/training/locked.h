/* What writes into a folder, for a caller that has locked it and writes more there: see io/path.h. */
#ifndef LB_LOCKED_H
#define LB_LOCKED_H

#include "lookback/translate.h"

/** lb_translator_train in a folder `out` that the caller keeps locked. */
LB_MUST_USE lb_status lb_train_locked(const lb_training_config *config, lb_training_result *result,
                                      lb_error *error);

/** lb_translator_join into such a folder. */
LB_MUST_USE lb_status lb_join_locked(const lb_join_config *config, lb_join_result *result, lb_error *error);

#endif
