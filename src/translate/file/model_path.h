/* File names of models in messages. */
#ifndef LB_MODEL_PATH_H
#define LB_MODEL_PATH_H

#include "lookback/base.h"

#include <stdbool.h>

/** The file of a model: `path`, or, if that is a folder, the model in it. Memory: release it with lb_release; NULL
 *  after an error. Errors: LB_ERROR_OPEN for a folder without one; LB_ERROR_MEMORY. */
char *lb_model_path(const char *path, lb_error *error);

/** Where a model is written in a folder. Memory and errors: as lb_folder_path. */
char *lb_model_place(const char *folder, bool sorts, lb_error *error);

/** Refuses to `use` the model in the file `path` if `what` would overwrite it in this folder.
 *  Errors: LB_ERROR_ARGUMENT, LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_model_check_place(const char *path, const char *folder, bool sorts, const char *use,
                                           const char *what, lb_error *error);

#endif
