/* The threads of the library, for its kernels. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include "lookback/base.h"

/** Whether the caller is one of several threads that share work of the library. */
bool lb_in_parallel(void);

#endif
