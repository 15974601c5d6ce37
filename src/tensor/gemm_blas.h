/* OpenBLAS, if the library is built with it. */
#ifndef LB_GEMM_BLAS_H
#define LB_GEMM_BLAS_H

#include "tensor/matrix.h"

/** Whether there is OpenBLAS, and its kernel has the instruction set in force: it does not know every processor, and
 *  takes an old kernel for the others. */
bool lb_gemm_blas_serves(void);

/** lb_gemm_serial with OpenBLAS only. In a build without it, does nothing. */
void lb_gemm_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                  int64_t stride);

/** The version of OpenBLAS and its kernel for this processor, such as "OpenBLAS 0.3.21 Cooperlake", in static memory.
 *  NULL in a build without it. */
const char *lb_gemm_blas_kernel(void);

/** Limits OpenBLAS to one thread while the library computes, then restores the number of threads. Each lb_gemm_hold
 *  needs one lb_gemm_release, on any thread; they can be nested. Otherwise products may have other bits, and the
 *  threads of OpenBLAS compete with ours. If the program calls OpenBLAS from another thread meanwhile, it gets correct
 *  results on one thread; a number of threads that it sets meanwhile is kept, unless it is 1. */
void lb_gemm_hold(void);
void lb_gemm_release(void);

#endif
