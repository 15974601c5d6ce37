/* The configuration of a model in JSON: a table of its fields, by which it is written and read. */
#ifndef LB_MODEL_CONFIG_H
#define LB_MODEL_CONFIG_H

#include "lookback/models.h"

#include <stddef.h>

/** What a field is, in the struct and in JSON. */
typedef enum lb_config_kind {
    LB_CONFIG_SIZE,     /* int64_t: a whole number from 1 to a million */
    LB_CONFIG_COUNT,    /* int: the same */
    LB_CONFIG_FRACTION, /* lb_real: a number from 0 to below 1 */
    LB_CONFIG_FLAG,     /* bool: true or false */
    LB_CONFIG_CHOICE    /* an enum that counts from 0: one of `names` */
} lb_config_kind;

/** Instead of a default, where files without the field make no sense. */
#define LB_CONFIG_NEEDED (-1)

/** One field of a configuration. */
typedef struct lb_config_field {
    const char *key; /* in JSON; NULL ends a table */
    size_t offset;   /* in the struct */
    lb_config_kind kind;
    int missing;              /* what a file without the field means, or LB_CONFIG_NEEDED */
    const char *const *names; /* of LB_CONFIG_CHOICE: one for each value, then NULL; else NULL */
} lb_config_field;

/** The struct as a JSON object with all fields of the table, in its order.
 *  Memory: to be released with lb_release; NULL if there is no memory. */
LB_MUST_USE char *lb_config_write(const lb_config_field *fields, const void *config);

/** Reads all fields of the table from a JSON object into the struct; those that it has beside them are left alone. False
 *  if one is not what its kind says, or is needed and not there. */
LB_MUST_USE bool lb_config_read(const lb_config_field *fields, const char *json, void *config);

/** Records that a configuration makes no sense, or what `params` hold against it. Returns NULL. */
lb_model *lb_config_fail(const lb_params *params, lb_error *error);

#endif
