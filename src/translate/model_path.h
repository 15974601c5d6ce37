/* File names of models in messages. */
#ifndef LB_MODEL_PATH_H
#define LB_MODEL_PATH_H

#include "lookback/base.h"

/** Passes an error on, with the name of the file before it unless it is already there: not every function knows its
 *  file. Returns the status. */
lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error);

#endif
