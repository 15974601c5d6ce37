/* Waits for a state, however long it takes: no test is wrong because it comes late. */
#ifndef SUPPORT_WAIT_H
#define SUPPORT_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

/** Seconds after which a wait counts as a hang. It is a guard, and no test depends on it. */
extern int support_hang_seconds;

/** Looks again and again until `state` returns true. Returns false after support_hang_seconds, and says on standard
 *  error that it has waited so long for `what`. */
bool support_wait_until(bool (*state)(void *context), void *context, const char *what);

/** Waits until a process sleeps, in a call of the system that blocks. */
bool support_wait_until_asleep(pid_t process);

#endif
