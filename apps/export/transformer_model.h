/* A transformer as constants in C. */
#ifndef APP_TRANSFORMER_MODEL_H
#define APP_TRANSFORMER_MODEL_H

#include "export/assemble.h"
#include "export/numbers.h"

#include <lookback/models.h>

/** Adds weights, flags and sizes; LONGEST and LIMIT are known by then. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_transformer_model_add(const lb_transformer *model, app_numbers *numbers,
                                                app_kernel *kernel, lb_error *error);

#endif
