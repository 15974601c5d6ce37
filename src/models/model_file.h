/* A trained model as one file: its parameters under PyTorch's names, and in the metadata what is needed to build it
 * again. */
#ifndef LB_MODEL_FILE_H
#define LB_MODEL_FILE_H

#include "io/checkpoint.h"
#include "models/model.h"

/** Writes the model. `metadata` is written beside the model's own keys, "lookback.model" and "lookback.config".
 *  Errors: those of lb_safetensors_write. */
LB_MUST_USE lb_status lb_model_save(const char *path, const lb_model *model, const lb_params *params,
                                    const lb_safetensors_metadata *metadata, size_t metadata_count,
                                    lb_error *error);

/** Builds the model of a file that lb_model_save wrote, of whichever kind it is, with its parameters in `params`, which
 *  must be empty and own the model. NULL if that fails.
 *  Errors: LB_ERROR_FORMAT if the file holds no model of a known kind, or if config and parameters do not fit. */
LB_MUST_USE lb_model *lb_model_load(const lb_safetensors *file, lb_params *params, lb_error *error);

#endif
