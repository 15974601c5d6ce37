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

static void read_value(const lb_setting *s, const cJSON *value, lb_training_config *to)
{
    const double number = number_of(s, value);
    const char *text = cJSON_GetStringValue(value);
    if (s->type == LB_SETTING_TESTS)
        (void)!lb_setting_read_tests(to->test, value);
    else if (s->type == LB_SETTING_TEXT || s->type == LB_SETTING_WORD)
        *(const char **)lb_setting_place(s, to) = s->type == LB_SETTING_WORD && text && !*text ? NULL : text;
    else if (!isnan(number))
        lb_setting_put(s, to, number == 0 && s->zero_is_value ? -1 : number);
}

void lb_settings_read(lb_training_config *config, const cJSON *object, lb_setting_list list)
{
    const cJSON *value;
    cJSON_ArrayForEach(value, object)
    {
        const lb_setting *s = value->string ? lb_setting_find(value->string) : NULL;
        const bool listed = s && (list == LB_SETTINGS_LISTS || s->place[list] > 0);
        if (!listed || s->of_session || s->type == LB_SETTING_SEED || cJSON_IsNull(value)) continue;
        if (lb_setting_is_open(s, config)) read_value(s, value, config);
    }
}

const cJSON *lb_settings_recorded(const cJSON *record, const char *name)
{
    const cJSON *members = cJSON_GetObjectItemCaseSensitive(record, "members"),
                *options = cJSON_GetObjectItemCaseSensitive(members ? members->child : record, "options");
    return cJSON_GetObjectItemCaseSensitive(options, name);
}
