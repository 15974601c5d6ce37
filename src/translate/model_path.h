/* The files of models in messages. */
#ifndef LB_MODEL_PATH_H
#define LB_MODEL_PATH_H

#include "lookback/base.h"

/** Hands an error on with the file's name before it, unless it is there already: not every function knows which file it
 *  deals with. Returns the status. */
lb_status lb_name_file(const char *path, const lb_error *found, lb_error *error);

#endif
