#include "base/threads.h"
#include "lookback/base.h"

#ifdef _OPENMP

#    include <omp.h>

void lb_set_threads(int threads)
{
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

int lb_threads(void)
{
    return omp_get_max_threads();
}

bool lb_in_parallel(void)
{
    return omp_in_parallel();
}

#else

void lb_set_threads(int threads)
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
