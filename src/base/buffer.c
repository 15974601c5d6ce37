#include "base/buffer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"

/* Makes room for `count` more characters and a NUL. */
static bool reserve(lb_buffer *buffer, size_t count)
{
    size_t needed = buffer->length + count + 1;
    if (buffer->failed) return false;
    if (needed <= buffer->capacity) return true;
    size_t capacity = needed + needed / 2 + 64;
    char *grown = lb_alloc_grow(buffer->text, buffer->length, capacity);
    buffer->failed = !grown;
    if (!grown) return false;
    buffer->text = grown;
    buffer->capacity = capacity;
    return true;
}

void lb_buffer_print(lb_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = lb_vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0) buffer->failed = true;
    if (count < 0 || !reserve(buffer, (size_t)count)) return;
    va_start(arguments, format);
    lb_vsnprintf(buffer->text + buffer->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)count;
}

void lb_buffer_add(lb_buffer *buffer, const void *bytes, size_t count)
{
    if (count == 0 || !reserve(buffer, count)) return;
    memcpy(buffer->text + buffer->length, bytes, count);
    buffer->length += count;
    buffer->text[buffer->length] = '\0';
}

/* The character after the backslash in a two-character escape, or 0 if there is no such escape. */
static char short_escape(char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = strchr(from, c);
    return at ? to[at - from] : '\0';
}

void lb_buffer_json_string(lb_buffer *buffer, const char *string)
{
    enum { LONGEST_ESCAPE = sizeof "\\u0000" - 1 };
    size_t length = strlen(string);
    if (!reserve(buffer, LONGEST_ESCAPE * length + 2)) return;
    char *to = buffer->text + buffer->length;
    *to++ = '"';
    for (const char *c = string; *c; c++) {
        char escape = short_escape(*c);
        if (escape) {
            *to++ = '\\';
            *to++ = escape;
        } else if ((unsigned char)*c < 0x20) {
            to += snprintf(to, LONGEST_ESCAPE + 1, "\\u%04x", (unsigned)*c);
        } else {
            *to++ = *c;
        }
    }
    *to++ = '"';
    *to = '\0';
    buffer->length = (size_t)(to - buffer->text);
}

void lb_buffer_json_number(lb_buffer *buffer, double number, int digits)
{
    if (isfinite(number))
        lb_buffer_print(buffer, "%.*g", digits, number);
    else
        lb_buffer_print(buffer, "null");
}

char *lb_buffer_end(lb_buffer *buffer)
{
    if (!buffer->failed) return buffer->text;
    lb_release(buffer->text);
    return NULL;
}
