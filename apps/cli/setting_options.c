#include "cli/setting_options.h"

#include <string.h>

enum { MOST = 96 };

static char names[MOST][LB_SETTING_NAME]; /* of options, by the number of the setting */

static void *place_of(const lb_setting *s, lb_training_config *config)
{
    return (char *)config + s->at;
}

app_option app_setting_option(const lb_setting *s, lb_training_config *config, int trainings)
{
    static const int kinds[] = {[LB_SETTING_FLAG] = APP_IS_FLAG,    [LB_SETTING_INT] = APP_IS_INT,
                                [LB_SETTING_SEED] = APP_IS_SEED,    [LB_SETTING_NUMBER] = APP_IS_NUMBER,
                                [LB_SETTING_TEXT] = APP_IS_TEXT,    [LB_SETTING_WORD] = APP_IS_ONE_OF,
                                [LB_SETTING_CHOICE] = APP_IS_CHOICE};
    bool lists = trainings == LB_SETTING_OF_LISTS;
    app_option option = {.letter = s->letter,
                         .name = lb_setting_option(s, names[s - lb_settings]),
                         .metavar = s->metavar,
                         .writes = s->writes,
                         .usual = (s->usual & trainings) != 0,
                         .help = lists && s->help_of_lists ? s->help_of_lists : s->help,
                         .value.text = place_of(s, config),
                         .min = lists && s->min_of_lists > s->min ? s->min_of_lists : s->min,
                         .max = s->max,
                         .choices = s->choices,
                         .aliases = s->aliases,
                         .setting = s};
    option.kind = kinds[s->type];
    return option;
}

app_option *app_setting_options(app_option *to, lb_setting_part part, lb_training_config *config,
                                int trainings)
{
    static const char *const headings[] = {[LB_SETTING_DATA] = "Data",
                                           [LB_SETTING_MODEL] = "Model",
                                           [LB_SETTING_TRAINING] = "Training",
                                           [LB_SETTING_FILES] = "Files"};
    *to++ = (app_option)APP_HEADING(headings[part]);
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->part == part && (s->trainings & trainings)) *to++ = app_setting_option(s, config, trainings);
    return to;
}

app_option *app_options_add(app_option *to, const app_option *options, size_t count)
{
    memcpy(to, options, count * sizeof *to);
    return to + count;
}

void app_settings_leave_open(lb_training_config *config, bool words)
{
    for (const lb_setting *s = lb_settings; config->from && s->name; s++)
        if ((s->part == LB_SETTING_MODEL || s->of_rule) && (s->type == LB_SETTING_WORD) == words &&
            !app_option_was_set(place_of(s, config)))
            lb_setting_reset(s, config);
}
