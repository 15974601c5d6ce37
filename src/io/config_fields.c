/* Reads and writes a struct that a table of fields describes as JSON, such as the configuration of a model. */
#include "io/json.h"

#include "base/alloc.h"
#include "base/format.h"

#include <math.h>
#include <string.h>

/* Enums are read and written as int. */
_Static_assert(sizeof(lb_config_kind) == sizeof(int), "an enum is as large as an int");

enum { LARGEST = 1000000 };

double lb_config_number(const lb_config_field *field, const void *config)
{
    const void *at = (const char *)config + field->offset;
    int number;
    if (field->kind == LB_CONFIG_SIZE) return (double)*(const int64_t *)at;
    if (field->kind == LB_CONFIG_FRACTION) return (double)*(const lb_real *)at;
    if (field->kind == LB_CONFIG_POSITIVE) return *(const double *)at;
    if (field->kind == LB_CONFIG_FLAG) return *(const bool *)at;
    memcpy(&number, at, sizeof number);
    return number;
}

/* Writes 0.1 as such, also a float, which is not the same number as that double. */
static void write_number(lb_buffer *json, bool is_real, double number)
{
    enum { ROUNDED = 12, ALL = 17 }; /* digits */
    const double rounded = round(number * 1e6) / 1e6;
    if (is_real ? (lb_real)rounded == (lb_real)number : rounded == number)
        lb_buffer_print(json, "%.*g", ROUNDED, rounded);
    else
        lb_buffer_print(json, "%.*g", ALL, number);
}

static void write_value(lb_buffer *json, const lb_config_field *field, const void *config)
{
    const char *at = (const char *)config + field->offset;
    double number = lb_config_number(field, config);
    if (field->kind == LB_CONFIG_WORD)
        lb_buffer_json_string(json, at);
    else if (field->kind == LB_CONFIG_CHOICE)
        lb_buffer_json_string(json, lb_choice_name(field->names, (int)number));
    else if (field->kind == LB_CONFIG_FLAG)
        lb_buffer_print(json, "%s", number != 0 ? "true" : "false");
    else if (field->kind == LB_CONFIG_SIZE)
        lb_buffer_print(json, "%lld", (long long)*(const int64_t *)(const void *)at);
    else
        write_number(json, field->kind == LB_CONFIG_FRACTION, number);
}

char *lb_config_write(const lb_config_field *fields, const void *config)
{
    lb_buffer json = {0};
    lb_json_open(&json, NULL, "{");
    for (const lb_config_field *field = fields; field->key; field++) {
        const bool may_miss = field->missing < LB_CONFIG_NEEDED;
        if (may_miss && lb_config_number(field, config) == LB_CONFIG_UNWRITTEN(field->missing)) continue;
        lb_json_key(&json, field->key);
        write_value(&json, field, config);
    }
    lb_buffer_print(&json, "}");
    return lb_buffer_end(&json);
}

/* The value of the field as a number; -1 if it is invalid. */
static double value_of(const lb_config_field *field, const cJSON *item)
{
    if (!item)
        return field->missing < LB_CONFIG_NEEDED ? LB_CONFIG_UNWRITTEN(field->missing) : field->missing;
    double number = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (field->kind == LB_CONFIG_FRACTION) return number >= 0 && number < 1 ? number : -1;
    if (field->kind == LB_CONFIG_POSITIVE) return number > 0 && number <= LARGEST ? number : -1;
    if (field->kind == LB_CONFIG_FLAG) return cJSON_IsBool(item) ? cJSON_IsTrue(item) : -1;
    if (field->kind == LB_CONFIG_CHOICE)
        return cJSON_IsString(item) ? lb_choice_find(field->names, item->valuestring) : -1;
    return number >= 1 && number <= LARGEST && number == (double)(int64_t)number ? number : -1;
}

void lb_config_put(const lb_config_field *field, void *config, double value)
{
    void *at = (char *)config + field->offset;
    int number = (int)value;
    if (field->kind == LB_CONFIG_SIZE)
        *(int64_t *)at = (int64_t)value;
    else if (field->kind == LB_CONFIG_FRACTION)
        *(lb_real *)at = (lb_real)value;
    else if (field->kind == LB_CONFIG_POSITIVE)
        *(double *)at = value;
    else if (field->kind == LB_CONFIG_FLAG)
        *(bool *)at = value != 0;
    else
        memcpy(at, &number, sizeof number);
}

static bool read_field(const lb_config_field *field, const cJSON *item, void *config)
{
    if (field->kind != LB_CONFIG_WORD) {
        double value = value_of(field, item);
        if (value >= 0) lb_config_put(field, config, value);
        return value >= 0;
    }
    const char *word = cJSON_GetStringValue(item);
    if (!word || strlen(word) >= LB_CONFIG_WORD_BYTES) return false;
    memcpy((char *)config + field->offset, word, strlen(word) + 1);
    return true;
}

/* Prints what a field has to be, after "expected ". */
static void print_expected(lb_buffer *text, const lb_config_field *field)
{
    if (field->kind == LB_CONFIG_FRACTION)
        lb_buffer_print(text, "a number from 0 to below 1");
    else if (field->kind == LB_CONFIG_POSITIVE)
        lb_buffer_print(text, "a number above 0, at most %d", LARGEST);
    else if (field->kind == LB_CONFIG_FLAG)
        lb_buffer_print(text, "true or false");
    else if (field->kind == LB_CONFIG_WORD)
        lb_buffer_print(text, "a text of less than %d bytes", LB_CONFIG_WORD_BYTES);
    else if (field->kind == LB_CONFIG_SIZE)
        lb_buffer_print(text, "an integer from 1 to %d", LARGEST);
    for (int i = 0; field->kind == LB_CONFIG_CHOICE && field->names[i]; i++)
        lb_buffer_print(text, "%s\"%s\"", i ? ", " : "one of ", field->names[i]);
}

static lb_status refuse(const lb_config_field *field, const cJSON *item, lb_error *error)
{
    if (!item) return lb_error_set(error, LB_ERROR_FORMAT, "found no \"%s\"", field->key);
    lb_buffer expected = {0};
    print_expected(&expected, field);
    char *found = lb_json_print(item);
    lb_status status = found && !expected.failed
                           ? lb_error_set(error, LB_ERROR_FORMAT, "\"%s\": found %.40s, expected %s",
                                          field->key, found, expected.text)
                           : lb_no_memory(error, "a model");
    cJSON_free(found);
    lb_release(expected.text);
    return status;
}

lb_status lb_config_read(const lb_config_field *fields, const char *json, void *config, lb_error *error)
{
    cJSON *parsed;
    lb_status status = lb_json_parse(json, strlen(json), NULL, &parsed);
    if (status == LB_ERROR_MEMORY) return lb_no_memory(error, "a model");
    if (status) return lb_error_set(error, status, "found no JSON");
    for (const lb_config_field *field = fields; field->key && !status; field++) {
        const cJSON *item = lb_json_get(parsed, field->key);
        if (!read_field(field, item, config)) status = refuse(field, item, error);
    }
    cJSON_Delete(parsed);
    return status;
}
