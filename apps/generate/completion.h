/* Shell completion for three shells, from the tables of options. */
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include "cli/options.h"

/** A script, piece by piece: its beginning, the list of the commands, then their options, and its end. */
typedef struct app_completion {
    const char *shell;
    const char *begin;
    void (*about)(const char *name, const char *about, FILE *out);
    const char *options; /* between the list and the options */
    void (*command)(const app_program *program, FILE *out);
    const char *end;
} app_completion;

extern const app_completion app_completion_bash, app_completion_zsh, app_completion_fish;

/** The completion for "bash", "zsh" or "fish"; otherwise NULL. */
const app_completion *app_completion_find(const char *shell);

/** The kind of value of an option. */
typedef enum app_value {
    APP_VALUE_NONE, /* a flag */
    APP_VALUE_WORDS,
    APP_VALUE_FILE, /* or a folder: a model may be either */
    APP_VALUE_FOLDER,
    APP_VALUE_OTHER /* a number or free text */
} app_value;

/** Found from the kind of the option and its metavar. */
app_value app_value_of(const app_option *option);

/** Prints what `as` has for the kind of value of an option. The choices and their aliases, separated by blanks, and
 *  `end` follow that of APP_VALUE_WORDS. */
void app_value_put(const app_option *option, const char *const *as, const char *end, FILE *out);

/** Whether a command line can have it by a name of its own. */
bool app_is_completed(const app_option *option);

#endif
