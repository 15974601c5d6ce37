/* The table of commands, from apps/cli/programs.h. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "cli/options.h"

/** A command. Its `main` takes the arguments, its name first, and returns the exit status. */
typedef struct app_command {
    const char *name, *about;
    int (*main)(int argc, char **argv);
} app_command;

extern const app_command app_commands[];
extern const int app_command_count;

/** The program as a whole. Its examples lead from pairs to a picture. It has no options. */
extern const app_program app_whole;

/** The command with this name; NULL if there is none. */
const app_command *app_command_find(const char *name);

/** Prints a document generated from the options of all commands: the manual pages `man` and `man COMMAND`, or the
 *  completions `bash`, `zsh` and `fish`. `words` are these words, ending with NULL. Returns the exit status. */
int app_generate(const char *const *words);

#endif
