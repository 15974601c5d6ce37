/* Documents that are made from the tables of options. */
#ifndef APP_GENERATE_H
#define APP_GENERATE_H

#include "cli/options.h"

/* ---- completion.c: completion for three shells. ---- */

/** A script, piece by piece: its beginning, the list of the commands, then their options, and its end. */
typedef struct app_completion {
    const char *shell;
    const char *begin;
    void (*about)(const char *name, const char *about, FILE *out);
    const char *options; /* between the list and the options */
    void (*command)(const app_program *program, FILE *out);
    const char *end;
} app_completion;

/** The completion for "bash", "zsh" or "fish"; otherwise NULL. */
const app_completion *app_completion_find(const char *shell);

/* ---- manual.c: manual pages in the man(7) language. They have no date, so that the same sources give the
 * same pages. ---- */

/** Writes lookback-COMMAND(1); `about` describes the command in a few words. */
void app_manual_command(const app_program *program, const char *about, FILE *out);

/** Writes lookback(1). */
void app_manual_whole(FILE *out);

#endif
