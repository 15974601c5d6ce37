/* The line of a terminal that is redrawn in place, as a bar is: what else is written there erases it first. */
#ifndef APP_REDRAWN_LINE_H
#define APP_REDRAWN_LINE_H

#include <stdbool.h>
#include <stdio.h>

/** From now on the last line of this terminal is such a line. NULL: no longer. */
void app_redrawn_line_is(FILE *terminal);

/** Whether there is one. */
bool app_has_redrawn_line(void);

/** Erases it, if there is one. */
void app_erase_redrawn_line(void);

#endif
