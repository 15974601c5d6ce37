/* All kinds of models and types of attention by their names in files: the built-in ones, and the custom ones passed
 * when loading a model. */
#ifndef LB_EXTENSIONS_H
#define LB_EXTENSIONS_H

#include "lookback/kinds.h"

/** The kind with this name; NULL if there is none. `own` may be NULL.
 *  Errors: LB_ERROR_FORMAT, with the name and where a custom kind must be listed. */
const lb_model_kind *lb_model_kind_find(const char *name, const lb_extensions *own, lb_error *error);

/** Checks custom kinds. Errors: LB_ERROR_ARGUMENT if a name is already taken, if the name of an attention is too long,
 *  or if a kind lacks the functions for files. */
LB_MUST_USE lb_status lb_extensions_check(const lb_extensions *own, lb_error *error);

#endif
