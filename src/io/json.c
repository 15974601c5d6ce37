#include "io/json.h"

#include "base/format.h"
#include "os/os.h"

#include <string.h>

enum { NODE_OVERHEAD = 64 };

bool lb_json_has_memory(size_t bytes)
{
    void *memory = cJSON_malloc(bytes);
    cJSON_free(memory);
    return memory != NULL;
}

lb_status lb_json_check_length(const char *name, const char *text, lb_error *error)
{
    size_t length = strlen(text);
    if (length <= LB_JSON_LONGEST) return LB_OK;
    return lb_error_set(error, LB_ERROR_FORMAT, "%s: found %zu bytes, expected at most %d", name, length,
                        LB_JSON_LONGEST);
}

/* No less than the tree of this text takes: a node for each value, and the strings. */
static size_t size_of_tree(const char *text, const char *end)
{
    size_t nodes = 2;
    for (const char *at = text; at < end; at++) nodes += *at == ',' || *at == ':' || *at == '[' || *at == '{';
    return nodes * (sizeof(cJSON) + NODE_OVERHEAD) + 2 * (size_t)(end - text);
}

const char *lb_json_find_zero(const char *text, size_t length)
{
    static const char escape[] = "\\u0000";
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\0') return text + i;
        if (text[i] != '\\') continue;
        if (length - i >= sizeof escape - 1 && memcmp(text + i, escape, sizeof escape - 1) == 0)
            return text + i;
        i++; /* the escaped character does not start an escape */
    }
    return NULL;
}

static cJSON *parse(const char *text, size_t length, const char **stop)
{
    lb_os_locale locale = lb_os_locale_enter();
    cJSON *json = cJSON_ParseWithLengthOpts(text, length, stop, 0);
    lb_os_locale_leave(locale);
    return json;
}

lb_status lb_json_parse(const char *text, size_t length, const char **end, cJSON **json)
{
    const char *stop = text, *zero = lb_json_find_zero(text, length);
    if (end) *end = zero;
    *json = zero ? NULL : parse(text, length, &stop);
    if (zero) return LB_ERROR_FORMAT;
    if (!*json) {
        if (!lb_json_has_memory(size_of_tree(text, stop))) return LB_ERROR_MEMORY;
        /* With that much memory, the same failure again is one of the text. */
        *json = parse(text, length, &stop);
    }
    while (*json && stop < text + length && strchr(" \t\r\n", *stop)) stop++;
    if (end) *end = stop;
    if (*json && stop == text + length) return LB_OK;
    cJSON_Delete(*json);
    *json = NULL;
    return LB_ERROR_FORMAT;
}

char *lb_json_print(const cJSON *json)
{
    lb_os_locale locale = lb_os_locale_enter();
    char *text = cJSON_PrintUnformatted(json);
    lb_os_locale_leave(locale);
    return text;
}

void lb_json_add(lb_buffer *json, const char *key, const cJSON *value)
{
    char *text = value ? lb_json_print(value) : NULL;
    json->failed = json->failed || (value && !text);
    lb_json_key(json, key);
    lb_buffer_print(json, "%s", text ? text : "null");
    cJSON_free(text);
}
