/* All kinds of models and all types of attention, by the names that they have in files: the built-in ones, and those of
 * whoever loads a model. */
#ifndef LB_EXTENSIONS_H
#define LB_EXTENSIONS_H

#include "lookback/kinds.h"

/** The kind of that name; NULL if there is none. `own` may be NULL.
 *  Errors: LB_ERROR_FORMAT, which names it and says where it would have to be. */
const lb_model_kind *lb_model_kind_find(const char *name, const lb_extensions *own, lb_error *error);

/** The type of that name; the rest as for lb_model_kind_find. */
const lb_attention_type *lb_attention_type_find(const char *name, const lb_extensions *own, lb_error *error);

/** Errors: LB_ERROR_ARGUMENT if a name is taken by a built-in one or by another, if an attention's is too long, or if a
 *          kind
 *  lacks what files need. */
LB_MUST_USE lb_status lb_extensions_check(const lb_extensions *own, lb_error *error);

#endif
