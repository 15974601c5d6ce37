/* JSON under construction, value by value. */
#ifndef LB_JSON_TEXT_H
#define LB_JSON_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/** Begins a value, which the caller prints: the member of an object with this key or, with NULL, an item of a list. A
 *  comma goes before it unless it is the first one: the last byte of the text tells. */
void lb_json_key(lb_buffer *json, const char *key);

/** An object, "{", or a list, "[". The caller prints its end. */
void lb_json_open(lb_buffer *json, const char *key, const char *bracket);

/** As lb_buffer_json_string; null for NULL. */
void lb_json_string(lb_buffer *json, const char *key, const char *string);

/** As lb_buffer_json_number. */
void lb_json_number(lb_buffer *json, const char *key, double number, int digits);

void lb_json_whole(lb_buffer *json, const char *key, int64_t number);
void lb_json_bool(lb_buffer *json, const char *key, bool value);

/** Strings as a list. */
void lb_json_strings(lb_buffer *json, const char *key, const char *const *strings, int64_t count);

#endif
