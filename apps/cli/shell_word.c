#include "cli/shell_word.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <string.h>

static const char UNREADABLE[] = "\xEF\xBF\xBD"; /* U+FFFD */

void app_print_readable(lb_buffer *text, const char *bytes)
{
    while (*bytes) {
        size_t valid = lb_utf8_prefix(bytes, strlen(bytes));
        lb_buffer_print(text, "%.*s%s", (int)valid, bytes, bytes[valid] ? UNREADABLE : "");
        bytes += valid + (bytes[valid] != '\0');
    }
}

void app_shell_word(lb_buffer *text, const char *word)
{
    bool plain = *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "_-+=./:,@%")];
    if (!plain) lb_buffer_print(text, "'");
    for (const char *quote; !plain && (quote = strchr(word, '\'')) != NULL; word = quote + 1) {
        char *part = lb_alloc_string(word);
        text->failed = text->failed || !part;
        if (part) part[quote - word] = '\0';
        if (part) app_print_readable(text, part);
        lb_release(part);
        lb_buffer_print(text, "'\\''");
    }
    app_print_readable(text, word);
    if (!plain) lb_buffer_print(text, "'");
}
