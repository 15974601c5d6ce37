/* File names of models in messages. */
#ifndef LB_MODEL_PATH_H
#define LB_MODEL_PATH_H

#include "lookback/base.h"

/** Passes an error on, prefixed with the file name unless it has it already: not every function knows its file. Returns
 *  the status. */
lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error);

#endif
