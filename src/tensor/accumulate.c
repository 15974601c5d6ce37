#include "tensor/accumulate.h"

LB_KERNEL void lb_add_to(int64_t count, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

LB_KERNEL void lb_add_scaled_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += factor * from[i];
}

LB_KERNEL void lb_add_rows_to(int64_t rows, int64_t width, const lb_real *from, lb_real *to)
{
    for (int64_t row = 0; row < rows; row++) {
#pragma omp simd
        for (int64_t i = 0; i < width; i++) to[i] += from[row * width + i];
    }
}
