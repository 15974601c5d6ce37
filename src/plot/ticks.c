#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>

/* Guards against 0.1 + 0.1 + 0.1 > 0.3, as a part of the step. */
static const double tolerance = 1e-9;

static double nice_step(double rough)
{
    double power = pow(10, floor(log10(rough)));
    double part = rough / power;
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
    double step = nice_step((high - low) / most);
    while (floor(high / step + tolerance) - ceil(low / step - tolerance) + 1 > most)
        step = nice_step(step * 1.5);
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

lb_ticks lb_ticks_log(double low, double high, int most)
{
    lb_ticks ticks = {.log = true};
    if (!usable(low, high) || low <= 0) return ticks;
    int first = (int)floor(log10(low) + tolerance), last = (int)ceil(log10(high) - tolerance);
    int every = (last - first) / clamp_count(most) + 1;
    bool between = 3 * (last - first) <= most;
    static const double factors[] = {1, 2, 5};
    for (int power = first; power <= last; power += every) {
        for (int f = 0; f < (between ? 3 : 1); f++) {
            double value = factors[f] * pow(10, power);
            bool inside = value >= low * (1 - tolerance) && value <= high * (1 + tolerance);
            if (inside && ticks.count < LB_MAX_TICKS) ticks.value[ticks.count++] = value;
        }
    }
    return ticks;
}

char *lb_tick_format(const lb_ticks *ticks, int index, char text[LB_TICK_TEXT])
{
    double value = ticks->value[index];
    double largest = fmax(fabs(ticks->value[0]), fabs(ticks->value[ticks->count - 1]));
    bool plain = !ticks->log && largest < 1e6 && ticks->decimals <= 4;
    if (plain)
        snprintf(text, LB_TICK_TEXT, "%.*f", ticks->decimals, value);
    else
        snprintf(text, LB_TICK_TEXT, "%.*g", ticks->log ? 3 : 6, value);
    return text;
}
