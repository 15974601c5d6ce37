/* Writing JSON: a text that grows, and strings with their escapes. (Reading is cJSON's.) */
#ifndef LB_JSON_H
#define LB_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "tensor/status.h"

/** A text under construction. Start from `lb_json json = {0};`. If memory runs out, `failed` is set and stays:
 *  look at it once, at the end. */
typedef struct lb_json {
    char *
        text; /* NUL-terminated; NULL before the first append. To be given to lb_release, also after a failure. */
    size_t length, capacity;
    bool failed;
} lb_json;

/** Appends text as it is, formatted as by printf: punctuation and numbers. */
void lb_json_print(lb_json *json, const char *format, ...) LB_PRINTF(2, 3);

/** Appends a string in quotes, with ", \ and control characters escaped. `string` should be valid UTF-8. */
void lb_json_string(lb_json *json, const char *string);

/** How many of the bytes, from the first on, are valid UTF-8: all of them, or those before the first fault. */
size_t lb_utf8_prefix(const char *bytes, size_t count);

/** True if the bytes are valid UTF-8, as JSON must be (RFC 8259, RFC 3629: no surrogates, no overlong forms). */
bool lb_utf8_valid(const char *bytes, size_t count);

#endif
