/* Matrices for tests of products, with gaps between their stored rows. */
#ifndef SUPPORT_GAPPED_MATRIX_H
#define SUPPORT_GAPPED_MATRIX_H

#include "lookback/base.h"
#include "tensor/gemm.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { GAP = 3, FILLER = -77 };

/* A matrix [rows, columns], stored transposed or not, with NaN in the gaps between its stored rows. */
static inline lb_matrix make_matrix(int64_t rows, int64_t columns, bool transposed, uint64_t seed)
{
    int64_t width = transposed ? rows : columns, count = transposed ? columns : rows, stride = width + GAP;
    lb_real *data = malloc((size_t)(count * stride + 1) * sizeof *data);
    for (int64_t i = 0; i < count * stride; i++)
        data[i] = i % stride < width
                      ? (lb_real)(lb_rng_uniform((lb_rng){.seed = seed}, (uint64_t)i) * 2 - 0.8)
                      : (lb_real)NAN;
    return (lb_matrix){.data = data, .stride = stride, .transposed = transposed};
}

static inline double at(lb_matrix m, int64_t i, int64_t j)
{
    return (double)m.data[m.transposed ? j * m.stride + i : i * m.stride + j];
}

static inline void free_matrices(lb_matrix a, lb_matrix b)
{
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
}

#endif
