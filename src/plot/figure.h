/* Figures: panels in rows and columns, with a title and, where they share a scale, one colour bar. */
#ifndef LB_FIGURE_H
#define LB_FIGURE_H

#include "plot/color_bar.h"
#include "plot/panel.h"

#include <stddef.h>

/** A figure. Zero is the default of everything but the first line. */
typedef struct lb_figure {
    const lb_panel *panels; /* row by row */
    size_t count;
    size_t columns;             /* 0: all panels in one row */
    const char *title;          /* NULL: none */
    const lb_color_bar *bar;    /* one colour bar at the right, for all panels; NULL: none */
    double dpi;                 /* pixels per inch; text sizes and widths follow. 0: 100; 10 to 1200 */
    const lb_font *font, *bold; /* NULL: built-in DejaVu Sans; `bold` NULL: `font` */
} lb_figure;

/** Draws the figure; each column is as wide and each row as high as its largest panel. NULL if that fails.
 *  Errors:  LB_ERROR_ARGUMENT (no panels, too large, what a panel does not like); LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_figure_draw(const lb_figure *figure, lb_error *error);

/** Draws the figure into a PNG file.    Errors: those of lb_figure_draw; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_figure_save(const lb_figure *figure, const char *path, lb_error *error);

#endif
