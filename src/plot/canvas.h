/* A canvas: what figures are drawn on, be it pixels, a page of PDF or an SVG document. Drawing cannot fail half-way:
 * what goes wrong is remembered, and lb_canvas_status tells. Lengths are in pixels. All shapes are anti-aliased;
 * integer coordinates give crisp edges. Coordinates that are not numbers draw nothing. */
#ifndef LB_CANVAS_H
#define LB_CANVAS_H

#include "lookback/base.h"
#include "plot/color.h"

#include <stddef.h>
#include <stdint.h>

enum { LB_CANVAS_MAX_SIDE = 32767 };

/** What a canvas becomes as a file. */
typedef enum lb_format { LB_FORMAT_PNG, LB_FORMAT_SVG, LB_FORMAT_PDF } lb_format;

/** A canvas to be made. Zero is the default of what follows the sides. */
typedef struct lb_canvas_config {
    int width, height; /* pixels, each 1 to LB_CANVAS_MAX_SIDE */
    lb_format format;
    double dpi;       /* pixels per inch: how large SVG and PDF are in print; 0: 100 */
    bool transparent; /* no white below the drawing */
} lb_canvas_config;

/** A canvas without a drawing; NULL if that fails.
 *  Errors:  LB_ERROR_ARGUMENT if the size is not in the range; LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_canvas_open(const lb_canvas_config *config, lb_error *error);

/** A white canvas of width x height pixels, for LB_FORMAT_PNG. Errors and memory: as lb_canvas_open. */
LB_MUST_USE lb_canvas *lb_canvas_new(int width, int height, lb_error *error);

/** Frees the canvas. NULL is allowed. */
void lb_canvas_free(lb_canvas *canvas);

/** Width in pixels. */
int lb_canvas_width(const lb_canvas *canvas);

/** Height in pixels. */
int lb_canvas_height(const lb_canvas *canvas);

/** Pixels per inch, as configured; 0 if not. */
double lb_canvas_dpi(const lb_canvas *canvas);

/** What it becomes as a file. */
lb_format lb_canvas_format(const lb_canvas *canvas);

/** Is there no white below the drawing? */
bool lb_canvas_transparent(const lb_canvas *canvas);

/** One pixel, which must exist, of a canvas for LB_FORMAT_PNG. */
lb_color lb_canvas_pixel(const lb_canvas *canvas, int x, int y);

/** What the format's writer has made of the drawing, a whole file but for PNG: an SVG or a PDF document. Afterwards
 *  nothing can be drawn any more.    Memory: the canvas's own.    Errors: those of lb_canvas_status. */
LB_MUST_USE lb_status lb_canvas_document(lb_canvas *canvas, const void **bytes, size_t *count,
                                         lb_error *error);

/** LB_OK, or the first thing that went wrong while drawing, which `error` (may be NULL) then tells. The picture is
 *  incomplete in that case. */
LB_MUST_USE lb_status lb_canvas_status(const lb_canvas *canvas, lb_error *error);

/** Remembers that drawing failed and why; the first failure stays. */
void lb_canvas_fail(lb_canvas *canvas, lb_status status, const char *message);

/** From now on only pixels inside of `area`, rounded to whole pixels, change. NULL: all pixels. */
void lb_canvas_clip(lb_canvas *canvas, const lb_rect *area);

/** A filled rectangle; pixels that it covers in part are blended. */
void lb_canvas_rect(lb_canvas *canvas, lb_rect area, lb_color color);

/** The outline of a rectangle, `line` pixels wide, inside of its edges. */
void lb_canvas_border(lb_canvas *canvas, lb_rect area, double line, lb_color color);

/** A filled polygon of `count` corners, closed, by the nonzero rule. */
void lb_canvas_polygon(lb_canvas *canvas, const lb_point *corners, size_t count, lb_color color);

/** A line with round ends. */
void lb_canvas_line(lb_canvas *canvas, lb_point from, lb_point to, double width, lb_color color);

/** A line whose end is a triangle of length `head` pixels with its tip at `to`. */
void lb_canvas_arrow(lb_canvas *canvas, lb_point from, lb_point to, double width, double head,
                     lb_color color);

/** Shapes that no function above draws: a path is made of moves, lines and curves (cubic, with two control points),
 *  then filled by the nonzero rule or drawn as a line with round ends and joints, at once. Both end the path. */
void lb_canvas_move_to(lb_canvas *canvas, lb_point to);
void lb_canvas_line_to(lb_canvas *canvas, lb_point to);
void lb_canvas_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to);
void lb_canvas_close_path(lb_canvas *canvas);
void lb_canvas_fill(lb_canvas *canvas, lb_color color);
void lb_canvas_stroke(lb_canvas *canvas, double width, lb_color color);

#endif
