#include "plot/fitted_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char ELLIPSIS[] = "\xe2\x80\xa6";

static double width(const lb_font *font, double size, const char *begin, char *end)
{
    char kept = *end;
    *end = '\0';
    double found = lb_text_measure(font, size, begin).width;
    *end = kept;
    return found;
}

/* Ends the line at this blank, or at an earlier one if the ellipsis needs the room. */
static void cut_off(const lb_font *font, double size, double room, const char *line, char *blank)
{
    while (blank) {
        memcpy(blank, ELLIPSIS, sizeof ELLIPSIS);
        if (width(font, size, line, blank + strlen(ELLIPSIS)) <= room) return;
        *blank = '\0';
        char *earlier = strrchr(line, ' ');
        if (!earlier) memcpy(blank, ELLIPSIS, sizeof ELLIPSIS);
        blank = earlier;
    }
}

/* Turns blanks into line breaks. False if that is not enough. */
static bool break_lines(const lb_font *font, double size, const lb_text_room *room, char *text)
{
    bool fits = true;
    char *line = text, *blank = NULL;
    int lines = 1;
    for (char *at = text;; at++) {
        if (*at && *at != ' ') continue;
        bool wide = width(font, size, line, at) > room->width;
        if (wide && blank && lines == room->lines) {
            cut_off(font, size, room->width, line, blank);
            return false;
        }
        if (wide && blank) {
            *blank = '\n';
            line = blank + 1;
            lines++;
            wide = width(font, size, line, at) > room->width;
        }
        fits = fits && !wide;
        blank = at;
        if (!*at) return fits;
    }
}

/* The text without its own line breaks, as far as there is memory for it. */
static void copy_words(const char *text, char *copy)
{
    size_t most = LB_FITTED_TEXT - sizeof ELLIPSIS, length = strlen(text);
    bool cut = length > most;
    if (cut) length = most;
    while (cut && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
    for (size_t i = 0; i < length; i++) copy[i] = text[i] == '\n' ? ' ' : text[i];
    copy[length] = '\0';
    if (cut) memcpy(copy + length, ELLIPSIS, sizeof ELLIPSIS);
}

lb_fitted_text lb_text_fit(const lb_font *font, lb_text_room room, const char *text)
{
    const double step = 0.96;
    lb_fitted_text fitted = {.size = room.largest};
    if (!text || !*text) return fitted;
    fitted.extent = lb_text_measure(font, fitted.size, text);
    if (fitted.extent.width <= room.width && strlen(text) < sizeof fitted.text) {
        snprintf(fitted.text, sizeof fitted.text, "%s", text);
        return fitted;
    }
    for (;; fitted.size = fmax(room.smallest, step * fitted.size)) {
        copy_words(text, fitted.text);
        bool fits = break_lines(font, fitted.size, &room, fitted.text);
        if (fits || fitted.size <= room.smallest) break;
    }
    fitted.extent = lb_text_measure(font, fitted.size, fitted.text);
    return fitted;
}

void lb_fitted_text_draw(lb_canvas *canvas, lb_text_style style, lb_point at, const lb_fitted_text *fitted)
{
    style.size = fitted->size;
    if (*fitted->text) lb_text_draw(canvas, &style, at, fitted->text);
}
