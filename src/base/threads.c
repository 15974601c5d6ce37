#include "base/threads.h"

#include "os/os.h"

#include <math.h>
#include <stdlib.h>

#ifdef _OPENMP
#    include <omp.h>
#endif

/* ---- The processors that this process may use. ---- */

int lb_processors(void)
{
#ifdef _OPENMP
    int set = omp_get_num_procs();
#else
    int set = 1;
#endif
    double granted = ceil(lb_os_granted_processors(NULL, NULL));
    return granted < set ? (int)fmax(granted, 1) : set;
}

/* ---- Threads. ---- */

#ifdef _OPENMP

enum { MOST_THREADS = 1024 };

/* What the user asks of all programs with OpenMP: "4", or "4,2" for nested ones. The runtime has forgotten it once a
 * number was set. */
static int wanted(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= MOST_THREADS ? (int)number : 0;
}

void lb_use_threads(int threads)
{
    if (threads <= 0) threads = wanted();
    omp_set_num_threads(threads > 0 ? threads : lb_processors());
}

int lb_threads(void)
{
    return omp_get_max_threads();
}

bool lb_in_parallel(void)
{
    return omp_in_parallel();
}

/* GCC's runtime keeps the threads of a parallel region for the next one. A child of fork has none of them, and would
 * wait for them for ever, so they end before: parent and child start new ones. Clang's runtime does this itself. */
#    ifndef __clang__
static void end_threads(void)
{
    (void)omp_pause_resource_all(omp_pause_hard);
}

__attribute__((constructor)) static void watch_forks(void)
{
    lb_os_before_fork(end_threads);
}
#    endif

#else

void lb_use_threads(int threads)
{
    (void)threads;
}

int lb_threads(void)
{
    return 1;
}

bool lb_in_parallel(void)
{
    return false;
}

#endif

static _Thread_local bool chosen;

void lb_set_threads(int threads)
{
    chosen = threads > 0;
    lb_use_threads(threads);
}

bool lb_threads_are_chosen(void)
{
    return chosen;
}

int64_t lb_chunk_for_threads(int64_t count, int64_t least, int64_t most)
{
    assert(count >= 0 && least > 0);
    int64_t threads = lb_threads(), chunk = (count + threads * least - 1) / (threads * least) * least;
    return chunk < least ? least : chunk < most ? chunk : most;
}
