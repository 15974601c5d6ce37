/* Ctrl-C, SIGTERM and SIGUSR1 as a request to stop, for programs that have something to save. */
#ifndef APP_INTERRUPT_H
#define APP_INTERRUPT_H

#include <stdbool.h>

/** From now on, the first SIGINT, SIGTERM or SIGUSR1 is only recorded; the next one kills, as without a handler.
 *  Signals that were ignored at the start stay ignored. May be called again. */
void app_catch_interrupts(void);

/** All of them kill again. A recorded signal stays recorded. */
void app_release_interrupts(void);

/** Whether a signal has been recorded. An lb_stop_fn: the context is not used. */
bool app_interrupted(void *context);

/** The exit status of an interrupted program: 128 plus the number of the signal. */
int app_interrupt_status(void);

#endif
