#include "base/progress.h"

#include "base/threads.h"

#include <stddef.h>

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
