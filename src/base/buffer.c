#include "base/buffer.h"

#include "base/alloc.h"
#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Makes room for `count` more characters and a NUL. */
static bool reserve(lb_buffer *buffer, size_t count)
{
    if (!buffer->failed)
        buffer->failed =
            !lb_alloc_room(&buffer->text, buffer->length, buffer->length + count + 1, &buffer->capacity, 1);
    return !buffer->failed;
}

void lb_buffer_vprint(lb_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int count = lb_vsnprintf(NULL, 0, format, arguments);
    if (count < 0) buffer->failed = true;
    if (count >= 0 && reserve(buffer, (size_t)count)) {
        lb_vsnprintf(buffer->text + buffer->length, (size_t)count + 1, format, again);
        buffer->length += (size_t)count;
    }
    va_end(again);
}

void lb_buffer_print(lb_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lb_buffer_vprint(buffer, format, arguments);
    va_end(arguments);
}

void lb_buffer_add(lb_buffer *buffer, const void *bytes, size_t count)
{
    if (count == 0 || !reserve(buffer, count)) return;
    memcpy(buffer->text + buffer->length, bytes, count);
    buffer->length += count;
    buffer->text[buffer->length] = '\0';
}

void lb_buffer_json_string(lb_buffer *buffer, const char *string)
{
    enum { LONGEST_ESCAPE = sizeof "\\u0000" - 1 };
    static const char escaped[] = "\"\\\b\f\n\r\t", by[] = "\"\\bfnrt"; /* and a backslash before it */
    size_t length = strlen(string);
    if (!reserve(buffer, LONGEST_ESCAPE * length + 2)) return;
    char *to = buffer->text + buffer->length;
    *to++ = '"';
    for (const char *c = string; *c; c++) {
        const char *escape = strchr(escaped, *c);
        if (escape) {
            *to++ = '\\';
            *to++ = by[escape - escaped];
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

void lb_buffer_shell_word(lb_buffer *buffer, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    const char *quote = *word && !word[strspn(word, plain)] ? "" : "'";
    lb_buffer_print(buffer, "%s", quote);
    for (const char *end; (end = strchr(word, '\'')) != NULL; word = end + 1)
        lb_buffer_print(buffer, "%.*s'\\''", (int)(end - word), word);
    lb_buffer_print(buffer, "%s%s", word, quote);
}

void lb_buffer_cell(lb_buffer *buffer, const char *text)
{
    static const char ends[] = "\t\n\r";
    for (size_t length; length = strcspn(text, ends), text[length]; text += length + 1)
        lb_buffer_print(buffer, "%.*s\xEF\xBF\xBD", (int)length, text);
    lb_buffer_print(buffer, "%s", text);
}

void lb_buffer_csv_cell(lb_buffer *buffer, const char *text, size_t length)
{
    bool quoted = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    for (size_t i = 0; i < length; i++) quoted = quoted || (text[i] && strchr(",\"\r\n", text[i]));
    if (quoted) lb_buffer_add(buffer, "\"", 1);
    for (size_t i = 0; i < length; i++)
        lb_buffer_add(buffer, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
    if (quoted) lb_buffer_add(buffer, "\"", 1);
}

char *lb_buffer_end(lb_buffer *buffer)
{
    if (!buffer->failed) return buffer->text;
    lb_release(buffer->text);
    return NULL;
}

/* ---- JSON, value by value. ---- */

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

/* ---- Lists of strings. ---- */

lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error)
{
    if (!text || !lb_alloc_more(&strings->text, strings->count, &strings->capacity, sizeof text)) {
        lb_release(text);
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for %zu texts", strings->count + 1);
    }
    strings->text[strings->count++] = text;
    return LB_OK;
}

lb_status lb_strings_print(lb_strings *strings, lb_error *error, const char *format, ...)
{
    lb_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    lb_buffer_vprint(&text, format, arguments);
    va_end(arguments);
    return lb_strings_add(strings, lb_buffer_end(&text), error);
}

lb_status lb_strings_split(lb_strings *strings, const char *list, lb_error *error)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        char *part = lb_alloc(length + 1);
        if (part) snprintf(part, length + 1, "%s", list);
        lb_status status = lb_strings_add(strings, part, error);
        list += length;
        if (status || !*list) return status;
    }
}

void lb_strings_free(lb_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) lb_release(strings->text[i]);
    lb_release((void *)strings->text);
    *strings = (lb_strings){0};
}
