/* The innermost loop of gemm_vector_kernel.h for WebAssembly. Addresses are 32 bits wide there, and nothing but a
 * constant is added to one for free: indices of 64 bits cost as much as the products. So pointers step. */
#ifndef LB_GEMM_SIMD128_H
#define LB_GEMM_SIMD128_H

static inline INLINED void sum_block(int rows, int vectors, bool transposed, int64_t k, const lb_real *a,
                                     int64_t a_stride, const lb_real *b, int64_t b_stride, vector (*sum)[2])
{
    const lb_real *row_of[ROWS];
    ptrdiff_t row_step = transposed ? 1 : (ptrdiff_t)a_stride, a_step = transposed ? (ptrdiff_t)a_stride : 1;
    ptrdiff_t b_step = (ptrdiff_t)b_stride;
    UNROLL
    for (int row = 0; row < rows; row++) row_of[row] = a + row * row_step;
    for (ptrdiff_t left = (ptrdiff_t)k, at = 0; left > 0; left--, at += a_step, b += b_step) {
        const vector *y = (const vector *)b;
        UNROLL
        for (int row = 0; row < rows; row++) {
            /* Rows of a transposed matrix are neighbours. */
            lb_real x = transposed ? a[at + row] : row_of[row][at];
            sum[row][0] += x * y[0];
            if (vectors == 2) sum[row][1] += x * y[1];
        }
    }
}

#endif
