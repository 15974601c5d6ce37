/* A canvas inside: what it has of Cairo or SVG, and the functions that draw on each. */
#ifndef LB_CANVAS_INTERNAL_H
#define LB_CANVAS_INTERNAL_H

#include "base/buffer.h"
#include "plot/canvas.h"
#include "plot/font.h"

#include <cairo.h>

/** One line of text for a document: characters, not outlines. */
typedef struct lb_canvas_text {
    const lb_line *line; /* shaped */
    const lb_font *font; /* the first of the chain */
    double size;         /* em size in pixels */
    lb_point anchor;     /* on the baseline */
    lb_point right;      /* direction of the line, a unit vector */
    double aligned;      /* fraction of the line before the anchor: 0, 0.5 or 1 */
    lb_color color;
} lb_canvas_text;

enum { LB_PAGE_FONTS = 8 };

/** A canvas of Cairo, for pixels and a PDF page, or the text of an SVG document. */
struct lb_canvas {
    lb_canvas_config config;
    lb_error failure;
    lb_buffer document; /* PDF or SVG */
    /* Of Cairo. */
    cairo_t *context;
    cairo_surface_t *surface;
    unsigned char *pixels; /* NULL: a page */
    int font_count;
    const lb_font *font[LB_PAGE_FONTS];     /* [font_count] the fonts used on this page */
    cairo_font_face_t *face[LB_PAGE_FONTS]; /* [font_count] their Cairo fonts */
    /* Of SVG. */
    lb_buffer path;
    int clips;
    bool clipped;
};

/** Each opens one kind of canvas, which has its configuration; false if memory runs out. The size must be valid. */
bool lb_pixels_open(lb_canvas *canvas);
bool lb_pdf_open(lb_canvas *canvas);
bool lb_svg_open(lb_canvas *canvas);

/* ---- canvas_cairo.c ---- */

void lb_cairo_close(lb_canvas *canvas);
void lb_cairo_fill(lb_canvas *canvas, lb_color color);
void lb_cairo_stroke(lb_canvas *canvas, double width, lb_color color);
void lb_pdf_text(lb_canvas *canvas, const lb_canvas_text *text);
void lb_pdf_end(lb_canvas *canvas);

/* ---- canvas_svg.c. Coordinates are finite and at most a million. ---- */

void lb_svg_clip(lb_canvas *c, const lb_rect *area); /* whole pixels */
void lb_svg_rect(lb_canvas *canvas, lb_rect area, lb_color color);
void lb_svg_move_to(lb_canvas *canvas, lb_point to);
void lb_svg_line_to(lb_canvas *canvas, lb_point to);
void lb_svg_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to);
void lb_svg_close_path(lb_canvas *canvas);
void lb_svg_fill(lb_canvas *canvas, lb_color color);
void lb_svg_stroke(lb_canvas *canvas, double width, lb_color color);
void lb_svg_text(lb_canvas *canvas, const lb_canvas_text *text);
void lb_svg_end(lb_canvas *canvas);

#endif
