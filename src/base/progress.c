#include "base/progress.h"

#include "base/threads.h"

#include <stddef.h>
#include <time.h>

enum { NANOSECONDS = 1000000000 };

int64_t lb_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec;
}

/* ---- Stages. ---- */

static lb_stage_fn *watcher;

void lb_stage_watch(lb_stage_fn *watch)
{
    watcher = watch;
}

void lb_stage_begin(const char *name, const char *direction)
{
    if (watcher && !lb_in_parallel()) watcher(name, direction);
}

void lb_stage_end(void)
{
    if (watcher && !lb_in_parallel()) watcher(NULL, NULL);
}
