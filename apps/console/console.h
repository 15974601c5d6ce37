/* Output and exit of the programs: results on standard output, one clear line per problem on standard error, requests
 * to stop, and an exit status that tells a script what went wrong. */
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include <lookback/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

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

/** Flushes standard output, for a program that answers while it runs. Returns false if that fails: the program should
 *  then stop, and app_close_stdout reports why. */
LB_MUST_USE bool app_flush_stdout(void);

/** Closes standard output, as the last step of a main. Returns `status`, or 74 if that is 0 and some output was lost.
 *  Reports lost output, unless the reader of a pipe has just closed it. */
int app_close_stdout(int status);

/* ---- The line of a terminal that is redrawn in place, as a bar is. Other output erases it first. ---- */

/** From now on the last line of this terminal is such a line. NULL: no longer. */
void app_redrawn_line_is(FILE *terminal);

/** Whether there is one. */
bool app_has_redrawn_line(void);

/** Erases it, if there is one. */
void app_erase_redrawn_line(void);

/* ---- Ctrl-C, SIGTERM and SIGUSR1 as a request to stop, for programs that have something to save. ---- */

/** Erases the line of the cursor on a terminal. */
#define APP_ERASE_LINE "\r\033[K"

/** From now on, the first SIGINT, SIGTERM or SIGUSR1 is only recorded; the next one kills, as without a handler.
 *  Signals that were ignored at the start stay ignored. May be called again. */
void app_catch_interrupts(void);

/** All of them kill again. A recorded signal stays recorded. */
void app_release_interrupts(void);

/** From now on, a signal that kills also erases the line of the cursor on standard error, if nothing else is done about
 *  that signal. False: no longer. */
void app_erase_on_interrupt(bool erase);

/** Whether a signal has been recorded. An lb_stop_fn: the context is not used. */
bool app_interrupted(void *context);

/** The exit status of an interrupted program: 128 plus the number of the signal. */
int app_interrupt_status(void);

/* ---- ranks.c: errors, which one of several ranks reports. ---- */

/** Prints the error with `app_warn`. Returns the exit status. */
int app_fail(const lb_error *error);

#endif
