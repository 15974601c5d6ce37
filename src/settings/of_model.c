/* Settings that a model has in its configuration: which kind has them, and their values there. */
#include "models/file/model_formats.h"
#include "settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The field with the setting in the configuration of this kind; NULL: it has none. */
static const lb_config_field *field_of(const lb_setting *s, const char *kind)
{
    const lb_config_field *field = lb_model_fields(kind);
    while (field && field->key && !lb_setting_is_named(s, field->key)) field++;
    return field && field->key ? field : NULL;
}

bool lb_setting_is_of(const lb_setting *s, const char *kind)
{
    bool others = false;
    for (const char *const *model = lb_setting_find("model")->choices; *model; model++)
        others = others || field_of(s, *model);
    return field_of(s, kind) || !others;
}

/* "embed, one_direction and attention". */
static void name_together(int together, bool options, char text[LB_MESSAGE_LENGTH])
{
    char name[LB_SETTING_WORDS];
    const lb_setting *last = NULL;
    size_t used = 0;
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together == together) last = s;
    for (const lb_setting *s = lb_settings; s->name; s++) {
        if (s->together != together) continue;
        const char *joint = !used ? "" : s == last ? " and " : ", ";
        used += (size_t)snprintf(text + used, LB_MESSAGE_LENGTH - used, "%s%s", joint,
                                 options ? lb_setting_words(s, name) : s->name);
    }
}

static lb_status refuse(const lb_setting *setting, const char *kind, bool options, lb_error *error)
{
    char names[LB_MESSAGE_LENGTH];
    int count = 0;
    const char *const *owner = lb_setting_find("model")->choices;
    while (!field_of(setting, *owner)) owner++;
    for (const lb_setting *s = lb_settings; s->name; s++) count += s->together == setting->together;
    name_together(setting->together, options, names);
    return lb_error_set(error, LB_ERROR_ARGUMENT, "%s %s of %s%s, not of %s%s", names,
                        count > 1 ? "are options" : "is an option", options ? "--model " : "a ", *owner,
                        options ? "" : "a ", kind);
}

lb_status lb_settings_fit_kind(lb_training_config *config, const lb_training_config *usual, bool options,
                               lb_error *error)
{
    const lb_setting *found = NULL;
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together && !lb_setting_is_of(s, config->model) &&
            lb_setting_number(s, config) != lb_setting_number(s, usual) &&
            (!found || s->together < found->together))
            found = s;
    if (found) return refuse(found, config->model, options, error);
    for (const lb_setting *s = lb_settings; s->name; s++)
        if (s->together && !lb_setting_is_of(s, config->model)) lb_setting_reset(s, config);
    return LB_OK;
}

/* The attention may be a custom one, which no setting has. */
static const lb_setting *setting_of(const lb_config_field *field)
{
    return field->kind == LB_CONFIG_WORD ? NULL : lb_setting_find(field->key);
}

void lb_settings_to_model(const lb_training_config *config, const lb_config_field *fields, void *model)
{
    for (const lb_config_field *field = fields; field->key; field++) {
        const lb_setting *s = setting_of(field);
        if (!s) continue;
        double value = fmax(lb_setting_number(s, config), 0);
        lb_config_put(field, model, s->opposite ? value == 0 : value);
    }
}

void lb_settings_from_model(lb_training_config *config, const lb_config_field *fields, const void *model)
{
    for (const lb_config_field *field = fields; field->key; field++) {
        const lb_setting *s = setting_of(field);
        if (!s || s->only_trains || lb_setting_number(s, config) != 0) continue;
        double value = lb_config_number(field, model);
        lb_setting_put(s, config, s->opposite ? value == 0 : value);
    }
}
