/* The settings of a training as options of a program. */
#ifndef APP_SETTING_OPTIONS_H
#define APP_SETTING_OPTIONS_H

#include "cli/option.h"

struct cJSON;

/** The option for a setting of `config`; its help is that for these trainings, LB_SETTING_OF_PAIRS or OF_LISTS. */
app_option app_setting_option(const lb_setting *setting, lb_training_config *config, int trainings);

/** Puts a part of the settings that these trainings have behind `to`, below its heading. Returns the end. */
app_option *app_setting_options(app_option *to, lb_setting_part part, lb_training_config *config,
                                int trainings);

/** --set NAME=VALUE, for settings of these trainings. */
app_option app_set_option(int trainings);

/** Puts a table of further options behind `to`. Returns the end. */
#define APP_ADD(to, rows) app_options_add((to), (rows), sizeof(rows) / sizeof *(rows))
app_option *app_options_add(app_option *to, const app_option *options, size_t count);

/** Resets what a model to start from decides and no option has set: with `words`, what is one of several words;
 *  without, all the rest. Does nothing if `config->from` is NULL. */
void app_settings_leave_open(lb_training_config *config, bool words);

/** Replaces the options in the record of a training, which are those of its command, by what was in force: by the
 *  record's "settings", which are removed, and by the configuration of the model. Options of another kind of model are
 *  removed. For an ensemble, it does so for each of the record's "members". Records without options, and parts of files
 *  that have another form, stay as they are.
 *  Config, kind: of the model; may be NULL.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_put_options_in_force(struct cJSON *record, const struct cJSON *config,
                                               const char *kind, lb_error *error);

#endif
