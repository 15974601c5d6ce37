/* Shell completion for three shells, from the tables of options. */
#ifndef APP_COMPLETION_H
#define APP_COMPLETION_H

#include "cli/options.h"

/** Writes a script piece by piece: begins, lists the commands, then their options, and ends. */
typedef struct app_completion {
    const char *shell;
    void (*begin)(FILE *out);
    void (*about)(const char *name, const char *about, FILE *out);
    void (*options)(FILE *out); /* between the list and the options */
    void (*command)(const app_program *program, FILE *out);
    void (*end)(FILE *out);
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

/** Prints the choices of an option and their aliases, separated by blanks. */
void app_value_words(const app_option *option, FILE *out);

#endif
