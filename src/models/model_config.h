/* The configuration of a model in JSON: reading its fields. */
#ifndef LB_MODEL_CONFIG_H
#define LB_MODEL_CONFIG_H

#include "models/model.h"

#include <cJSON.h>

/** A whole number from `least` to a million; -1 if the field is not there or anything else. */
int64_t lb_config_size(const cJSON *json, const char *key, int64_t least);

/** A number from 0 to below 1; -1 if the field is not there or anything else. */
double lb_config_share(const cJSON *json, const char *key);

/** Is the field `true`? */
bool lb_config_flag(const cJSON *json, const char *key);

/** The index of the field's text in `names`, which end with NULL; -1 if it is not one of them. */
int lb_config_choice(const cJSON *json, const char *key, const char *const *names);

/** Records that a configuration makes no sense, or what `params` hold against it. Returns NULL. */
lb_model *lb_config_fail(const lb_params *params, lb_error *error);

#endif
