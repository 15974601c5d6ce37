#include "plot/axis.h"

#include "base/format.h"
#include "plot/color.h"
#include "plot/figure.h"

#include <assert.h>
#include <limits.h>
#include <math.h>

/* ---- Ticks. ---- */

/* Tolerance for rounding such as 0.1 + 0.1 + 0.1 > 0.3, as a fraction of the step. */
static const double tolerance = 1e-9;

double lb_nice_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double part = least / power;
    double nice = part <= 1 + tolerance ? 1 : part <= 2 + tolerance ? 2 : part <= 5 + tolerance ? 5 : 10;
    return nice * power;
}

static bool usable(double low, double high)
{
    return isfinite(low) && isfinite(high) && isfinite(high - low) && low < high;
}

/* The smallest nice step with no more than `most` ticks in the range. */
static double find_step(double low, double high, int most)
{
    double step = lb_nice_step((high - low) / most);
    while (floor(high / step + tolerance) - ceil(low / step - tolerance) + 1 > most)
        step = lb_nice_step(step * 1.5);
    return step;
}

static int clamp_count(int most)
{
    return most < 2 ? 2 : most < LB_MAX_TICKS ? most : LB_MAX_TICKS - 1;
}

lb_ticks lb_ticks_linear(double low, double high, int most)
{
    lb_ticks ticks = {0};
    if (!usable(low, high)) return ticks;
    ticks.step = find_step(low, high, clamp_count(most));
    ticks.decimals = (int)fmax(0, -floor(log10(ticks.step) + tolerance));
    double first = ceil(low / ticks.step - tolerance), last = floor(high / ticks.step + tolerance);
    for (double i = first; i <= last && ticks.count < LB_MAX_TICKS; i++)
        ticks.value[ticks.count++] = i * ticks.step + 0.0; /* + 0.0: no negative zero */
    return ticks;
}

void lb_ticks_widen(double *low, double *high, int most)
{
    if (!usable(*low, *high)) return;
    double step = find_step(*low, *high, clamp_count(most));
    *low = step * floor(*low / step + tolerance);
    *high = step * ceil(*high / step - tolerance);
}

/* Adds every `every`-th power of ten, times each factor, if it is in the range. Returns their number, even if there is
 * no room for all. */
static int add_powers(lb_ticks *ticks, double low, double high, int every, const double *factors, int count)
{
    int found = 0, last = (int)ceil(log10(high));
    ticks->count = 0;
    for (int power = (int)floor(log10(low) + tolerance); power <= last; power += every) {
        for (int f = 0; f < count; f++) {
            double value = factors[f] * pow(10, power);
            if (value < low * (1 - tolerance) || value > high * (1 + tolerance)) continue;
            if (ticks->count < LB_MAX_TICKS) ticks->value[ticks->count++] = value;
            found++;
        }
    }
    return found;
}

lb_ticks lb_ticks_log(double low, double high, int most)
{
    lb_ticks ticks = {.log = true};
    if (!usable(low, high) || low <= 0) return ticks;
    static const double factors[] = {1, 2, 5, 1, 3};
    most = clamp_count(most);
    if (add_powers(&ticks, low, high, 1, factors, 3) > most &&
        add_powers(&ticks, low, high, 1, factors + 3, 2) > most) {
        int every = 1;
        while (add_powers(&ticks, low, high, every, factors, 1) > most) every++;
    }
    return ticks.count >= 2 ? ticks : lb_ticks_linear(low, high, most);
}

char *lb_tick_format(const lb_ticks *ticks, int index, char text[LB_TICK_TEXT])
{
    assert(index >= 0 && index < ticks->count);
    double value = ticks->value[index];
    double largest = fmax(fabs(ticks->value[0]), fabs(ticks->value[ticks->count - 1]));
    bool plain = !ticks->log && largest < 1e6 && ticks->decimals <= 4;
    if (plain)
        lb_snprintf(text, LB_TICK_TEXT, "%.*f", ticks->decimals, value);
    else
        lb_snprintf(text, LB_TICK_TEXT, "%g", value);
    return text;
}

/* ---- Scales. ---- */

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

lb_color lb_series_color(const lb_chart *chart, const lb_style *style, int64_t index)
{
    lb_color color = chart->series[index].color;
    if (!color.alpha) color = lb_color_series((int)(index % INT_MAX));
    return style->dark ? lb_color_mix(color, lb_rgb(0xFFFFFF), 0.35) : color;
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

lb_axis_scale lb_axis_resolve(const lb_chart *chart, const lb_style *style, lb_axis_side side, int most)
{
    const lb_axis *axis = side == LB_AXIS_X ? &chart->x : side == LB_AXIS_LEFT ? &chart->left : &chart->right;
    lb_axis_scale scale = {.log = axis->log, .ink = lb_style_grey(style, 0x26)};
    int64_t own = 0, other = 0, index = 0;
    for (int64_t s = 0; s < chart->count; s++) {
        bool mine = belongs(&chart->series[s], side);
        if (mine) index = s;
        own += mine;
        other += !mine;
    }
    scale.used = own > 0;
    if (own == 1 && other > 0) scale.ink = lb_series_color(chart, style, index);
    choose_limits(chart, axis, side, most, &scale);
    scale.ticks = (axis->log ? lb_ticks_log : lb_ticks_linear)(scale.low, scale.high, most);
    return scale;
}

double lb_axis_position(const lb_axis_scale *scale, double value)
{
    assert(scale->low < scale->high);
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
