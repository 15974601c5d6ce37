/* What draws for a canvas: one table of functions for each kind of file. */
#ifndef LB_BACKEND_H
#define LB_BACKEND_H

#include "plot/canvas.h"
#include "plot/shape.h"

/** One line of text as a document holds it: letters, not outlines. */
typedef struct lb_canvas_text {
    const lb_line *line; /* shaped */
    const lb_font *font; /* the first of the chain */
    double size;         /* pixels: the em */
    lb_point anchor;     /* on the baseline */
    lb_point right;      /* where the line runs: of length 1 */
    double aligned;      /* how much of the line lies before the anchor: 0, 0.5 or 1 */
    lb_color color;
} lb_canvas_text;

/** Coordinates are finite, and no larger than a million. */
typedef struct lb_backend {
    /* Frees what is behind the canvas, and the canvas. */
    void (*close)(lb_canvas *canvas);
    void (*clip)(lb_canvas *canvas, const lb_rect *whole_pixels);
    void (*rect)(lb_canvas *canvas, lb_rect area, lb_color color);
    void (*move_to)(lb_canvas *canvas, lb_point to);
    void (*line_to)(lb_canvas *canvas, lb_point to);
    void (*curve_to)(lb_canvas *canvas, lb_point first, lb_point second, lb_point to);
    void (*close_path)(lb_canvas *canvas);
    void (*fill)(lb_canvas *canvas, lb_color color);
    void (*stroke)(lb_canvas *canvas, double width, lb_color color);
    /* NULL: text is drawn as outlines. */
    void (*text)(lb_canvas *canvas, const lb_canvas_text *text);
    /* Ends a document and gives its bytes; NULL: there are only pixels. */
    void (*document)(lb_canvas *canvas, const void **bytes, size_t *count);
    /* NULL: there are none. */
    lb_color (*pixel)(const lb_canvas *canvas, int x, int y);
} lb_backend;

/** What all kinds of canvas begin with. */
struct lb_canvas {
    const lb_backend *backend;
    lb_canvas_config config;
    lb_error failure;
};

/** Each makes the canvas of one kind, or NULL if there is no memory. The size is one that can be. */
lb_canvas *lb_pixels_open(const lb_canvas_config *config);
lb_canvas *lb_pdf_open(const lb_canvas_config *config);
lb_canvas *lb_svg_open(const lb_canvas_config *config);

/** Bytes that grow: a document as it is written. */
typedef struct lb_document {
    char *bytes;
    size_t count, room;
} lb_document;

/** Adds bytes. False if there is no memory. */
LB_MUST_USE bool lb_document_add(lb_document *document, const void *bytes, size_t count);

#endif
