/* The options of a training as they were in force, for people to read. */
#ifndef APP_OPTIONS_IN_FORCE_H
#define APP_OPTIONS_IN_FORCE_H

#include <lookback/lookback.h>

struct cJSON;

/** Replaces the options in the record of a training, which are those of its command, by what was in force: by the
 *  record's "settings", which are removed, and by the configuration of the model. Options of another kind of model are
 *  removed. For an ensemble, it does so for each of the record's "members". Records without options, and parts of files
 *  that have another form, stay as they are.
 *  Config, kind: of the model; may be NULL.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_put_options_in_force(struct cJSON *record, const struct cJSON *config,
                                               const char *kind, lb_error *error);

#endif
