/* SVG. Text stays text, so that a viewer shows any script that its fonts have.
 * Source: W3C 2011, "Scalable Vector Graphics (SVG) 1.1", second edition. */
#include "base/alloc.h"
#include "plot/canvas_internal.h"
#include "plot/font.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

typedef struct svg_canvas {
    lb_canvas base;
    lb_document document, path;
    int clips;
    bool clipped;
} svg_canvas;

static svg_canvas *of(lb_canvas *canvas)
{
    return (svg_canvas *)canvas;
}

static void close(lb_canvas *canvas)
{
    lb_release(of(canvas)->document.bytes);
    lb_release(of(canvas)->path.bytes);
    lb_release(canvas);
}

static void add(lb_canvas *canvas, lb_document *to, const void *bytes, size_t count)
{
    if (!lb_document_add(to, bytes, count)) lb_canvas_fail(canvas, LB_ERROR_MEMORY, "canvas: out of memory");
}

static void add_string(lb_canvas *canvas, lb_document *to, const char *text)
{
    add(canvas, to, text, strlen(text));
}

/* At most three decimals, and a decimal point in every locale. */
static void add_number(lb_canvas *canvas, lb_document *to, double value)
{
    char text[32];
    long long thousandths = llround(value * 1000);
    unsigned long long size = (unsigned long long)(thousandths < 0 ? -thousandths : thousandths);
    int length =
        snprintf(text, sizeof text, "%s%llu.%03llu", thousandths < 0 ? "-" : "", size / 1000, size % 1000);
    while (text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    add(canvas, to, text, (size_t)length);
}

/* Adds text with each '%' replaced by the next number. */
static void add_numbers(lb_canvas *canvas, lb_document *to, const char *text, ...)
{
    va_list numbers;
    va_start(numbers, text);
    for (const char *rest = text; *rest; rest++) {
        size_t plain = strcspn(rest, "%");
        add(canvas, to, rest, plain);
        rest += plain;
        if (*rest == '\0') break;
        add_number(canvas, to, va_arg(numbers, double));
    }
    va_end(numbers);
}

/* ` fill="#102030" fill-opacity="0.5"` */
static void add_color(lb_canvas *canvas, const char *property, lb_color color)
{
    char text[64];
    lb_document *to = &of(canvas)->document;
    snprintf(text, sizeof text, " %s=\"#%02x%02x%02x\"", property, color.red, color.green, color.blue);
    add_string(canvas, to, text);
    if (color.alpha == 255) return;
    snprintf(text, sizeof text, " %s-opacity=\"", property);
    add_string(canvas, to, text);
    add_numbers(canvas, to, "%\"", color.alpha / 255.0);
}

/* Text between tags or in an attribute. XML cannot represent most control characters. */
static void add_escaped(lb_canvas *canvas, const char *text, size_t bytes)
{
    lb_document *to = &of(canvas)->document;
    for (size_t at = 0; at < bytes;) {
        utf8proc_int32_t character;
        utf8proc_ssize_t length =
            utf8proc_iterate((const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(bytes - at), &character);
        bool control = character < 0x20 && character != '\t', none = (character & 0xFFFE) == 0xFFFE;
        if (length <= 0 || control || none)
            add_string(canvas, to, "\uFFFD");
        else if (character == '&')
            add_string(canvas, to, "&amp;");
        else if (character == '<')
            add_string(canvas, to, "&lt;");
        else if (character == '"')
            add_string(canvas, to, "&quot;");
        else
            add(canvas, to, text + at, (size_t)length);
        at += length > 0 ? (size_t)length : 1;
    }
}

static void clip(lb_canvas *canvas, const lb_rect *area)
{
    svg_canvas *c = of(canvas);
    if (c->clipped) add_string(canvas, &c->document, "</g>\n");
    c->clipped = area != NULL;
    if (!area) return;
    char text[96];
    int number = c->clips++;
    snprintf(text, sizeof text, "<clipPath id=\"clip%d\">", number);
    add_string(canvas, &c->document, text);
    add_numbers(canvas, &c->document, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\"/></clipPath>\n",
                area->x, area->y, area->width, area->height);
    snprintf(text, sizeof text, "<g clip-path=\"url(#clip%d)\">\n", number);
    add_string(canvas, &c->document, text);
}

static void rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    lb_document *to = &of(canvas)->document;
    add_numbers(canvas, to, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" shape-rendering=\"crispEdges\"",
                area.x, area.y, area.width, area.height);
    add_color(canvas, "fill", color);
    add_string(canvas, to, "/>\n");
}

static void move_to(lb_canvas *canvas, lb_point to)
{
    add_numbers(canvas, &of(canvas)->path, "M% %", to.x, to.y);
}

static void line_to(lb_canvas *canvas, lb_point to)
{
    add_numbers(canvas, &of(canvas)->path, of(canvas)->path.count ? "L% %" : "M% %", to.x, to.y);
}

static void curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to)
{
    if (of(canvas)->path.count == 0) move_to(canvas, first);
    add_numbers(canvas, &of(canvas)->path, "C% % % % % %", first.x, first.y, second.x, second.y, to.x, to.y);
}

static void close_path(lb_canvas *canvas)
{
    if (of(canvas)->path.count) add_string(canvas, &of(canvas)->path, "Z");
}

/* Writes the path with the attributes `looks`, and begins a new one. */
static void add_path(lb_canvas *canvas, const char *paint, lb_color color, const char *looks, double width)
{
    svg_canvas *c = of(canvas);
    if (c->path.count && color.alpha) {
        add_string(canvas, &c->document, "<path d=\"");
        add(canvas, &c->document, c->path.bytes, c->path.count);
        add_string(canvas, &c->document, "\"");
        add_color(canvas, paint, color);
        add_numbers(canvas, &c->document, looks, width);
        add_string(canvas, &c->document, "/>\n");
    }
    c->path.count = 0;
}

static void fill(lb_canvas *canvas, lb_color color)
{
    add_path(canvas, "fill", color, "", 0);
}

static void stroke(lb_canvas *canvas, double width, lb_color color)
{
    add_path(canvas, "stroke", color,
             " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-width=\"%\"", width);
}

/* The fonts of the chain, then fonts similar to DejaVu, then any. */
static void add_families(lb_canvas *canvas, const lb_font *font)
{
    lb_document *to = &of(canvas)->document;
    add_string(canvas, to, " font-family=\"");
    for (const lb_font *next = font; next; next = lb_font_next(next)) {
        add_string(canvas, to, "'");
        for (const char *letter = lb_font_family(next); *letter; letter += strcspn(letter, "'\\")) {
            if (*letter == '\'' || *letter == '\\') letter++;
            add_escaped(canvas, letter, strcspn(letter, "'\\"));
        }
        add_string(canvas, to, "', ");
    }
    add_string(canvas, to, "Verdana, sans-serif\"");
    if (lb_font_is_bold(font)) add_string(canvas, to, " font-weight=\"bold\"");
}

static void show_text(lb_canvas *canvas, const lb_canvas_text *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const lb_line *line = text->line;
    lb_document *to = &of(canvas)->document;
    if (line->bytes == 0) return;
    int anchor = (int)(2 * text->aligned);
    double x = text->anchor.x, y = text->anchor.y,
           angle = atan2(text->right.y, text->right.x) * 180 / 3.14159265358979;
    add_numbers(canvas, to, "<text x=\"%\" y=\"%\" font-size=\"%\"", x, y, text->size);
    add_string(canvas, to, " text-anchor=\"");
    add_string(canvas, to, anchors[line->leftward ? 2 - anchor : anchor]);
    add_string(canvas, to, line->leftward ? "\" direction=\"rtl\"" : "\"");
    if (angle != 0) add_numbers(canvas, to, " transform=\"rotate(% % %)\"", angle, x, y);
    add_families(canvas, text->font);
    add_color(canvas, "fill", text->color);
    add_string(canvas, to, " xml:space=\"preserve\">");
    add_escaped(canvas, line->text, line->bytes);
    add_string(canvas, to, "</text>\n");
}

static void document(lb_canvas *canvas, const void **bytes, size_t *count)
{
    svg_canvas *c = of(canvas);
    clip(canvas, NULL);
    add_string(canvas, &c->document, "</svg>\n");
    *bytes = c->document.bytes;
    *count = c->document.count;
}

static const lb_backend backend = {.close = close,
                                   .clip = clip,
                                   .rect = rect,
                                   .move_to = move_to,
                                   .line_to = line_to,
                                   .curve_to = curve_to,
                                   .close_path = close_path,
                                   .fill = fill,
                                   .stroke = stroke,
                                   .text = show_text,
                                   .document = document};

lb_canvas *lb_svg_open(const lb_canvas_config *config)
{
    svg_canvas *c = lb_alloc_zero(sizeof *c);
    if (!c) return NULL;
    c->base = (lb_canvas){.backend = &backend, .config = *config};
    double width = config->width, height = config->height, inch = config->dpi > 0 ? config->dpi : 100;
    add_numbers(
        &c->base, &c->document,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%in\" height=\"%in\" viewBox=\"0 0 % %\">\n",
        width / inch, height / inch, width, height);
    if (!config->transparent) rect(&c->base, (lb_rect){0, 0, width, height}, lb_rgb(0xFFFFFF));
    if (lb_canvas_status(&c->base, NULL) == LB_OK) return &c->base;
    close(&c->base);
    return NULL;
}
