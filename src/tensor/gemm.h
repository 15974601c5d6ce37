/* Matrix products. Every product is cut into tiles whose size depends on the shapes alone, and each tile is one
 * single-threaded call, of our own kernel or of OpenBLAS: the same bits for any number of threads. */
#ifndef LB_GEMM_H
#define LB_GEMM_H

#include "tensor/real.h"

#include <stdbool.h>
#include <stdint.h>

/** A matrix to read: element (i, j) lies at data[i * stride + j], or at data[j * stride + i] if transposed. */
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

/** c = a b + row, which is added to each row of c: a layer's bias [n]. */
void lb_gemm_onto(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, const lb_real *row, lb_real *c,
                  int64_t stride);

/** lb_gemm in one call on the calling thread: for use inside a parallel region that has its own tiles. */
void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride);

/** What computes a product, or a tile of one. */
typedef void lb_gemm_fn(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                        int64_t stride);

/** lb_gemm with tiles computed by `serial`. */
void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride);

/** While the library computes it holds OpenBLAS at one thread, and then gives it back the number that it had: each
 *  lb_gemm_hold is followed by one lb_gemm_release, on any thread, and they may be nested. Without this a product may
 *  have other bits, and OpenBLAS's threads stand in the way of ours. A program that calls OpenBLAS from another thread
 *  meanwhile finds one thread there, and its results; the number that it sets meanwhile stays, unless it is 1. */
void lb_gemm_hold(void);
void lb_gemm_release(void);

#endif
