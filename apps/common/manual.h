/* Manual pages in the language of man(7), from the tables of options. They have no date: the same sources make the same
 * pages. */
#ifndef APP_MANUAL_H
#define APP_MANUAL_H

#include "common/options.h"

/** Writes lookback-COMMAND(1); `about` says in a few words what the command does. */
void app_manual_command(const app_program *program, const char *about, FILE *out);

/** Writes lookback(1) up to its list of commands. */
void app_manual_begin(const app_program *whole, FILE *out);

/** Writes a command into that list. */
void app_manual_entry(const char *name, const char *about, FILE *out);

/** Writes what follows the list. */
void app_manual_end(const app_program *whole, FILE *out);

#endif
