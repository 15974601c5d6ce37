/* The axes of charts and colour bars: round numbers along them, and scales from numbers to pixels. */
#ifndef LB_AXIS_H
#define LB_AXIS_H

#include "lookback/plot.h"

enum { LB_MAX_TICKS = 32, LB_TICK_TEXT = 32 };

/** The ticks of an axis, in ascending order. */
typedef struct lb_ticks {
    int count;
    double value[LB_MAX_TICKS];
    double step;  /* linear axes: distance between ticks, 1, 2 or 5 times a power of ten */
    int decimals; /* linear axes: decimals needed to tell all ticks apart */
    bool log;     /* powers of ten and their multiples */
} lb_ticks;

/** The smallest number of 1, 2 or 5 times a power of ten that is not less than `least` > 0, but for rounding. */
double lb_nice_step(double least);

/** At most `most` ticks (2 to LB_MAX_TICKS - 1) within [low, high], steps of 1, 2 or 5 times a power of ten.
 *  None if the range is empty or not finite. Source: Heckbert 1990, "Nice numbers for graph labels", Graphics Gems. */
lb_ticks lb_ticks_linear(double low, double high, int most);

/** Moves `low` and `high` outwards to the nearest ticks of the step that lb_ticks_linear chooses. */
void lb_ticks_widen(double *low, double *high, int most);

/** At most `most` ticks of a logarithmic axis, 0 < low < high: powers of ten, and their multiples by 2 and 5, or by 3,
 *  if there is room. If the range is too short for two of them, the ticks of a linear axis. */
lb_ticks lb_ticks_log(double low, double high, int most);

/** Writes the label of tick `index` into `text` and returns it: "0.25", "1500", "1e-05". */
char *lb_tick_format(const lb_ticks *ticks, int index, char text[LB_TICK_TEXT]);

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
lb_axis_scale lb_axis_resolve(const lb_chart *chart, const lb_style *style, lb_axis_side side, int most);

/** The position of a value: 0 at the low end, 1 at the high end; not finite if it cannot be drawn. */
double lb_axis_position(const lb_axis_scale *scale, double value);

double lb_series_x(const lb_series *series, int64_t index);

/** Lighter in a dark figure. */
lb_color lb_series_color(const lb_chart *chart, const lb_style *style, int64_t index);

/** The width in pixels of the widest label of some ticks. */
double lb_ticks_width(const lb_ticks *ticks, const lb_style *style);

#endif
