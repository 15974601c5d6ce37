/* Reads settings from JSON, such as the record of a training. */
#include "settings/settings.h"

#include "io/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

bool lb_setting_read_tests(lb_test *tests, const cJSON *object)
{
    const cJSON *test;
    bool read = cJSON_IsObject(object);
    cJSON_ArrayForEach(test, object)
    {
        const char *name = test->string, *file = cJSON_GetStringValue(test);
        read = read && file && lb_setting_add_test(tests, name, strlen(name), file);
    }
    return read;
}

/* The number of a flag, a number or a choice; NaN if it is none. A flag may have the name of its opposite. */
static double number_of(const lb_setting *s, const cJSON *value)
{
    if (s->type == LB_SETTING_CHOICE && cJSON_IsString(value)) {
        const int choice = lb_setting_choice(s, value->valuestring);
        return choice < 0 ? (double)NAN : choice;
    }
    const char *opposite = s->opposite ? s->opposite : "-";
    if (s->type == LB_SETTING_FLAG && cJSON_IsBool(value))
        return cJSON_IsTrue(value) != (strncmp(value->string, opposite, strcspn(opposite, "_")) == 0);
    const bool number = s->type != LB_SETTING_FLAG && cJSON_IsNumber(value);
    return number && fabs(value->valuedouble) <= INT_MAX ? value->valuedouble : NAN;
}

static bool read_value(const lb_setting *s, const cJSON *value, lb_training_config *to)
{
    if (s->type == LB_SETTING_TESTS) return lb_setting_read_tests(to->test, value);
    if (s->type == LB_SETTING_TEXT || s->type == LB_SETTING_WORD) {
        const bool open = s->type == LB_SETTING_WORD && cJSON_IsString(value) && !*value->valuestring;
        *(const char **)lb_setting_place(s, to) = open ? NULL : cJSON_GetStringValue(value);
        return cJSON_IsString(value);
    }
    const double number = number_of(s, value);
    if (!isnan(number)) lb_setting_put(s, to, number == 0 && s->zero_is_value ? -1 : number);
    return !isnan(number);
}

lb_status lb_settings_read(lb_training_config *config, const cJSON *object, lb_setting_list list,
                           lb_error *error)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, object)
    {
        const lb_setting *s = value->string ? lb_setting_find(value->string) : NULL;
        const bool listed = s && (list == LB_SETTINGS_LISTS || s->place[list] > 0);
        if (!listed || s->of_session || s->type == LB_SETTING_SEED || cJSON_IsNull(value)) continue;
        if (lb_setting_is_open(s, config) && !read_value(s, value, config))
            return lb_error_set(error, LB_ERROR_FORMAT, "its record has a \"%.40s\" that is no such setting",
                                value->string);
    }
    return LB_OK;
}
