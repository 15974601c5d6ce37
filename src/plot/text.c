#include "plot/text.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <utf8proc.h>

enum { REPLACEMENT = 0xFFFD };

/* The next character of a line; false at its end. A byte that starts no character is U+FFFD. */
static bool next_character(const char **text, int32_t *character)
{
    if (**text == '\0' || **text == '\n') return false;
    utf8proc_int32_t decoded;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &decoded);
    *character = bytes > 0 ? decoded : REPLACEMENT;
    *text += bytes > 0 ? bytes : 1;
    return true;
}

/* Width of the first line as a part of the size; `*text` moves to its end. */
static double line_width(const lb_font *font, const char **text)
{
    double width = 0;
    int32_t character;
    int before = 0;
    while (next_character(text, &character)) {
        int glyph = lb_font_glyph(font, character);
        width += lb_font_kerning(font, before, glyph) + lb_font_advance(font, glyph);
        before = glyph;
    }
    return width;
}

lb_size lb_text_measure(const lb_font *font, double size, const char *text)
{
    lb_font_metrics metrics = lb_font_measure(font);
    double widest = line_width(font, &text);
    int breaks = 0;
    for (; *text == '\n'; breaks++) {
        text++;
        widest = fmax(widest, line_width(font, &text));
    }
    return (lb_size){size * widest, size * (metrics.ascent + metrics.descent + breaks * metrics.line)};
}

/* Where the first baseline is, as far below the anchor as the style says, in pixels of unturned text. */
static double baseline_below(const lb_text_style *style, double height)
{
    lb_font_metrics metrics = lb_font_measure(style->font);
    double further_lines = height - style->size * (metrics.ascent + metrics.descent);
    switch (style->valign) {
    case LB_VALIGN_TOP:
        return style->size * metrics.ascent;
    case LB_VALIGN_MIDDLE:
        return (style->size * metrics.capital - further_lines) / 2;
    case LB_VALIGN_BOTTOM:
        return -style->size * metrics.descent - further_lines;
    default:
        return 0;
    }
}

static double left_of(lb_align align, double width)
{
    return align == LB_ALIGN_LEFT ? 0 : align == LB_ALIGN_CENTER ? -width / 2 : -width;
}

/* Exact for multiples of 90 degrees, whose text then stays crisp. */
static lb_point direction(double angle)
{
    double quarter = angle / 90;
    if (quarter == floor(quarter)) {
        static const lb_point exact[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
        return exact[(int)(quarter - 4 * floor(quarter / 4))];
    }
    double radians = angle * 3.14159265358979323846 / 180;
    return (lb_point){cos(radians), -sin(radians)};
}

static lb_point turned(lb_point right, double x, double y)
{
    return (lb_point){x * right.x - y * right.y, x * right.y + y * right.x};
}

lb_rect lb_text_bounds(const lb_text_style *style, const char *text)
{
    lb_size size = lb_text_measure(style->font, style->size, text);
    lb_point right = direction(style->angle);
    double x = left_of(style->align, size.width);
    double y = baseline_below(style, size.height) - style->size * lb_font_measure(style->font).ascent;
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        double dx = corner & 1 ? size.width : 0, dy = corner & 2 ? size.height : 0;
        lb_point p = turned(right, x + dx, y + dy);
        x0 = fmin(x0, p.x), x1 = fmax(x1, p.x);
        y0 = fmin(y0, p.y), y1 = fmax(y1, p.y);
    }
    return (lb_rect){x0, y0, x1 - x0, y1 - y0};
}

bool lb_text_is_one_character(const char *text)
{
    int32_t before, character;
    utf8proc_int32_t state = 0;
    if (!next_character(&text, &before)) return false;
    for (; next_character(&text, &character); before = character)
        if (utf8proc_grapheme_break_stateful(before, character, &state)) return false;
    return *text == '\0';
}

static void draw_line(lb_canvas *canvas, const lb_text_style *style, lb_glyph_place place, const char **text)
{
    int32_t character;
    int before = 0;
    while (next_character(text, &character)) {
        int glyph = lb_font_glyph(style->font, character);
        double kerning = lb_font_kerning(style->font, before, glyph);
        place.origin.x += kerning * place.right.x;
        place.origin.y += kerning * place.right.y;
        lb_font_draw(style->font, glyph, &place, canvas);
        double advance = lb_font_advance(style->font, glyph);
        place.origin.x += advance * place.right.x;
        place.origin.y += advance * place.right.y;
        before = glyph;
    }
}

/* Upright and sideways text: the baseline and the tops of letters fall on the edges of pixels. */
static void snap(lb_glyph_place *place, const lb_text_style *style)
{
    lb_font_metrics metrics = lb_font_measure(style->font);
    if (place->right.y == 0) place->origin.y = round(place->origin.y);
    if (place->right.x == 0) place->origin.x = round(place->origin.x);
    if (place->right.x != 0 && place->right.y != 0) return;
    place->small = round(metrics.small * style->size) / style->size;
    place->capital = round(metrics.capital * style->size) / style->size;
}

void lb_text_draw(lb_canvas *canvas, const lb_text_style *style, lb_point at, const char *text)
{
    lb_font_metrics metrics = lb_font_measure(style->font);
    lb_point right = direction(style->angle);
    lb_size all = lb_text_measure(style->font, style->size, text);
    double baseline = baseline_below(style, all.height);
    for (const char *line = text;; line++) {
        const char *end = line;
        double width = style->size * line_width(style->font, &end);
        lb_point start = turned(right, left_of(style->align, width), baseline);
        lb_glyph_place place = {.origin = {at.x + start.x, at.y + start.y},
                                .right = {style->size * right.x, style->size * right.y},
                                .up = {style->size * right.y, -style->size * right.x}};
        snap(&place, style);
        draw_line(canvas, style, place, &line);
        if (*line == '\0') break;
        baseline += style->size * metrics.line;
    }
    lb_canvas_fill(canvas, style->color.alpha ? style->color : lb_rgb(0x000000));
}
