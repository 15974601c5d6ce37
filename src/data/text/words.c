/* Text as words, and in lower case. */
#include "data/text/symbols.h"

#include "base/alloc.h"

#include <utf8proc.h>

void lb_text_replace(char *text, const char *what, const char *by)
{
    char *to = text;
    for (const char *at = text, *stop; *at; at = stop) {
        const char *next = strstr(at, what);
        stop = next ? next + strlen(what) : at + strlen(at);
        const size_t kept = (size_t)((next ? next : stop) - at), length = next ? strlen(by) : 0;
        memmove(to, at, kept);
        memcpy(to + kept, by, length);
        to += kept + length;
    }
    *to = '\0';
}

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

lb_status lb_words_split(const char *text, lb_words *words, lb_error *error)
{
    size_t room = 0;
    char *at = lb_alloc_string(text);
    *words = (lb_words){.letters = at};
    if (at) at += run_length(at, true);
    while (at && *at) {
        if (!lb_alloc_more(&words->word, words->count, &room, sizeof *words->word)) break;
        words->word[words->count++] = at;
        at += run_length(at, false);
        size_t gap = run_length(at, true);
        *at = '\0'; /* the end of the word */
        at += gap;
    }
    return at && !*at ? LB_OK : lb_no_memory(error, "the words of a text");
}

void lb_words_free(lb_words *words)
{
    lb_release((void *)words->word);
    lb_release(words->letters);
    *words = (lb_words){0};
}

/* ---- Lower case of all scripts. ---- */

enum { CAPITAL_SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, CAPITAL_I_WITH_DOT = 0x130, DOT_ABOVE = 0x307 };

typedef struct range {
    int32_t first, last;
} range;

/* Characters with case that are not letters by Unicode. */
static const range cased_others[] = {{0xAA, 0xAA},      {0xBA, 0xBA},       {0x2160, 0x217F},
                                     {0x24B6, 0x24E9},  {0x1F130, 0x1F149}, {0x1F150, 0x1F169},
                                     {0x1F170, 0x1F189}};

/* Apostrophes, points and colons that may occur within a word. */
static const range word_punctuation[] = {
    {0x27, 0x27},     {0x2E, 0x2E},     {0x3A, 0x3A},     {0xB7, 0xB7},
    {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
    {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
    {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};

static bool in_ranges(int32_t character, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last) return true;
    return false;
}

/* The Unicode property Cased. */
static bool is_cased(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LT ||
           in_ranges(character, cased_others, sizeof cased_others / sizeof *cased_others);
}

/* The Unicode property Case_Ignorable: characters that a word may contain besides its letters. */
static bool is_ignorable(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME ||
           category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_LM ||
           category == UTF8PROC_CATEGORY_SK ||
           in_ranges(character, word_punctuation, sizeof word_punctuation / sizeof *word_punctuation);
}

/* Bytes of the character at `text`. */
static size_t read_character(const char *text, int32_t *character)
{
    return (size_t)utf8proc_iterate((const utf8proc_uint8_t *)text, -1, character);
}

static size_t write_character(int32_t character, char *text)
{
    return (size_t)utf8proc_encode_char(character, (utf8proc_uint8_t *)text);
}

/* Final_Sigma of the Unicode Standard, table 3-17: there is a letter before it and none after it, apart from ignorable
 * characters. */
static bool is_final(const char *text, const char *sigma, const char *end)
{
    int32_t character = ' ';
    for (const char *at = sigma; at > text;) {
        do at--;
        while (((unsigned char)*at & 0xC0) == 0x80); /* to the start of the character before */
        read_character(at, &character);
        if (!is_ignorable(character)) break;
    }
    if (is_ignorable(character) || !is_cased(character)) return false;
    for (const char *at = sigma + 2; at < end;) {
        at += read_character(at, &character);
        if (!is_ignorable(character)) return !is_cased(character);
    }
    return true;
}

size_t lb_lower_case(const char *text, size_t length, char *lower)
{
    const char *end = text + length;
    char *to = lower;
    for (const char *at = text; at < end;) {
        if ((unsigned char)*at < 0x80) {
            *to++ = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
            at++;
            continue;
        }
        int32_t character;
        size_t bytes = read_character(at, &character);
        int32_t mapped = character == CAPITAL_I_WITH_DOT ? 'i' : utf8proc_tolower(character);
        if (character == CAPITAL_SIGMA && is_final(text, at, end)) mapped = FINAL_SIGMA;
        to += write_character(mapped, to);
        if (character == CAPITAL_I_WITH_DOT) to += write_character(DOT_ABOVE, to);
        at += bytes;
    }
    return (size_t)(to - lower);
}
