/* Texts that grow: plain text, JSON, and lists of strings. */
#ifndef LB_BUFFER_H
#define LB_BUFFER_H

#include "lookback/base.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text under construction. Start from `lb_buffer buffer = {0};`. If memory runs out, `failed` is set and stays set:
 *  check it once, at the end, or call lb_buffer_end. */
typedef struct lb_buffer {
    char *text; /* NUL-terminated; NULL before the first append. For lb_release, also after a failure. */
    size_t length, capacity;
    bool failed;
} lb_buffer;

/** Appends text, formatted as by printf in the locale C. */
void lb_buffer_print(lb_buffer *buffer, const char *format, ...) LB_PRINTF(2, 3);
void lb_buffer_vprint(lb_buffer *buffer, const char *format, va_list arguments) LB_PRINTF(2, 0);

/** Appends bytes as they are. */
void lb_buffer_add(lb_buffer *buffer, const void *bytes, size_t count);

/** Appends a string as JSON: in quotes, with ", \ and control characters escaped. `string` should be valid UTF-8. */
void lb_buffer_json_string(lb_buffer *buffer, const char *string);

/** Appends a number with so many significant digits; null if it is not finite, which JSON cannot represent. */
void lb_buffer_json_number(lb_buffer *buffer, double number, int digits);

/** Appends a word as a POSIX shell reads it, in quotes if it needs them. */
void lb_buffer_shell_word(lb_buffer *buffer, const char *word);

/** Appends a cell of a table with tabs: in it, tabs and ends of lines become U+FFFD. */
void lb_buffer_cell(lb_buffer *buffer, const char *text);

/** Appends `length` bytes as a cell of a CSV file, RFC 4180: in quotes if they have a comma, a quote, an end of a line
 *  or a blank at an end. */
void lb_buffer_csv_cell(lb_buffer *buffer, const char *text, size_t length);

/** The text, for lb_release; NULL if memory has run out, or nothing was appended. Does not use the buffer any more. */
LB_MUST_USE char *lb_buffer_end(lb_buffer *buffer);

/* ---- JSON under construction, value by value. ---- */

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

/* ---- A growing list of strings. ---- */

/** A list of strings. Zero is an empty list. */
typedef struct lb_strings {
    size_t count, capacity;
    char **text; /* [count] */
} lb_strings;

/** Adds a string from lb_alloc. The list takes ownership; after an error the string has been released. NULL, a failed
 *  allocation, is an error, too. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error);

/** Adds a string, formatted as by lb_buffer_print. Errors: LB_ERROR_MEMORY. */
LB_PRINTF(3, 4)
LB_MUST_USE lb_status lb_strings_print(lb_strings *strings, lb_error *error, const char *format, ...);

/** Adds the parts of a list with commas between, at least one; a part may be "". Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_strings_split(lb_strings *strings, const char *list, lb_error *error);

void lb_strings_free(lb_strings *strings);

#endif
