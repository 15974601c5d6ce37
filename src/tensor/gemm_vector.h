/* A matrix product in vector registers, for operands that need not be laid out anew. OpenBLAS copies its operands into
 * the order in which its kernels read them, which pays for large square products; in a recurrence every product has few
 * rows, and the copy of the weights costs up to a quarter of the time (docs/adr/0012-a-product-of-our-own.md). */
#ifndef LB_GEMM_VECTOR_H
#define LB_GEMM_VECTOR_H

#include "tensor/gemm.h"

/** lb_gemm_serial, if this processor and these operands are what it is for: AVX-512, `b` not transposed, at least 4 rows and
 *  16 columns, beta 0 or 1. Else returns false and has done nothing.
 *  Exact:  sums over k run in blocks of 256 from the first to the last, whatever the number of rows: a row of `a` gives the
 *          same bits in any tile. */
bool lb_gemm_vector(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride);

#endif
