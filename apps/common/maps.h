/* The figure of one matrix or of many: a panel for each map of attention. */
#ifndef APP_MAPS_H
#define APP_MAPS_H

#include "common/matrix.h"

#include "plot/figure.h"

enum { APP_MAP_NAME = 64 };

/** Which numbers the colours span. Zero leaves the choice to the data. */
typedef struct app_range {
    enum { APP_RANGE_CHOSEN, APP_RANGE_DATA, APP_RANGE_GIVEN } kind;
    double min, max; /* with APP_RANGE_GIVEN */
} app_range;

/** Reads "data" or "LOW..HIGH", such as "0..1"; NULL leaves the choice to the data.
 *  Errors: LB_ERROR_ARGUMENT. */
LB_MUST_USE lb_status app_range_parse(const char *text, app_range *range, lb_error *error);

/** The looks of the figure. */
typedef struct app_maps_style {
    const char *title;
    lb_colormap colormap;
    app_range range;
    bool no_values; /* in the cells */
    double dpi;
    lb_format format;
    bool transparent;            /* no white behind */
    const lb_font *font;         /* NULL: the built-in one */
    char (*names)[APP_MAP_NAME]; /* [count] of the matrices, for their titles; NULL: there is only one */
} app_maps_style;

/** Draws every layer and head of `count` matrices: a row for each matrix or layer that has several maps, else side by
 *  side in about a square. Panels share one scale and one colour bar. Where the range is not given, the scale goes from
 *  0 to 1, or over the data if some lie outside or all lie below a half; the bar says so. NULL if that fails. Memory: freed by lb_canvas_free. Errors: those of lb_figure_draw. */
lb_canvas *app_maps_draw(const app_maps_style *style, const app_matrix *matrices, size_t count,
                         lb_error *error);

#endif
