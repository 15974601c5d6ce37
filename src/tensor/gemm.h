/* Matrix products. Every product is divided into tiles whose size depends only on the shapes. Each tile is one
 * single-threaded call of our kernel or of OpenBLAS, so the bits are the same for any number of threads. */
#ifndef LB_GEMM_H
#define LB_GEMM_H

#include "tensor/matrix.h"

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

/** lb_gemm with tiles computed by `serial`. */
void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride);

#endif
