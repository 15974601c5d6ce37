/* All kinds of models in files, by the names that they have there. */
#ifndef LB_MODEL_FORMATS_H
#define LB_MODEL_FORMATS_H

#include "lookback/models.h"

extern const lb_model_format lb_seq2seq_format, lb_transformer_format, lb_ensemble_format;

/** The format of the kind of that name; NULL if there is none, or if `name` is NULL. */
const lb_model_format *lb_model_format_find(const char *name);

/** The configuration of a model as JSON, to be released with lb_release; NULL if there is no memory, or no such format. */
LB_MUST_USE char *lb_model_config_json(const lb_model *model);

#endif
