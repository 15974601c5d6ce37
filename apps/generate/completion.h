/* Completion for three shells, from the tables of options. */
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include "cli/options.h"

/** A script, piece by piece: its beginning, the list of the commands, then their options, and its end. */
typedef struct app_completion {
    const char *shell;
    const char *begin;
    void (*about)(const char *name, const char *about);
    const char *options; /* between the list and the options */
    void (*command)(const app_program *program);
    const char *end;
} app_completion;

/** The completion for "bash", "zsh" or "fish"; otherwise NULL. */
const app_completion *app_completion_find(const char *shell);

#endif
