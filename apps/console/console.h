/* Output and exit of the programs: results on standard output, one clear line per problem on standard error, and an
 * exit status that tells a script what went wrong. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include <lookback/base.h>

#include <stdbool.h>
#include <stddef.h>

/** Sets the name that begins each message. Makes a write to a closed pipe, or beyond a file size limit, fail instead of
 *  killing the program: a training whose reader is gone still saves its model. `app_options` calls this. `name` must
 *  outlive the program. */
void app_start(const char *name);

/** Sets the name by which the user called the program, such as "lookback train". It replaces the name given to
 *  app_start. `name` must outlive the program. */
void app_called_as(const char *name);

/** The name by which the user called the program; `name` if app_called_as has not set one. */
const char *app_name(const char *name);

/** Turns notes, app_show and progress off or on. Warnings and errors are always printed. */
void app_be_quiet(bool silent);

/** Whether they are off. */
bool app_is_quiet(void);

/** Prints "program: message" on standard error: what happens, with nothing wrong. */
void app_note(const char *format, ...) LB_PRINTF(1, 2);

/** The same for what may be wrong with the command, the data or the result. */
void app_warn(const char *format, ...) LB_PRINTF(1, 2);

/** Prints lines of text on standard error, without the program's name: for text too long for a note. */
void app_show(const char *text);

/** Prints a result, of any length, on standard output. It may have come from a stranger's file, and must not control a
 *  terminal: there, bytes of characters that are not printable become \x1b, but for line ends and tabs. A file or a
 *  pipe gets the text as it is. */
void app_put(const char *text);

/** The same for text with a format. */
void app_print(const char *format, ...) LB_PRINTF(1, 2);

/** The bytes of the character at `text`, if it is printable: valid UTF-8, not a line end, a control character, or one
 *  that turns the direction of the text around. Otherwise 0. */
size_t app_visible(const char *text);

/** Prints the error with `app_warn`. Returns the exit status. */
int app_fail(const lb_error *error);

/** Flushes standard output, for a program that answers while it runs. Returns false if that fails: the program should
 *  then stop, and app_close_stdout reports why. */
LB_MUST_USE bool app_flush_stdout(void);

/** Closes standard output, as the last step of a main. Returns `status`, or 74 if that is 0 and some output was lost.
 *  Reports lost output, unless the reader of a pipe has just closed it. */
int app_close_stdout(int status);

#endif
