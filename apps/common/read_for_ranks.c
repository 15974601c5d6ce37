#include "common/read_for_ranks.h"

/* A line that is typed is answered that much later. A batch that is cut where mpirun pauses has other last bits than that
 * of a process which reads the file itself. */
enum { PAUSE_MS = 500 };

void app_read_for_ranks(lb_lines *lines, lb_workers *workers)
{
    if (!workers->group) return;
    lines->pause_ms = PAUSE_MS;
    lines->idle = lb_workers_hold;
    lines->idle_context = workers;
}
