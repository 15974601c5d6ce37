#include "console/redrawn_line.h"

#include "console/interrupt.h"

static FILE *redrawn; /* NULL: there is none */

void app_redrawn_line_is(FILE *terminal)
{
    redrawn = terminal;
}

bool app_has_redrawn_line(void)
{
    return redrawn;
}

void app_erase_redrawn_line(void)
{
    if (redrawn) fputs(APP_ERASE_LINE, redrawn);
    redrawn = NULL;
}
