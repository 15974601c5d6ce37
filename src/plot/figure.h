/* Figures: panels in rows and columns, with a title and, if they share a scale, one colour bar. */
#ifndef LB_FIGURE_H
#define LB_FIGURE_H

#include "lookback/plot.h"
#include "plot/color_bar.h"
#include "plot/panel.h"
#include <stddef.h>

/** Draws the figure; each column is as wide and each row as high as its largest panel. NULL after an error.
 *  Errors:  LB_ERROR_ARGUMENT (no panels, too large, an invalid panel); LB_ERROR_MEMORY.
 *  Memory:  freed by lb_canvas_free. */
LB_MUST_USE lb_canvas *lb_figure_draw(const lb_figure *figure, lb_format format, lb_error *error);

#endif
