/* Matrix products. Every product is divided into tiles whose size depends only on the shapes. Each tile is one
 * single-threaded call of our kernel or of OpenBLAS, so the bits are the same for any number of threads. */
#ifndef LB_GEMM_H
#define LB_GEMM_H

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

/** c = a b + beta c, on all threads.
 *  Shapes: a [m, k], b [k, n], c [m, n] with rows `stride` apart. Nothing may overlap c. */
void lb_gemm(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
             int64_t stride);

/** c = a b + row, where `row` is added to each row of c: the bias [n] of a layer. */
void lb_gemm_onto(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, const lb_real *row, lb_real *c,
                  int64_t stride);

/** lb_gemm in one call on the calling thread, for parallel regions that have their own tiles. */
void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride);

/** A function that computes a product, or one tile of it. */
typedef void lb_gemm_fn(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                        int64_t stride);

/** lb_gemm with tiles computed by `serial`. */
void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride);

/** Limits OpenBLAS to one thread while the library computes, then restores the number of threads. Each lb_gemm_hold
 *  needs one lb_gemm_release, on any thread; they can be nested. Otherwise products may have other bits, and the
 *  threads of OpenBLAS compete with ours. If the program calls OpenBLAS from another thread meanwhile, it gets correct
 *  results on one thread; a number of threads that it sets meanwhile is kept, unless it is 1. */
void lb_gemm_hold(void);
void lb_gemm_release(void);

#endif
