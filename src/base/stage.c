#include "base/stage.h"

#include <stddef.h>

static lb_stage_fn *watcher;

void lb_stage_watch(lb_stage_fn *watch)
{
    watcher = watch;
}

void lb_stage_begin(const char *name, const char *direction)
{
    if (watcher) watcher(name, direction);
}

void lb_stage_end(void)
{
    if (watcher) watcher(NULL, NULL);
}
