/* File names of models in messages. */
#ifndef LB_MODEL_PATH_H
#define LB_MODEL_PATH_H

#include "lookback/base.h"

/** The file of a model: `path`, or, if that is a folder, the model in it. Memory: release it with lb_release; NULL
 *  after an error. Errors: LB_ERROR_OPEN for a folder without one; LB_ERROR_MEMORY. */
char *lb_model_path(const char *path, lb_error *error);

#endif
