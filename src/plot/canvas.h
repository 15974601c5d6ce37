/* The canvas that figures are drawn on: pixels, a PDF page or an SVG document. Drawing functions do not return errors:
 * the canvas remembers the first one, for lb_canvas_status. Lengths are in pixels. All shapes are anti-aliased; integer
 * coordinates give crisp edges. NaN coordinates draw nothing. */
#ifndef LB_CANVAS_H
#define LB_CANVAS_H

#include "plot/color.h"

enum { LB_CANVAS_MAX_SIDE = 32767 };

typedef enum lb_format { LB_FORMAT_PNG, LB_FORMAT_SVG, LB_FORMAT_PDF } lb_format;

/** Options of a canvas. Zero is the default of every field except width and height. */
typedef struct lb_canvas_config {
    int width, height; /* pixels, each 1 to LB_CANVAS_MAX_SIDE */
    lb_format format;
    double dpi;       /* pixels per inch: the printed size; 0: 100, and PNG says nothing */
    bool transparent; /* no white background */
} lb_canvas_config;

/** Frees the canvas. NULL is allowed. */
void lb_canvas_free(lb_canvas *canvas);

/** As it was configured. */
const lb_canvas_config *lb_canvas_about(const lb_canvas *canvas);

/** One pixel of a canvas for LB_FORMAT_PNG; it must exist. */
lb_color lb_canvas_pixel(const lb_canvas *canvas, int x, int y);

/** The complete SVG or PDF document. Nothing can be drawn after this.
 *  Memory: owned by the canvas.    Errors: those of lb_canvas_status. */
LB_MUST_USE lb_status lb_canvas_document(lb_canvas *canvas, const void **bytes, size_t *count,
                                         lb_error *error);

/** LB_OK, or the first error of drawing, also in `error` (may be NULL). After an error the picture is incomplete. */
LB_MUST_USE lb_status lb_canvas_status(const lb_canvas *canvas, lb_error *error);

/** Records an error of drawing, unless there is one already. */
void lb_canvas_fail(lb_canvas *canvas, lb_status status, const char *message);

/** Records LB_ERROR_ARGUMENT for content that cannot be drawn. False if nothing is `wrong`, NULL. */
bool lb_canvas_refuses(lb_canvas *canvas, const char *wrong);

/** Restricts drawing to `area`, rounded to whole pixels. NULL: no restriction. */
void lb_canvas_clip(lb_canvas *canvas, const lb_rect *area);

/** A filled rectangle; partly covered pixels are blended. */
void lb_canvas_rect(lb_canvas *canvas, lb_rect area, lb_color color);

/** The outline of a rectangle, `line` pixels wide, inside its edges. */
void lb_canvas_border(lb_canvas *canvas, lb_rect area, double line, lb_color color);

/** A filled, closed polygon with `count` corners, by the nonzero rule. */
void lb_canvas_polygon(lb_canvas *canvas, const lb_point *corners, size_t count, lb_color color);

/** A line with round ends. */
void lb_canvas_line(lb_canvas *canvas, lb_point from, lb_point to, double width, lb_color color);

/** A line that ends in a triangle, `head` pixels long, with its tip at `to`. */
void lb_canvas_arrow(lb_canvas *canvas, lb_point from, lb_point to, double width, double head,
                     lb_color color);

/** Paths, for all other shapes: moves, lines and cubic curves with two control points. Fill (nonzero rule) or stroke
 *  (round caps and joins) draws the path and starts a new one. */
void lb_canvas_move_to(lb_canvas *canvas, lb_point to);
void lb_canvas_line_to(lb_canvas *canvas, lb_point to);
void lb_canvas_curve_to(lb_canvas *canvas, lb_point first, lb_point second, lb_point to);
void lb_canvas_close_path(lb_canvas *canvas);
void lb_canvas_fill(lb_canvas *canvas, lb_color color);
void lb_canvas_stroke(lb_canvas *canvas, double width, lb_color color);

/* ---- marker.c: markers of the points of a chart, shapes that tell series apart. ---- */

/** A series among those that are drawn in the same place: the first has rank 0. */
typedef struct lb_share {
    int64_t rank, count;
} lb_share;

/** The marker of series `index`, whose shapes repeat after seven, or the sector of the circle that is its share,
 *  clockwise from above. */
void lb_marker_draw(lb_canvas *canvas, int64_t index, lb_point center, double radius, lb_share share,
                    lb_color color);

/* ---- picture.c: canvases for files. ---- */

/** An empty canvas; NULL after an error.
 *  Errors:  LB_ERROR_ARGUMENT if the size is out of range; LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_canvas_open(const lb_canvas_config *config, lb_error *error);

/** The format for a file name: SVG or PDF for .svg or .pdf, in any letter case; any other name gives PNG. */
lb_format lb_picture_format(const char *path);

/** Writes the canvas to the file `path` in its format, atomically: the old file stays until the new one is complete.
 *  Errors:  the status of the canvas if drawing failed; LB_ERROR_WRITE; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_picture_write(lb_canvas *canvas, const char *path, lb_error *error);

#endif
