#include "io/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tensor/alloc.h"

/* Makes room for `count` more characters and a NUL. */
static bool reserve(lb_json *json, size_t count)
{
    size_t needed = json->length + count + 1;
    if (json->failed) return false;
    if (needed <= json->capacity) return true;
    size_t capacity = needed + needed / 2 + 64;
    char *grown = lb_alloc_grow(json->text, json->length, capacity);
    json->failed = !grown;
    if (!grown) return false;
    json->text = grown;
    json->capacity = capacity;
    return true;
}

void lb_json_print(lb_json *json, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0) json->failed = true;
    if (count < 0 || !reserve(json, (size_t)count)) return;
    va_start(arguments, format);
    vsnprintf(json->text + json->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    json->length += (size_t)count;
}

/* The character behind the backslash of the two-character escape, or 0 if there is none. */
static char short_escape(char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = strchr(from, c);
    return at ? to[at - from] : '\0';
}

void lb_json_string(lb_json *json, const char *string)
{
    enum { LONGEST_ESCAPE = sizeof "\\u0000" - 1 };
    size_t length = strlen(string);
    if (!reserve(json, LONGEST_ESCAPE * length + 2)) return;
    char *to = json->text + json->length;
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
    json->length = (size_t)(to - json->text);
}

/* Length of the UTF-8 sequence at `s`, of which `left` bytes are there; 0 if it is none. */
static size_t sequence_length(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool too_large = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

size_t lb_utf8_prefix(const char *bytes, size_t count)
{
    const unsigned char *s = (const unsigned char *)bytes;
    size_t valid = 0;
    while (valid < count) {
        size_t length = sequence_length(s + valid, count - valid);
        if (length == 0) break;
        valid += length;
    }
    return valid;
}

bool lb_utf8_valid(const char *bytes, size_t count)
{
    return lb_utf8_prefix(bytes, count) == count;
}
