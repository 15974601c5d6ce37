#include "plot/ticks.h"

#include "base/format.h"

#include <math.h>

/* Tolerance for rounding such as 0.1 + 0.1 + 0.1 > 0.3, as a fraction of the step. */
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
    double value = ticks->value[index];
    double largest = fmax(fabs(ticks->value[0]), fabs(ticks->value[ticks->count - 1]));
    bool plain = !ticks->log && largest < 1e6 && ticks->decimals <= 4;
    if (plain)
        lb_snprintf(text, LB_TICK_TEXT, "%.*f", ticks->decimals, value);
    else
        lb_snprintf(text, LB_TICK_TEXT, "%g", value);
    return text;
}
