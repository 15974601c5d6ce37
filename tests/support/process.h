/* Runs a program like a user, and keeps its output. */
#ifndef SUPPORT_PROCESS_H
#define SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/** How to run a program. Zero means the default. On a terminal, TERM is xterm, and NO_COLOR is not set. */
typedef struct support_command {
    const char *const *argv;        /* argv[0] is the path of the program, such as BIN_DIR "/lookback" */
    const char *const *environment; /* changes: "NAME=value" sets, "NAME" alone removes; ends with NULL */
    const char *directory;          /* where to run it; default: here */
    const char *input;              /* standard input; default: empty */
    size_t input_length;            /* of input; default: up to its NUL */
    const char *input_path;         /* standard input is this file; NULL: a pipe with `input` */
    const char *output_path; /* standard output goes to this file, such as /dev/full; NULL: it is captured */
    bool close_output;       /* standard output is a pipe without a reader */
    bool terminal_output;    /* standard output is a terminal of its own; false: it is a pipe */
    int terminal_columns;    /* standard error is a terminal that wide; 0: it is a pipe */
    const char *stop;        /* at an event, as support/stop.h plans it; NULL: never */
    const char
        *stuck; /* a text on standard error after which the program may hang: then it is killed; NULL: none */
} support_command;

/** The result of a program. Texts end with a NUL, which the lengths do not count. */
typedef struct support_result {
    int status; /* exit status, or 128 + the number of the signal that ended it */
    char *output, *error;
    size_t output_length, error_length;
} support_result;

/** Runs the program to its end, and waits for what it has left behind in its group if it was to be stopped. One that
 *  hangs is killed, and fails the test. False if it could not be started. Free the result in any case. */
bool support_run_command(const support_command *command, support_result *result);

/** The same in place of an earlier result. Asserts that it started and came to its end. */
void support_run_as(const support_command *command, support_result *result);

/** The same with only arguments and a text on standard input (NULL: none). */
bool support_run(const char *const argv[], const char *input, support_result *result);

/** The same in the test's folder, in place of an earlier result. Asserts that it started and came to its end. */
void support_run_in_tempdir(const char *const argv[], const char *input, support_result *result);

/** The same with the words of the command. */
#define SUPPORT_RUN(result, input, ...)                                                                      \
    support_run_in_tempdir((const char *const[]){__VA_ARGS__, NULL}, input, result)

/** Asserts the exit status and the complete output. */
void support_expect(const support_result *result, int status, const char *output, const char *error);

/** Runs the program again and again, killed with its children at its first call for files, at its second, ..., later at
 *  every few more, until it comes to its end. The last result is kept. Returns how often it was killed. */
int support_kill_until_done(support_command command, support_result *result);

/** Opens a terminal that wide, which passes on unchanged what is written to it. Without one, the rest of the test is
 *  skipped. */
void support_open_terminal(int columns, int *master, int *slave);

/** The same, for a test whose programs open one. */
void support_need_terminal(void);

void support_result_free(support_result *result);

#endif
