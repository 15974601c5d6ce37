/* How a program of Lookback speaks and ends: results on standard output, one clear line for each trouble on
 * standard error, and an exit status that tells a script what went wrong. */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include <lookback/base.h>

#include <stdbool.h>
#include <stddef.h>

/** Sets the name that begins each message, and lets a write to a closed pipe, or beyond a limit on file sizes, fail
 *  instead of killing the program:
 *  a training whose reader has gone still saves its model. `app_options` calls it. `name` must outlive the program. */
void app_start(const char *name);

/** Says by which name the user has called the program, such as "lookback train": from now on it stands in the place of
 *  the one that app_start is given. `name` must outlive the program. */
void app_called_as(const char *name);

/** The name by which the user has called the program; `name` where nobody said another. */
const char *app_name(const char *name);

/** Prints "program: message" on standard error. */
void app_note(const char *format, ...) LB_PRINTF(1, 2);

/** Prints lines of text on standard error, without the program's name: what is too long for a note. */
void app_show(const char *text);

/** Bytes of the character at `text`, if it can be shown: UTF-8, and none that ends the line or steers the terminal.
 *  Otherwise 0. */
size_t app_visible(const char *text);

/** Prints the error as `app_note` would. Returns the status to exit with. */
int app_fail(const lb_error *error);

/** Sends off what has been printed: for a program that answers while it runs. False if it does not arrive any more:
 *  then there is no point in going on, and app_close_stdout tells why. */
LB_MUST_USE bool app_flush_stdout(void);

/** Closes standard output: the last act of a main. Returns `status`; or 74 if that is 0 and something that had been
 *  written did not arrive. Says so, unless the reader of a pipe has just had enough. */
int app_close_stdout(int status);

#endif
