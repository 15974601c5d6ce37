/* How many threads the library computes with. Results do not depend on it, to the last bit. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include <stdbool.h>

/** Sets the number of threads for the calling thread's future work; 0 or less means one per processor. */
void lb_set_threads(int threads);

/** The number of threads in use; 1 in a build without OpenMP. */
int lb_threads(void);

/** Whether the caller is one of several threads that share a piece of the library's work. */
bool lb_in_parallel(void);

#endif
