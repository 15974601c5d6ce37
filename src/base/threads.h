/* The library's threads as its kernels see them. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include "lookback/base.h"

/** Whether the caller is one of several threads that share a piece of the library's work. */
bool lb_in_parallel(void);

#endif
