/* SVG. Text stays text, so that a viewer shows any script that its fonts have.
 * Source: W3C 2011, "Scalable Vector Graphics (SVG) 1.1", second edition. */
#include "base/buffer.h"
#include "plot/canvas_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* At most three decimals, and a decimal point in every locale. */
static void add_number(lb_buffer *to, double value)
{
    char text[32];
    long long thousandths = llround(value * 1000);
    unsigned long long size = (unsigned long long)(thousandths < 0 ? -thousandths : thousandths);
    int length =
        snprintf(text, sizeof text, "%s%llu.%03llu", thousandths < 0 ? "-" : "", size / 1000, size % 1000);
    while (text[length - 1] == '0') length--;
    if (text[length - 1] == '.') length--;
    lb_buffer_add(to, text, (size_t)length);
}

/* Adds text with each '%' replaced by the next number. */
static void add_numbers(lb_buffer *to, const char *text, ...)
{
    va_list numbers;
    va_start(numbers, text);
    for (const char *rest = text; *rest; rest++) {
        size_t plain = strcspn(rest, "%");
        lb_buffer_add(to, rest, plain);
        rest += plain;
        if (*rest == '\0') break;
        add_number(to, va_arg(numbers, double));
    }
    va_end(numbers);
}

/* ` fill="#102030" fill-opacity="0.5"` */
static void add_color(lb_buffer *to, const char *property, lb_color color)
{
    lb_buffer_print(to, " %s=\"#%02x%02x%02x\"", property, color.red, color.green, color.blue);
    if (color.alpha == 255) return;
    lb_buffer_print(to, " %s-opacity=\"", property);
    add_numbers(to, "%\"", color.alpha / 255.0);
}

/* Text between tags or in an attribute. XML cannot represent most control characters. */
static void add_escaped(lb_buffer *to, const char *text, size_t bytes)
{
    static const char marks[] = "&<>\"";
    static const char *const named[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (const char *at = text, *begin = text; at < text + bytes; begin = at) {
        int32_t character = lb_text_next(&at);
        bool control = character < 0x20 && character != '\t', none = (character & 0xFFFE) == 0xFFFE;
        const char *mark = memchr(marks, *begin, sizeof marks - 1);
        if (character == LB_TEXT_INVALID || control || none)
            lb_buffer_print(to, "\uFFFD");
        else if (mark)
            lb_buffer_print(to, "%s", named[mark - marks]);
        else
            lb_buffer_add(to, begin, (size_t)(at - begin));
    }
}

void lb_svg_clip(lb_canvas *c, const lb_rect *area)
{
    if (c->clipped) lb_buffer_print(&c->document, "</g>\n");
    c->clipped = area != NULL;
    if (!area) return;
    lb_buffer_print(&c->document, "<clipPath id=\"clip%d\">", c->clips);
    add_numbers(&c->document, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\"/></clipPath>\n", area->x,
                area->y, area->width, area->height);
    lb_buffer_print(&c->document, "<g clip-path=\"url(#clip%d)\">\n", c->clips++);
}

void lb_svg_rect(lb_canvas *canvas, lb_rect area, lb_color color)
{
    lb_buffer *to = &canvas->document;
    add_numbers(to, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\" shape-rendering=\"crispEdges\"", area.x,
                area.y, area.width, area.height);
    add_color(to, "fill", color);
    lb_buffer_print(to, "/>\n");
}

void lb_svg_move_to(lb_canvas *canvas, lb_point to)
{
    add_numbers(&canvas->path, "M% %", to.x, to.y);
}

void lb_svg_line_to(lb_canvas *canvas, lb_point to)
{
    add_numbers(&canvas->path, canvas->path.length ? "L% %" : "M% %", to.x, to.y);
}

void lb_svg_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to)
{
    if (canvas->path.length == 0) lb_svg_move_to(canvas, first);
    add_numbers(&canvas->path, "C% % % % % %", first.x, first.y, second.x, second.y, to.x, to.y);
}

void lb_svg_close_path(lb_canvas *canvas)
{
    if (canvas->path.length) lb_buffer_print(&canvas->path, "Z");
}

/* Writes the path with the attributes `looks`, and begins a new one. */
static void add_path(lb_canvas *c, const char *paint, lb_color color, const char *looks, double width)
{
    if (c->path.length && color.alpha) {
        lb_buffer_print(&c->document, "<path d=\"%s\"", c->path.text);
        add_color(&c->document, paint, color);
        add_numbers(&c->document, looks, width);
        lb_buffer_print(&c->document, "/>\n");
    }
    c->path.length = 0;
}

void lb_svg_fill(lb_canvas *canvas, lb_color color)
{
    add_path(canvas, "fill", color, "", 0);
}

void lb_svg_stroke(lb_canvas *canvas, double width, lb_color color)
{
    add_path(canvas, "stroke", color,
             " fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-width=\"%\"", width);
}

/* The fonts of the chain, then fonts similar to DejaVu, then any. */
static void add_families(lb_buffer *to, const lb_font *font)
{
    lb_buffer_print(to, " font-family=\"");
    const lb_font *next = font;
    do {
        lb_buffer_print(to, "'");
        for (const char *letter = next->family; *letter; letter += strcspn(letter, "'\\")) {
            if (*letter == '\'' || *letter == '\\') letter++;
            add_escaped(to, letter, strcspn(letter, "'\\"));
        }
        lb_buffer_print(to, "', ");
        next = next->next;
    } while (next);
    lb_buffer_print(to, "Verdana, sans-serif\"");
    if (font->bold) lb_buffer_print(to, " font-weight=\"bold\"");
}

void lb_svg_text(lb_canvas *canvas, const lb_canvas_text *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    const lb_line *line = text->line;
    lb_buffer *to = &canvas->document;
    if (line->bytes == 0) return;
    int anchor = (int)(2 * text->aligned);
    double x = text->anchor.x, y = text->anchor.y,
           angle = atan2(text->right.y, text->right.x) * 180 / 3.14159265358979;
    add_numbers(to, "<text x=\"%\" y=\"%\" font-size=\"%\"", x, y, text->size);
    lb_buffer_print(to, " text-anchor=\"%s\"%s", anchors[line->leftward ? 2 - anchor : anchor],
                    line->leftward ? " direction=\"rtl\"" : "");
    if (angle != 0) add_numbers(to, " transform=\"rotate(% % %)\"", angle, x, y);
    add_families(to, text->font);
    add_color(to, "fill", text->color);
    lb_buffer_print(to, " xml:space=\"preserve\">");
    add_escaped(to, line->text, line->bytes);
    lb_buffer_print(to, "</text>\n");
}

void lb_svg_end(lb_canvas *canvas)
{
    lb_svg_clip(canvas, NULL);
    lb_buffer_print(&canvas->document, "</svg>\n");
    if (canvas->document.failed || canvas->path.failed)
        lb_error_set(&canvas->failure, LB_ERROR_MEMORY, "canvas: out of memory");
}

bool lb_svg_open(lb_canvas *canvas)
{
    const lb_canvas_config *config = &canvas->config;
    double width = config->width, height = config->height, inch = config->dpi > 0 ? config->dpi : 100;
    add_numbers(
        &canvas->document,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%in\" height=\"%in\" viewBox=\"0 0 % %\">\n",
        width / inch, height / inch, width, height);
    if (!config->transparent) lb_svg_rect(canvas, (lb_rect){0, 0, width, height}, lb_rgb(0xFFFFFF));
    return !canvas->document.failed;
}
