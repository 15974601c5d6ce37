/* Line charts: several series over one x axis and one or two y axes, such as loss and exact match over steps. */
#ifndef LB_CHART_H
#define LB_CHART_H

#include "plot/panel.h"

#include <stdbool.h>
#include <stddef.h>

/** One line. Points that are not finite, or not positive on a logarithmic axis, are left out and interrupt the line;
 *  a point without neighbours is a dot. No points at all are no error. */
typedef struct lb_series {
    const char *name; /* in the legend; NULL: not there */
    const double *x;  /* [count]; NULL: 0, 1, 2 ... */
    const double *y;  /* [count] */
    size_t count;
    bool right;     /* belongs to the right y axis */
    lb_color color; /* all zeros: the next one of lb_color_series */
} lb_series;

/** One axis. */
typedef struct lb_axis {
    const char *label; /* NULL: none */
    double min, max;   /* both 0: from the data, for y up to the next ticks */
    bool log;          /* logarithmic */
} lb_axis;

/** A line chart. Zero is the default of everything but the first line. */
typedef struct lb_chart {
    const lb_series *series;
    size_t count;
    const char *title; /* NULL: none */
    lb_axis x, left, right;
    double width, height; /* points; 0: 720 x 432, which is 10 x 6 inches; several in a figure: 504 x 324 */
} lb_chart;

/** The chart as a panel of a figure. The right axis is there if a series belongs to it. An axis with a single series
 *  has the colour of that series where there are two axes.
 *  Errors:  drawing fails with LB_ERROR_ARGUMENT if an axis has limits that are not finite and rising, or not positive
 *           though it is logarithmic, or if there are series or points but no array of them. */
lb_panel lb_chart_panel(const lb_chart *chart);

/** Draws one chart into a PNG file, at 100 dots per inch. For more see plot/figure.h.
 *  Errors:  LB_ERROR_ARGUMENT; LB_ERROR_MEMORY; LB_ERROR_WRITE. */
LB_MUST_USE lb_status lb_chart_save(const lb_chart *chart, const char *path, lb_error *error);

#endif
