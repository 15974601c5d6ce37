/* Ctrl-C, SIGTERM and SIGUSR1 as a request to stop, for programs that have something to save. */
#ifndef APP_INTERRUPT_H
#define APP_INTERRUPT_H

#include <stdbool.h>

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

#endif
