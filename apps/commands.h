/* The commands of the program, as a table: what apps/programs.h lists. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "common/options.h"

/** A command. Its `main` takes the command's words, its name first, and returns the status to exit with. */
typedef struct app_command {
    const char *name, *old_name, *about;
    int (*main)(int argc, char **argv);
} app_command;

extern const app_command app_commands[];
extern const int app_command_count;

/** What the program as a whole is, with the way from pairs to a picture as its examples. It has no options. */
extern const app_program app_whole;

/** The command of that name, new or old; NULL if there is none. */
const app_command *app_command_find(const char *name);

/** Writes what others make of the options of all commands: the manual pages `man` and `man COMMAND`, and the completions
 *  `bash`, `zsh` and `fish`. `words` are these, NULL behind the last. Prints it on standard output and returns the status
 *  to exit with. */
int app_generate(const char *const *words);

#endif
