#include "base/clock.h"

#include <time.h>

enum { NANOSECONDS = 1000000000 };

int64_t lb_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}
