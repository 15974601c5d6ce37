/* The scale of a chart axis: from numbers to pixels. */
#ifndef LB_CHART_AXIS_H
#define LB_CHART_AXIS_H

#include "lookback/plot.h"
#include "plot/ticks.h"

typedef enum lb_axis_side { LB_AXIS_X, LB_AXIS_LEFT, LB_AXIS_RIGHT } lb_axis_side;

typedef struct lb_axis_scale {
    bool used; /* a series belongs to it */
    bool log;
    double low, high; /* low < high */
    lb_ticks ticks;
    lb_color ink;
} lb_axis_scale;

/** NULL if the axis can be drawn, otherwise an error message. */
const char *lb_axis_wrong(const lb_axis *axis);

/** Limits, ticks and colour of an axis that has room for `most` labels. */
lb_axis_scale lb_axis_resolve(const lb_chart *chart, lb_axis_side side, int most);

/** The position of a value: 0 at the low end, 1 at the high end; not finite if it cannot be drawn. */
double lb_axis_position(const lb_axis_scale *scale, double value);

/** The x of a point of a series. */
double lb_series_x(const lb_series *series, int64_t index);

/** The colour of a series of the chart. */
lb_color lb_series_color(const lb_chart *chart, int64_t index);

/** The width in pixels of the widest label of some ticks. */
double lb_ticks_width(const lb_ticks *ticks, const lb_style *style);

#endif
