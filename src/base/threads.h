/* The threads of the library, for its kernels, and the processors that they run on. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include "lookback/base.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- The processors that this process may use. ---- */

/** The number of processors in the CPU set of this process, or the number that the quota of its control group pays for,
 *  rounded up: the smaller of the two, and at least 1. With a quota of 1.5 processors, it is 2. */
int lb_processors(void);

/** The processors that a quota of control groups grants, such as 1.5; INFINITY without a quota.
 *  `groups` is a file like /proc/self/cgroup, `mounted` a folder like /sys/fs/cgroup.
 *  The limits of all groups above apply, too.
 *  Source: the kernel's documents cgroup-v2 (cpu.max) and scheduler/sched-bwc (version 1). */
double lb_granted_processors(const char *groups, const char *mounted);

/* ---- Threads. ---- */

/** Sets the number of threads as lb_set_threads does, but not as a user's choice. */
void lb_use_threads(int threads);

/** Whether the user has chosen the number of threads of the calling thread: by lb_set_threads, and by a number. */
bool lb_threads_are_chosen(void);

/** Whether the caller is one of several threads that share work of the library. */
bool lb_in_parallel(void);

/** The smaller of two numbers. */
static inline int64_t lb_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** The length of the chunks into which `count` things are divided, so that each thread has one, or several of length
 *  `most`; a multiple of `least`. Several ops then give a thread the same part of a batch, which is still in its
 *  cache. */
int64_t lb_chunk_for_threads(int64_t count, int64_t least, int64_t most);

#endif
