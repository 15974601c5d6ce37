/* How many threads the library computes with. Results do not depend on it, to the last bit. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

/** Sets the number of threads for the calling thread's future work; 0 or less means one per processor. */
void lb_set_threads(int threads);

/** The number of threads in use. */
int lb_threads(void);

#endif
