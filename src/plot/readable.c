/* Makes the invisible and missing characters of a text visible, for labels in pictures. */
#include "plot/font.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

enum {
    CIRCLE = 0x25CC,
    OPEN_BOX = 0x2423,
    GROWTH = 12 /* maximum bytes for one byte of text: "U+10FFFF", or a circle before it */
};

int32_t lb_text_next(const char **text)
{
    utf8proc_int32_t character;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &character);
    *text += bytes > 0 ? bytes : 1;
    return bytes > 0 ? character : LB_TEXT_INVALID;
}

static char *write_character(char *to, int32_t character)
{
    return to + utf8proc_encode_char(character, (utf8proc_uint8_t *)to);
}

static bool is_mark(int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

static bool is_seen(const lb_font *font, int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return (!font || lb_font_find(font, character)) && category != UTF8PROC_CATEGORY_CC &&
           category != UTF8PROC_CATEGORY_CF;
}

/* Whether all characters are visible, and each mark is in the font of its letter. */
static bool is_all_seen(const lb_font *font, const char *text)
{
    const lb_font *before = NULL;
    while (*text) {
        int32_t character = lb_text_next(&text);
        const lb_font *found = lb_font_find(font, character);
        if (!is_seen(font, character) || (before && is_mark(character) && found != before)) return false;
        before = found;
    }
    return true;
}

/* Writes the composed form into the `room` bytes of `to`; false if it does not fit. */
static bool compose(const char *text, char *to, size_t room)
{
    utf8proc_int32_t *characters = (utf8proc_int32_t *)(void *)to;
    utf8proc_option_t options = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    utf8proc_ssize_t most = (utf8proc_ssize_t)(room / sizeof *characters) - 1;
    utf8proc_ssize_t count = utf8proc_decompose((const utf8proc_uint8_t *)text,
                                                (utf8proc_ssize_t)strlen(text), characters, most, options);
    return count >= 0 && count <= most && utf8proc_reencode(characters, count, options) >= 0;
}

static void write_readable(const lb_font *font, const char *text, char *to)
{
    bool first = true;
    while (*text) {
        int32_t character = lb_text_next(&text);
        bool alone = first && *text == '\0', named = !is_seen(font, character);
        if (alone && utf8proc_category(character) == UTF8PROC_CATEGORY_ZS) {
            named = character != ' ' || !is_seen(font, OPEN_BOX);
            character = named ? character : OPEN_BOX;
        }
        if (first && !named && is_mark(character) && is_seen(font, CIRCLE)) to = write_character(to, CIRCLE);
        to = named ? to + sprintf(to, "U+%04X", (unsigned)character) : write_character(to, character);
        first = false;
    }
    *to = '\0';
}

char *lb_text_readable(const lb_font *font, const char *text)
{
    /* `compose` needs a multiple of the size of a character, and room for one more. */
    size_t room = GROWTH * (strlen(text) + 1);
    char *composed = lb_alloc(room), *readable = lb_alloc(room);
    if (composed && readable) {
        bool helps = !is_all_seen(font, text) && compose(text, composed, room) && is_all_seen(font, composed);
        write_readable(font, helps ? composed : text, readable);
    } else {
        lb_release(readable);
        readable = NULL;
    }
    lb_release(composed);
    return readable;
}

size_t lb_text_missing(const lb_font *font, const char *text, int32_t *missing, size_t count, size_t most)
{
    while (*text && count < most) {
        int32_t character = lb_text_next(&text);
        utf8proc_category_t category = utf8proc_category(character);
        bool known = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
                     lb_font_find(font, character);
        for (size_t i = 0; i < count && !known; i++) known = missing[i] == character;
        if (!known) missing[count++] = character;
    }
    return count;
}
