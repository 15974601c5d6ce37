/* Makes options of the table of settings, and corrects those in the record of a training to what was in force. */
#include "cli/options.h"

#include <cJSON.h>

#include <assert.h>
#include <string.h>

enum { MOST = 96 };

static char names[MOST][LB_SETTING_NAME]; /* of options, by the number of the setting */

app_option app_setting_option(const lb_setting *s, lb_training_config *config, int trainings)
{
    bool lists = trainings == LB_SETTING_OF_LISTS;
    assert(s >= lb_settings && s - lb_settings < MOST);
    app_option option = {.kind = (enum app_option_kind)s->type,
                         .letter = s->letter,
                         .name = lb_setting_option(s, names[s - lb_settings]),
                         .metavar = lists && s->type == LB_SETTING_TESTS ? "NAME=LENGTHS" : s->metavar,
                         .writes = s->writes,
                         .usual = (s->usual & trainings) != 0,
                         .zero_is_value = s->zero_is_value,
                         .help = lists && s->help_of_lists ? s->help_of_lists : s->help,
                         .value.text = lb_setting_place(s, config),
                         .min = lists && s->min_of_lists > s->min ? s->min_of_lists : s->min,
                         .max = s->max,
                         .choices = s->choices,
                         .aliases = s->aliases,
                         .setting = s};
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
            !app_option_was_set(lb_setting_place(s, config)))
            lb_setting_reset(s, config);
}

/* Replaces options by the fields of an object. False if memory runs out. */
static bool replace(cJSON *options, const cJSON *fields)
{
    const cJSON *field;
    char name[LB_SETTING_NAME];
    cJSON_ArrayForEach(field, fields)
    {
        if (!field->string) return true;
        const lb_setting *s = lb_setting_find(field->string);
        if (!s || !cJSON_GetObjectItemCaseSensitive(options, lb_setting_option(s, name))) continue;
        cJSON *value = cJSON_Duplicate(field, true);
        if (!value || !cJSON_ReplaceItemInObjectCaseSensitive(options, name, value)) return false;
    }
    return true;
}

static void drop_others(cJSON *options, const char *kind)
{
    char name[LB_SETTING_NAME];
    for (const lb_setting *s = lb_settings; kind && lb_model_fields(kind) && s->name; s++)
        if (!lb_setting_is_of(s, kind))
            cJSON_DeleteItemFromObjectCaseSensitive(options, lb_setting_option(s, name));
}

static bool put_in_force(cJSON *record, const cJSON *config, const char *kind)
{
    cJSON *options = cJSON_GetObjectItemCaseSensitive(record, "options");
    if (!cJSON_IsObject(options)) return true;
    cJSON *settings = cJSON_DetachItemFromObjectCaseSensitive(record, "settings");
    bool replaced = replace(options, config) && replace(options, settings);
    cJSON_Delete(settings);
    drop_others(options, kind);
    return replaced;
}

lb_status app_put_options_in_force(cJSON *record, const cJSON *config, const char *kind, lb_error *error)
{
    cJSON *member;
    const cJSON *part = cJSON_GetObjectItemCaseSensitive(config, "members");
    bool put = put_in_force(record, config, kind);
    if (part) part = part->child;
    cJSON_ArrayForEach(member, cJSON_GetObjectItemCaseSensitive(record, "members"))
    {
        put = put && put_in_force(member, cJSON_GetObjectItemCaseSensitive(part, "config"),
                                  cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(part, "kind")));
        if (part) part = part->next;
    }
    return put ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}
