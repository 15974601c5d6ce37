/* How long something takes. */
#ifndef LB_CLOCK_H
#define LB_CLOCK_H

#include <stdint.h>

/** Nanoseconds since some moment, by a clock that nobody sets. A clock that fails stands still at 0.
 *  May be called by a handler of signals. */
int64_t lb_clock(void);

#endif
