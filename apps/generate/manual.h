/* Manual pages in the man(7) language, from the tables of options. They have no date, so that the same sources give the
 * same pages. */
#ifndef APP_MANUAL_H
#define APP_MANUAL_H

#include "cli/options.h"

/** Writes lookback-COMMAND(1); `about` describes the command in a few words. */
void app_manual_command(const app_program *program, const char *about, FILE *out);

/** Writes lookback(1). */
void app_manual_whole(FILE *out);

#endif
