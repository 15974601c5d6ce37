/* How threads wait for each other. */
#ifndef APP_THREADS_H
#define APP_THREADS_H

/** Lets threads that wait fall asleep after some 100 microseconds, where OpenMP's runtimes would have them spin for
 *  milliseconds: on a machine that others use too, a spinning thread holds the processor that the one it waits for
 *  needs, and a training step takes ten times as long. The runtimes read this from the environment when the program
 *  is loaded, so the program starts itself once more. Does nothing if the user has set OMP_WAIT_POLICY or the
 *  runtime's own variable. To be called first of all. */
void app_settle_threads(char **argv);

#endif
