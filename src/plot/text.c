#include "plot/text.h"

#include "plot/canvas_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* Width of the first line as a fraction of the size; `*text` moves to its end. */
static double line_width(const lb_font *font, const char **text)
{
    lb_line line;
    if (lb_line_shape(font, *text, &line)) lb_font_fail(font);
    double width = line.width;
    lb_line_free(&line);
    *text += strcspn(*text, "\n");
    return width;
}

lb_size lb_text_measure(const lb_font *font, double size, const char *text)
{
    lb_font_metrics metrics = font->metrics;
    double widest = line_width(font, &text);
    int breaks = 0;
    for (; *text == '\n'; breaks++) {
        text++;
        widest = fmax(widest, line_width(font, &text));
    }
    return (lb_size){size * widest, size * (metrics.ascent + metrics.descent + breaks * metrics.line)};
}

/* The distance of the first baseline below the anchor, in pixels, before rotation. */
static double baseline_below(const lb_text_style *style, double height)
{
    lb_font_metrics metrics = style->font->metrics;
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

/* The fraction of a line before its anchor. */
static double before_anchor(lb_align align)
{
    return align == LB_ALIGN_LEFT ? 0 : align == LB_ALIGN_CENTER ? 0.5 : 1;
}

/* The direction of a line. It is exact for multiples of 90 degrees, to keep such text crisp. */
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
    double x = -before_anchor(style->align) * size.width;
    double y = baseline_below(style, size.height) - style->size * style->font->metrics.ascent;
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
    utf8proc_int32_t state = 0;
    if (!*text || strchr(text, '\n')) return false;
    for (int32_t character, before = lb_text_next(&text); *text; before = character) {
        character = lb_text_next(&text);
        if (utf8proc_grapheme_break_stateful(before, character, &state)) return false;
    }
    return true;
}

/* For horizontal and vertical text: moves the baseline and the tops of letters to pixel edges. */
static void snap(lb_glyph_place *place, const lb_text_style *style)
{
    lb_font_metrics metrics = style->font->metrics;
    if (place->right.y == 0) place->origin.y = round(place->origin.y);
    if (place->right.x == 0) place->origin.x = round(place->origin.x);
    if (place->right.x != 0 && place->right.y != 0) return;
    place->small = round(metrics.small * style->size) / style->size;
    place->capital = round(metrics.capital * style->size) / style->size;
}

/* Adds the glyphs of a line to the path: all, or only the boxes of missing characters. */
static void draw_outlines(lb_canvas *canvas, const lb_text_style *style, const lb_line *line,
                          lb_glyph_place start, bool boxes_only)
{
    for (size_t i = 0; i < line->count; i++) {
        const lb_glyph *glyph = &line->glyph[i];
        lb_glyph_place place = start;
        place.origin.x += glyph->x * start.right.x + glyph->y * start.up.x;
        place.origin.y += glyph->x * start.right.y + glyph->y * start.up.y;
        if (!glyph->font)
            lb_glyph_draw_box(style->font, &place, canvas);
        else if (!boxes_only)
            lb_glyph_draw(glyph->font, glyph->id, &place, canvas);
    }
}

/* Draws one line; `anchor` is on its baseline. */
static void draw_line(lb_canvas *canvas, const lb_text_style *style, lb_point anchor, lb_point right,
                      const lb_line *line)
{
    double before = before_anchor(style->align) * style->size * line->width;
    lb_glyph_place start = {.origin = {anchor.x - before * right.x, anchor.y - before * right.y},
                            .right = {style->size * right.x, style->size * right.y},
                            .up = {style->size * right.y, -style->size * right.x}};
    const lb_format format = canvas->config.format;
    const lb_canvas_text text = {
        line, style->font, style->size, anchor, right, before_anchor(style->align), style->color};
    if (format == LB_FORMAT_PNG) snap(&start, style);
    if (format == LB_FORMAT_SVG) lb_svg_text(canvas, &text);
    if (format == LB_FORMAT_PDF) lb_pdf_text(canvas, &text);
    if (format != LB_FORMAT_SVG) draw_outlines(canvas, style, line, start, format == LB_FORMAT_PDF);
}

void lb_text_draw(lb_canvas *canvas, const lb_text_style *style, lb_point at, const char *text)
{
    lb_font_metrics metrics = style->font->metrics;
    lb_text_style look = *style;
    lb_point right = direction(style->angle);
    lb_size all = lb_text_measure(style->font, style->size, text);
    double baseline = baseline_below(style, all.height);
    if (look.color.alpha == 0) look.color = lb_rgb(0x000000);
    for (const char *rest = text;; rest++) {
        lb_line line;
        lb_point below = turned(right, 0, baseline);
        if (lb_line_shape(style->font, rest, &line))
            lb_canvas_fail(canvas, LB_ERROR_MEMORY, "text: out of memory");
        else
            draw_line(canvas, &look, (lb_point){at.x + below.x, at.y + below.y}, right, &line);
        lb_line_free(&line);
        rest += strcspn(rest, "\n");
        if (*rest == '\0') break;
        baseline += style->size * metrics.line;
    }
    if (lb_font_failed(style->font)) lb_canvas_fail(canvas, LB_ERROR_MEMORY, "text: out of memory");
    lb_canvas_fill(canvas, look.color);
}

/* ---- Titles that fit. ---- */

static const char ELLIPSIS[] = "\xe2\x80\xa6";

static double part_width(const lb_font *font, double size, const char *begin, char *end)
{
    char kept = *end;
    *end = '\0';
    double found = lb_text_measure(font, size, begin).width;
    *end = kept;
    return found;
}

/* Ends the line at this blank, or at an earlier one if the ellipsis needs the room. */
static void cut_off(const lb_font *font, double size, double room, char *line, char *blank)
{
    while (blank) {
        memcpy(blank, ELLIPSIS, sizeof ELLIPSIS);
        if (part_width(font, size, line, blank + strlen(ELLIPSIS)) <= room) return;
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
        bool wide = part_width(font, size, line, at) > room->width;
        if (wide && blank && lines == room->lines) {
            cut_off(font, size, room->width, line, blank);
            return false;
        }
        if (wide && blank) {
            *blank = '\n';
            line = blank + 1;
            lines++;
            wide = part_width(font, size, line, at) > room->width;
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
