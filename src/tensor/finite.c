#include "tensor/finite.h"

#include <math.h>

int64_t lb_first_not_finite(const lb_real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}
