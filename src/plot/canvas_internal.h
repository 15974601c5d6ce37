/* Canvas backends: one table of functions for each kind of file. */
#ifndef LB_CANVAS_INTERNAL_H
#define LB_CANVAS_INTERNAL_H

#include "plot/canvas.h"
#include "plot/font.h"

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

/** Coordinates are finite and at most a million. */
typedef struct lb_backend {
    void (*close)(lb_canvas *canvas);
    void (*clip)(lb_canvas *canvas, const lb_rect *whole_pixels);
    void (*rect)(lb_canvas *canvas, lb_rect area, lb_color color);
    void (*move_to)(lb_canvas *canvas, lb_point to);
    void (*line_to)(lb_canvas *canvas, lb_point to);
    void (*curve_to)(lb_canvas *canvas, lb_point first, lb_point second, lb_point to);
    void (*close_path)(lb_canvas *canvas);
    void (*fill)(lb_canvas *canvas, lb_color color);
    void (*stroke)(lb_canvas *canvas, double width, lb_color color);
    /* Not for pixels, where text is drawn as outlines. */
    void (*text)(lb_canvas *canvas, const lb_canvas_text *text);
    /* Ends the document and returns its bytes. */
    void (*document)(lb_canvas *canvas, const void **bytes, size_t *count);
    /* Only a canvas of pixels has this one. */
    lb_color (*pixel)(const lb_canvas *canvas, int x, int y);
} lb_backend;

/** The common first part of all canvases. */
struct lb_canvas {
    const lb_backend *backend;
    lb_canvas_config config;
    lb_error failure;
};

/** Each creates one kind of canvas; NULL if memory runs out. The size must be valid. */
lb_canvas *lb_pixels_open(const lb_canvas_config *config);
lb_canvas *lb_pdf_open(const lb_canvas_config *config);
lb_canvas *lb_svg_open(const lb_canvas_config *config);

#endif
