/* A growing text. */
#ifndef LB_BUFFER_H
#define LB_BUFFER_H

#include "lookback/base.h"

/** A text under construction. Start from `lb_buffer buffer = {0};`. If memory runs out, `failed` is set and stays set:
 *  check it once, at the end, or call lb_buffer_end. */
typedef struct lb_buffer {
    char *text; /* NUL-terminated; NULL before the first append. For lb_release, also after a failure. */
    size_t length, capacity;
    bool failed;
} lb_buffer;

/** Appends text, formatted as by printf in the locale C. */
void lb_buffer_print(lb_buffer *buffer, const char *format, ...) LB_PRINTF(2, 3);

/** Appends bytes as they are. */
void lb_buffer_add(lb_buffer *buffer, const void *bytes, size_t count);

/** Appends a string as JSON: in quotes, with ", \ and control characters escaped. `string` should be valid UTF-8. */
void lb_buffer_json_string(lb_buffer *buffer, const char *string);

/** Appends a number with so many significant digits; null if it is not finite, which JSON cannot represent. */
void lb_buffer_json_number(lb_buffer *buffer, double number, int digits);

/** The text, for lb_release; NULL if memory has run out, or nothing was appended. Does not use the buffer any more. */
LB_MUST_USE char *lb_buffer_end(lb_buffer *buffer);

#endif
