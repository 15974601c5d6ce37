/* The figure of one matrix or of many: a panel for each map of attention. */
#ifndef APP_MAPS_H
#define APP_MAPS_H

#include "common/matrix.h"

#include "plot/figure.h"

enum { APP_MAP_NAME = 64 };

/** The looks of the figure. */
typedef struct app_maps_style {
    const char *title;
    lb_colormap colormap;
    bool no_values; /* in the cells */
    double dpi;
    const lb_font *font;         /* NULL: the built-in one */
    char (*names)[APP_MAP_NAME]; /* [count] of the matrices, for their titles; NULL: there is only one */
} app_maps_style;

/** Draws every layer and head of `count` matrices: a row for each matrix or layer that has several maps, else side by
 *  side in about a square. Panels share one scale, 0 to 1 where all values lie there, and one colour bar. NULL if that
 *  fails. Memory: freed by lb_canvas_free. Errors: those of lb_figure_draw. */
lb_canvas *app_maps_draw(const app_maps_style *style, const app_matrix *matrices, size_t count,
                         lb_error *error);

#endif
