/* A file that is about to be replaced, kept under another name. */
#ifndef LB_SET_ASIDE_H
#define LB_SET_ASIDE_H

#include "lookback/base.h"

/** Keeps the file `path`, model.safetensors, as model.old-1.safetensors as well; or -2 and so on: no such name is taken
 *  twice. It stays at `path`, too, where the file system has links. A file that has such a name already keeps that.
 *  Memory: `*kept` is the new path, released with lb_release; NULL if there is no such file, or after an error.
 *  Errors: LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_set_aside(const char *path, char **kept, lb_error *error);

#endif
