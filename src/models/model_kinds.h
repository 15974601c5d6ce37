/* All kinds of models, by the names that they have in files. */
#ifndef LB_MODEL_KINDS_H
#define LB_MODEL_KINDS_H

#include "lookback/models.h"

/** The kind of that name; NULL if there is none, or if `name` is NULL. */
const lb_model_kind *lb_model_kind_find(const char *name);

#endif
