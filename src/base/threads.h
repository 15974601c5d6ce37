/* The threads of the library, for its kernels. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include "lookback/base.h"

#include <stdint.h>

/** Sets the number of threads as lb_set_threads does, but not as a user's choice. */
void lb_use_threads(int threads);

/** Whether the user has chosen the number of threads of the calling thread: by lb_set_threads, and by a number. */
bool lb_threads_are_chosen(void);

/** Whether the caller is one of several threads that share work of the library. */
bool lb_in_parallel(void);

/** The length of runs into which `count` things are divided, so that each thread has one, or several of length `most`;
 *  a multiple of `least`. Several ops then give a thread the same part of a batch, which is still in its cache. */
int64_t lb_run_for_threads(int64_t count, int64_t least, int64_t most);

#endif
