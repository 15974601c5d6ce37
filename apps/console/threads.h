/* How threads wait for each other. */
#ifndef APP_THREADS_H
#define APP_THREADS_H

#include <stdbool.h>

/** Makes waiting threads sleep after about 100 microseconds; by default, OpenMP runtimes spin for milliseconds. On a
 *  shared machine, a spinning thread occupies the processor that the thread it waits for needs, and a training step
 *  takes ten times as long. The runtimes read this setting from the environment when they are loaded, so the program
 *  restarts itself once, unless app_choose_threads came before. Does nothing if the user has set OMP_WAIT_POLICY or the
 *  runtime's own variable. Call it before anything else. */
void app_settle_threads(char **argv);

/** Sets the environment for this, where the user has not. Returns whether it has changed. For runtimes that are not
 *  loaded yet. */
bool app_choose_threads(void);

#endif
