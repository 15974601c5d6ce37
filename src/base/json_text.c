#include "base/json_text.h"

#include <string.h>

void lb_json_key(lb_buffer *json, const char *key)
{
    bool first = json->length == 0 || strchr("{[:\n", json->text[json->length - 1]);
    if (!first) lb_buffer_print(json, ",");
    if (!key) return;
    lb_buffer_json_string(json, key);
    lb_buffer_print(json, ":");
}

void lb_json_open(lb_buffer *json, const char *key, const char *bracket)
{
    lb_json_key(json, key);
    lb_buffer_print(json, "%s", bracket);
}

void lb_json_string(lb_buffer *json, const char *key, const char *string)
{
    lb_json_key(json, key);
    if (string)
        lb_buffer_json_string(json, string);
    else
        lb_buffer_print(json, "null");
}

void lb_json_number(lb_buffer *json, const char *key, double number, int digits)
{
    lb_json_key(json, key);
    lb_buffer_json_number(json, number, digits);
}

void lb_json_whole(lb_buffer *json, const char *key, int64_t number)
{
    lb_json_key(json, key);
    lb_buffer_print(json, "%lld", (long long)number);
}

void lb_json_bool(lb_buffer *json, const char *key, bool value)
{
    lb_json_key(json, key);
    lb_buffer_print(json, value ? "true" : "false");
}

void lb_json_strings(lb_buffer *json, const char *key, const char *const *strings, int64_t count)
{
    lb_json_open(json, key, "[");
    for (int64_t i = 0; i < count; i++) lb_json_string(json, NULL, strings[i]);
    lb_buffer_print(json, "]");
}
