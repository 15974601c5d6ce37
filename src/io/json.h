/* JSON by cJSON, which does not tell a text that is wrong from memory that has run out, and whose numbers may be those of
 * the locale. */
#ifndef LB_JSON_H
#define LB_JSON_H

#include "lookback/base.h"

#include <cJSON.h>
#include <stdbool.h>

/** Parses `length` bytes of text: one value, with blanks around it, without zero characters, even as \u0000. `*end`,
 *  unless NULL, is set to where parsing ended.
 *  Memory: freed by cJSON_Delete; `*json` is NULL after an error.
 *  Errors: LB_ERROR_FORMAT if it is not JSON; LB_ERROR_MEMORY. No message is set. */
LB_MUST_USE lb_status lb_json_parse(const char *text, size_t length, const char **end, cJSON **json);

/** Prints a value without blanks. Memory: freed by cJSON_free; NULL if memory runs out. */
char *lb_json_print(const cJSON *json);

/** The first zero character of a text, as a byte or as \u0000, or NULL. cJSON would end a string there, or skip the
 *  byte: two texts that differ after it would look the same. */
const char *lb_json_find_zero(const char *text, size_t length);

/** Whether a text that describes something in a file is short enough for a tree, which takes much more memory than its text.
 *  Errors: LB_ERROR_FORMAT, with the name of the text, beyond a million bytes. */
LB_MUST_USE lb_status lb_json_check_length(const char *name, const char *text, lb_error *error);

/** Whether cJSON could allocate so many bytes now. */
bool lb_json_has_memory(size_t bytes);

#endif
