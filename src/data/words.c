#include "data/symbols.h"

#include "base/alloc.h"

#include <string.h>
#include <utf8proc.h>

/* The white space of Python. */
static bool is_white(int32_t character)
{
    const utf8proc_property_t *property = utf8proc_get_property(character);
    return property->category == UTF8PROC_CATEGORY_ZS || property->bidi_class == UTF8PROC_BIDI_CLASS_WS ||
           property->bidi_class == UTF8PROC_BIDI_CLASS_B || property->bidi_class == UTF8PROC_BIDI_CLASS_S;
}

/* The length in bytes of the initial run of white space, or of other characters. */
static size_t run_length(const char *text, bool white)
{
    size_t length = 0;
    while (text[length]) {
        int32_t character;
        utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text + length, -1, &character);
        if (is_white(character) != white) break;
        length += (size_t)bytes;
    }
    return length;
}

bool lb_words_none(const char *text)
{
    return text[run_length(text, true)] == '\0';
}

static size_t count_words(const char *text)
{
    size_t count = 0;
    for (text += run_length(text, true); *text; text += run_length(text, true)) {
        text += run_length(text, false);
        count++;
    }
    return count;
}

/* Ends each word with a NUL and stores its start. */
static void cut(char *letters, const char **word)
{
    letters += run_length(letters, true);
    while (*letters) {
        *word++ = letters;
        letters += run_length(letters, false);
        size_t gap = run_length(letters, true);
        *letters = '\0';
        letters += gap;
    }
}

lb_status lb_words_split(const char *text, lb_words *words, lb_error *error)
{
    *words = (lb_words){.letters = lb_alloc_string(text)};
    size_t count = words->letters ? count_words(words->letters) : 0;
    words->word = words->letters ? lb_alloc(count * sizeof *words->word) : NULL;
    if (!words->word) return lb_no_memory(error, "the words of a text");
    words->count = count;
    cut(words->letters, words->word);
    return LB_OK;
}

void lb_words_free(lb_words *words)
{
    lb_release((void *)words->word);
    lb_release(words->letters);
    *words = (lb_words){0};
}
