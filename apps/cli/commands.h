/* The commands of `lookback`; the function NAME_main is the command NAME. cmake/programs.cmake reads these names from
 * here. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "cli/options.h"

/* name, what it does */
#define APP_PROGRAM_LIST(X)                                                                                  \
    X(train, "train a model on pairs of texts, such as words and their sounds")                              \
    X(data, "look at pairs before training on them")                                                         \
    X(reproduce, "train a model again, and compare it with its record")                                      \
    X(join, "combine trained models into an ensemble")                                                       \
    X(predict, "apply a model to lines of text")                                                             \
    X(evaluate, "measure a model, or predictions, against references")                                       \
    X(score, "print the log-probability of given pairs")                                                     \
    X(report, "write a page about what a model does: outputs, attention, errors")                            \
    X(inspect, "show what a model file holds")                                                               \
    X(visualize, "draw where a model looks")                                                                 \
    X(export, "write a model as C or as ONNX")                                                               \
    X(compare, "train a model with each kind of attention, and without")                                     \
    X(sort, "train a model to sort numbers")

/** The main functions, such as predict_main, return the exit status. */
#define APP_PROGRAM_MAIN(name, about) int name##_main(int argc, char **argv);
APP_PROGRAM_LIST(APP_PROGRAM_MAIN)
#undef APP_PROGRAM_MAIN

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
 *  `words` that may come next, which the scripts of shells ask for. `words` are these words, ending with NULL. Returns
 *  the exit status. */
int app_generate(const char *const *words);

/* ---- completion.c ---- */

/** Makes a command pass its table to the reader. */
void app_command_read(const app_command *command, app_table_reader *reader, void *context);

/** Prints what may stand for the last word of a command line, each on a line with a tab and what it means. Where that
 *  is a path it prints ":file" or ":directory". `words` are those behind the name of the program, ending with NULL. */
void app_complete(const char *const *words);

#endif
