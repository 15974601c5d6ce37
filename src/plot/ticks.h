/* Round numbers along an axis. */
#ifndef LB_TICKS_H
#define LB_TICKS_H

#include <stdbool.h>

enum { LB_MAX_TICKS = 32, LB_TICK_TEXT = 32 };

/** The ticks of an axis, in ascending order. */
typedef struct lb_ticks {
    int count;
    double value[LB_MAX_TICKS];
    double step;  /* linear axes: distance between ticks, 1, 2 or 5 times a power of ten */
    int decimals; /* linear axes: decimals needed to tell all ticks apart */
    bool log;     /* powers of ten and their multiples */
} lb_ticks;

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

#endif
