/* A matrix product in vector registers that reads its operands in place. OpenBLAS first copies its operands into the
 * order in which its kernels read them. This pays for large square products. In a recurrence every product has few
 * rows, and copying the weights costs up to a quarter of the time (docs/adr/0012-a-product-of-our-own.md). */
#ifndef LB_GEMM_VECTOR_H
#define LB_GEMM_VECTOR_H

#include "tensor/matrix.h"

/* The part of k for one pass: a panel of b stays in the cache while all rows use it. */
enum { LB_GEMM_DEPTH = 256 };

/** lb_gemm_serial with the kernel below for the instruction set in force, for any operands.
 *  Exact:  sums over k run in blocks of 256 from first to last, whatever the number of rows, so a row of `a` gives the
 *          same bits in any tile, if b is not transposed and beta is 0 or 1. */
void lb_gemm_own(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                 int64_t stride);

/** The name of the kernel of lb_gemm_own, such as "own kernel, AVX-512". */
const char *lb_gemm_own_kernel(void);

/** The kernel, compiled for one instruction set each: `b` is not transposed, and beta is 0 or 1. The first two are for
 *  x86-64 processors with the instruction set of their names. */
lb_gemm_fn lb_gemm_avx512, lb_gemm_avx2, lb_gemm_base;

#endif
