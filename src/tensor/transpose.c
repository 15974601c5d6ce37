#include "tensor/transpose.h"

/* A block of both matrices fits the first cache. */
enum { BLOCK = 16, ALONE = 1 << 14 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to)
{
#pragma omp parallel for schedule(static) if (rows * columns > ALONE)
    for (int64_t top = 0; top < rows; top += BLOCK)
        for (int64_t left = 0; left < columns; left += BLOCK)
            for (int64_t j = left; j < smaller(left + BLOCK, columns); j++)
                for (int64_t i = top; i < smaller(top + BLOCK, rows); i++)
                    to[j * rows + i] = from[i * stride + j];
}
