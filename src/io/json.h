/* JSON by cJSON, which does not tell a text that is wrong from memory that has run out, and whose numbers may be those
 * of the locale. */
#ifndef LB_JSON_H
#define LB_JSON_H

#include "base/buffer.h"
#include "lookback/io.h"

#include <cJSON.h>
#include <stdbool.h>

/** The most bytes of a text that describes something, since a tree takes much more memory than its text. */
enum { LB_JSON_LONGEST = 1000000 };

/** Parses `length` bytes of text: one value, with blanks around it, without zero characters, even as \u0000. `*end`,
 *  unless NULL, is set to where parsing ended.
 *  Memory: freed by cJSON_Delete; `*json` is NULL after an error.
 *  Errors: LB_ERROR_FORMAT if it is not JSON; LB_ERROR_MEMORY. No message is set. */
LB_MUST_USE lb_status lb_json_parse(const char *text, size_t length, const char **end, cJSON **json);

/** A member of an object; NULL: it has none of this name, or is no object. */
static inline const cJSON *lb_json_get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/** A member that is a text; NULL: there is none. */
static inline const char *lb_json_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(lb_json_get(object, name));
}

/** A member that is a number. */
static inline double lb_json_member(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *found = lb_json_get(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : otherwise;
}

/** Prints a value without blanks. Memory: freed by cJSON_free; NULL if memory runs out. */
char *lb_json_print(const cJSON *json);

/** Adds such a print to JSON under construction, as lb_json_key says; null for NULL. */
void lb_json_add(lb_buffer *json, const char *key, const cJSON *value);

/** The first zero character of a text, as a byte or as \u0000, or NULL. cJSON would end a string there, or skip the
 *  byte: two texts that differ after it would look the same. */
const char *lb_json_find_zero(const char *text, size_t length);

/** Whether a text in a file is short enough for a tree.
 *  Errors: LB_ERROR_FORMAT, with the name of the text, beyond LB_JSON_LONGEST bytes. */
LB_MUST_USE lb_status lb_json_check_length(const char *name, const char *text, lb_error *error);

/** Whether cJSON could allocate so many bytes now. */
bool lb_json_has_memory(size_t bytes);

/* ---- config_fields.c: a value of a struct that a table of fields describes, whatever its type. ---- */

/** The value of a field that is a number, a flag or a choice, in a configuration. */
double lb_config_number(const lb_config_field *field, const void *config);

/** Sets the value of such a field. */
void lb_config_put(const lb_config_field *field, void *config, double value);

#endif
