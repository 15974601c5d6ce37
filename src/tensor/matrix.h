/* Operands of a matrix product, and the type of what computes one. */
#ifndef LB_MATRIX_H
#define LB_MATRIX_H

#include "tensor/real.h"

#include <stdbool.h>
#include <stdint.h>

/** A matrix to read: element (i, j) is data[i * stride + j], or data[j * stride + i] if transposed. */
typedef struct lb_matrix {
    const lb_real *data;
    int64_t stride;
    bool transposed;
} lb_matrix;

static inline lb_matrix lb_plain(const lb_real *data, int64_t stride)
{
    return (lb_matrix){.data = data, .stride = stride};
}

static inline lb_matrix lb_transposed(const lb_real *data, int64_t stride)
{
    return (lb_matrix){.data = data, .stride = stride, .transposed = true};
}

/** A function that computes a product, or one tile of it. */
typedef void lb_gemm_fn(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                        int64_t stride);

#endif
