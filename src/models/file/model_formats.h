/* Models in files: their kinds by name, built-in and custom, and the configuration of each. */
#ifndef LB_MODEL_FORMATS_H
#define LB_MODEL_FORMATS_H

#include "lookback/kinds.h"
#include "lookback/models.h"

/* ---- model_formats.c ---- */

/** The kind with this name; NULL if there is none. `own` may be NULL.
 *  Errors: LB_ERROR_FORMAT, with the name and where a custom kind must be listed. */
const lb_model_kind *lb_model_kind_find(const char *name, const lb_extensions *own, lb_error *error);

/** Checks custom kinds. Errors: LB_ERROR_ARGUMENT if a name is already taken, if the name of an attention is too long,
 *  or if a kind lacks the functions for files. */
LB_MUST_USE lb_status lb_extensions_check(const lb_extensions *own, lb_error *error);

/** The configuration of a model of any kind as JSON; release it with lb_release. NULL if there is no memory. */
LB_MUST_USE char *lb_model_config_json(const lb_model *model);

/** A model of this kind and configuration: as lb_model_kind.restore. */
LB_MUST_USE lb_model *lb_model_restore(const lb_model_kind *kind, lb_params *params, const char *name,
                                       const char *config, const lb_extensions *own, lb_error *error);

/* ---- model_file.c ---- */

/** Reads an array with this shape: weights, or what an optimiser knows of them. A number that is none would spread, and
 *  be noticed late or never.
 *  Errors: LB_ERROR_FORMAT if there is no such array, it has another shape, or a number is not finite. */
LB_MUST_USE lb_status lb_checkpoint_read(const lb_safetensors *file, const char *name, lb_shape shape,
                                         lb_real *numbers, lb_error *error);

#endif
