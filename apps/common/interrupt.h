/* Ctrl-C and SIGTERM as a request to come to an end, for programs that have something to save. */
#ifndef APP_INTERRUPT_H
#define APP_INTERRUPT_H

#include <stdbool.h>

/** From now on a first SIGINT or SIGTERM is only remembered; the next one kills, as if nothing had been caught. Signals
 *  that the program was started to ignore stay ignored. May be called again. */
void app_catch_interrupts(void);

/** Both signals kill again. One that was remembered stays so. */
void app_release_interrupts(void);

/** Has such a signal come? An lb_stop_fn: the context is not used. */
bool app_interrupted(void *context);

/** The status with which an interrupted program exits: 128 and the number of the signal. */
int app_interrupt_status(void);

#endif
