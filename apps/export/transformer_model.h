/* A transformer as constants in C. */
#ifndef APP_TRANSFORMER_MODEL_H
#define APP_TRANSFORMER_MODEL_H

#include "export/assemble.h"
#include "export/numbers.h"
#include "export/onnx/hindrance.h"

/** What of the model the code does not know. */
app_hindrance app_transformer_model_hindrance(const lb_model *model);

/** Adds weights, flags and sizes; LONGEST and LIMIT are known by then. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_transformer_model_add(const lb_model *model, app_numbers *numbers,
                                                app_kernel *kernel, lb_error *error);

#endif
