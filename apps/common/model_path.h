/* Where a model lies: the file itself, or the folder that training wrote it to. */
#ifndef APP_MODEL_PATH_H
#define APP_MODEL_PATH_H

#include "common/output.h"

#include <lookback/io.h>

/** Opens the model that the user has named: a file, or a folder that holds model.safetensors or sort.safetensors. `path`
 *  receives which file it is.
 *  Memory: the file is freed by lb_safetensors_free; NULL after an error.
 *  Errors: those of lb_safetensors_open; LB_ERROR_OPEN if a folder holds neither; LB_ERROR_FORMAT for a checkpoint. */
LB_MUST_USE lb_status app_model_open(const char *model, char path[APP_PATH], lb_safetensors **file,
                                     lb_error *error);

/** Hands an error on with the file's name before it, unless it is there already: not every function knows which file it
 *  deals with. Returns the status. */
lb_status app_name_file(const char *path, const lb_error *found, lb_error *error);

#endif
