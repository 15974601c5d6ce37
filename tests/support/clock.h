/* The clock of the system, which can fail. */
#ifndef SUPPORT_CLOCK_H
#define SUPPORT_CLOCK_H

#include <stdbool.h>

/* Whether clock_gettime fails from now on, and leaves another time at each call. This is for all that is linked into the
 * test program: also for Check, which asks for the time after the test. */
void support_fail_clock(bool fails);

#endif
