#include "models/model_config.h"

#include <string.h>

int64_t lb_config_size(const cJSON *json, const char *key, int64_t least)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    bool fits = value >= (double)least && value <= 1e6 && value == (double)(int64_t)value;
    return fits ? (int64_t)value : -1;
}

double lb_config_share(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    return value >= 0 && value < 1 ? value : -1;
}

bool lb_config_flag(const cJSON *json, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, key));
}

int lb_config_choice(const cJSON *json, const char *key, const char *const *names)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
    for (int i = 0; names[i] && cJSON_IsString(item); i++)
        if (strcmp(item->valuestring, names[i]) == 0) return i;
    return -1;
}

lb_model *lb_config_fail(const lb_params *params, lb_error *error)
{
    lb_status status = lb_params_status(params);
    lb_error_set(error, status ? status : LB_ERROR_FORMAT, "%s",
                 status ? lb_params_error(params) : "the model's configuration makes no sense");
    return NULL;
}
