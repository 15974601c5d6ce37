#include "plot/chart_axis.h"

#include "plot/color.h"
#include "plot/panel.h"
#include "plot/text.h"

#include <limits.h>
#include <math.h>

static bool has_limits(const lb_axis *axis)
{
    return axis->min != 0 || axis->max != 0;
}

const char *lb_axis_wrong(const lb_axis *axis)
{
    if (!has_limits(axis)) return NULL;
    if (!(isfinite(axis->min) && isfinite(axis->max) && axis->min < axis->max))
        return "chart: the limits of an axis must be finite, with min < max";
    if (axis->log && axis->min <= 0) return "chart: the limits of a logarithmic axis must be positive";
    return NULL;
}

double lb_series_x(const lb_series *series, int64_t index)
{
    return series->x ? series->x[index] : (double)index;
}

lb_color lb_series_color(const lb_chart *chart, int64_t index)
{
    lb_color color = chart->series[index].color;
    return color.alpha ? color : lb_color_series((int)(index % INT_MAX));
}

static bool drawable(const lb_axis *axis, double value)
{
    return isfinite(value) && (!axis->log || value > 0);
}

static bool belongs(const lb_series *series, lb_axis_side side)
{
    return side == LB_AXIS_X || series->right == (side == LB_AXIS_RIGHT);
}

/* Widens [low, high] to include all drawn values of this axis. */
static void data_range(const lb_chart *chart, lb_axis_side side, double *low, double *high)
{
    for (int64_t s = 0; s < chart->count; s++) {
        const lb_series *series = &chart->series[s];
        if (!belongs(series, side)) continue;
        for (int64_t i = 0; i < series->count; i++) {
            double x = lb_series_x(series, i), y = series->y[i];
            if (!drawable(&chart->x, x) || !drawable(series->right ? &chart->right : &chart->left, y))
                continue;
            *low = fmin(*low, side == LB_AXIS_X ? x : y);
            *high = fmax(*high, side == LB_AXIS_X ? x : y);
        }
    }
}

static void choose_limits(const lb_chart *chart, const lb_axis *axis, lb_axis_side side, int most,
                          lb_axis_scale *scale)
{
    scale->low = axis->min;
    scale->high = axis->max;
    if (has_limits(axis)) return;
    double low = INFINITY, high = -INFINITY;
    data_range(chart, side, &low, &high);
    if (low > high) {
        low = axis->log ? 0.1 : 0;
        high = 1;
    }
    if (axis->log) {
        double room = side == LB_AXIS_X && low < high ? 1 : 1.25;
        low = fmax(low / room, 1e-300);
        high = fmin(high * room, 1e300);
    } else {
        if (low == high) {
            double around = fmax(0.5, fabs(low) / 10);
            low -= around;
            high += around;
        }
        if (side != LB_AXIS_X) lb_ticks_widen(&low, &high, most);
    }
    scale->low = low;
    scale->high = high;
}

lb_axis_scale lb_axis_resolve(const lb_chart *chart, lb_axis_side side, int most)
{
    const lb_axis *axis = side == LB_AXIS_X ? &chart->x : side == LB_AXIS_LEFT ? &chart->left : &chart->right;
    lb_axis_scale scale = {.log = axis->log, .ink = lb_rgb(0x262626)};
    int64_t own = 0, other = 0, index = 0;
    for (int64_t s = 0; s < chart->count; s++) {
        bool mine = belongs(&chart->series[s], side);
        if (mine) index = s;
        own += mine;
        other += !mine;
    }
    scale.used = own > 0;
    if (own == 1 && other > 0) scale.ink = lb_series_color(chart, index);
    choose_limits(chart, axis, side, most, &scale);
    scale.ticks = (axis->log ? lb_ticks_log : lb_ticks_linear)(scale.low, scale.high, most);
    return scale;
}

double lb_axis_position(const lb_axis_scale *scale, double value)
{
    if (!scale->log) return (value - scale->low) / (scale->high - scale->low);
    return value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : NAN;
}

double lb_ticks_width(const lb_ticks *ticks, const lb_style *style)
{
    double widest = 0;
    char text[LB_TICK_TEXT];
    for (int i = 0; i < ticks->count; i++) {
        lb_tick_format(ticks, i, text);
        widest = fmax(widest, lb_text_measure(style->regular, LB_SIZE_TICK * style->point, text).width);
    }
    return widest;
}
