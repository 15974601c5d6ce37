/* A canvas: a picture of opaque pixels to draw on. Drawing cannot fail half-way: what goes wrong is remembered, and
 * lb_canvas_status tells. All shapes are anti-aliased; integer coordinates give crisp edges. */
#ifndef LB_CANVAS_H
#define LB_CANVAS_H

#include "lookback/base.h"
#include "plot/color.h"

#include <stddef.h>
#include <stdint.h>

enum { LB_CANVAS_MAX_SIDE = 32767 };

/** A white canvas of width x height pixels, each 1 to LB_CANVAS_MAX_SIDE; NULL if that fails.
 *  Errors:  LB_ERROR_ARGUMENT if the size is not in that range; LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_canvas_new(int width, int height, lb_error *error);

/** Frees the canvas. NULL is allowed. */
void lb_canvas_free(lb_canvas *canvas);

/** Width in pixels. */
int lb_canvas_width(const lb_canvas *canvas);

/** Height in pixels. */
int lb_canvas_height(const lb_canvas *canvas);

/** The pixels.    Shapes:  [height, width, 3] in the order red, green, blue. Memory: the canvas's own. */
const uint8_t *lb_canvas_pixels(const lb_canvas *canvas);

/** One pixel; it must exist. */
lb_color lb_canvas_pixel(const lb_canvas *canvas, int x, int y);

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

/** Shapes that no function above draws: add edges of closed outlines, then fill them at once. */
void lb_canvas_edge(lb_canvas *canvas, lb_point from, lb_point to);
void lb_canvas_fill(lb_canvas *canvas, lb_color color);

/** Paths of any length: add segments, then draw them at once, so that joints are not darker. */
void lb_canvas_segment(lb_canvas *canvas, lb_point from, lb_point to, double width);
void lb_canvas_stroke(lb_canvas *canvas, lb_color color);

#endif
