#include "lookback/base.h"

#include <omp.h>

void lb_set_threads(int threads)
{
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

int lb_threads(void)
{
    return omp_get_max_threads();
}
