/* Our kernel for matrix products, see tensor/gemm.h, for one instruction set. A file includes it after defining
 *   LB_GEMM_NAME    the name of the function,
 *   LB_GEMM_TARGET  the attribute that selects the instruction set, or nothing,
 *   LB_GEMM_BYTES   the bytes of a vector,
 *   LB_GEMM_ROWS    the rows of c in registers, two vectors per row: enough sums to hide the latency of a multiply-add,
 *                   but no more than there are registers,
 *   LB_GEMM_FUSED   (x, y, sum) the vector x y + sum, rounded once, for a number x; undefined where the set has no such
 *                   operation. It is written, since compilers differ in which sums of products they fuse. */
#include "tensor/gemm.h"

#include <assert.h>
#include <stddef.h>

#ifndef LB_GEMM_FUSED
#    define LB_GEMM_FUSED(x, y, sum) ((sum) + (x) * (y))
#endif

#define INLINED __attribute__((always_inline)) LB_GEMM_TARGET
/* Clang follows the pragma of gcc only where it would unroll anyway. */
#ifdef __clang__
#    define UNROLL _Pragma("clang loop unroll(full)")
#else
#    define UNROLL _Pragma("GCC unroll 8")
#endif

typedef lb_real vector __attribute__((vector_size(LB_GEMM_BYTES), aligned(sizeof(lb_real)), may_alias));

enum { LANES = sizeof(vector) / sizeof(lb_real), ROWS = LB_GEMM_ROWS, DEPTH = LB_GEMM_DEPTH };

#ifdef __wasm_simd128__
/* The innermost loop for WebAssembly. Addresses are 32 bits wide there, and nothing but a constant is added to one for
 * free: indices of 64 bits cost as much as the products. So pointers step. */
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
            sum[row][0] = LB_GEMM_FUSED(x, y[0], sum[row][0]);
            if (vectors == 2) sum[row][1] = LB_GEMM_FUSED(x, y[1], sum[row][1]);
        }
    }
}
#endif

/* c [rows, vectors LANES] = a b, or += a b. `rows`, `vectors` and the flags are constants after inlining, so all sums
 * stay in registers. */
static inline INLINED void block(int rows, int vectors, bool transposed, int64_t k, const lb_real *a,
                                 int64_t a_stride, const lb_real *b, int64_t b_stride, bool add, lb_real *c,
                                 int64_t stride)
{
    vector sum[ROWS][2] = {0};
#ifdef __wasm_simd128__
    sum_block(rows, vectors, transposed, k, a, a_stride, b, b_stride, sum);
#else
    for (int64_t i = 0; i < k; i++) {
        const vector *y = (const vector *)(b + i * b_stride);
        UNROLL
        for (int row = 0; row < rows; row++) {
            lb_real x = transposed ? a[i * a_stride + row] : a[row * a_stride + i];
            sum[row][0] = LB_GEMM_FUSED(x, y[0], sum[row][0]);
            if (vectors == 2) sum[row][1] = LB_GEMM_FUSED(x, y[1], sum[row][1]);
        }
    }
#endif
    UNROLL
    for (int row = 0; row < rows; row++) {
        vector *to = (vector *)(c + row * stride);
        for (int i = 0; i < vectors; i++) {
            if (add) sum[row][i] += to[i];
            to[i] = sum[row][i];
        }
    }
}

/* The same for any number of rows: a panel of c. */
static inline INLINED void panel(int vectors, bool transposed, int64_t m, int64_t k, const lb_real *a,
                                 int64_t a_stride, const lb_real *b, int64_t b_stride, bool add, lb_real *c,
                                 int64_t stride)
{
    int64_t a_row = transposed ? 1 : a_stride;
    for (; m >= ROWS; m -= ROWS, a += ROWS * a_row, c += ROWS * stride)
        block(ROWS, vectors, transposed, k, a, a_stride, b, b_stride, add, c, stride);
    for (; m >= 4; m -= 4, a += 4 * a_row, c += 4 * stride)
        block(4, vectors, transposed, k, a, a_stride, b, b_stride, add, c, stride);
    for (; m > 0; m--, a += a_row, c += stride)
        block(1, vectors, transposed, k, a, a_stride, b, b_stride, add, c, stride);
}

/* The last columns, fewer than a vector: computed outside c, on a copy of b that is padded with zeros. */
static inline INLINED void narrow_rows(bool transposed, int64_t m, int64_t columns, int64_t k,
                                       const lb_real *a, int64_t a_stride, const lb_real *filled, bool add,
                                       lb_real *c, int64_t stride)
{
    lb_real result[(size_t)ROWS * LANES];
    for (int64_t first = 0; first < m; first += ROWS) {
        int64_t rows = m - first < ROWS ? m - first : ROWS;
        panel(1, transposed, rows, k, a + first * (transposed ? 1 : a_stride), a_stride, filled, LANES, false,
              result, LANES);
        for (int64_t row = 0; row < rows; row++) {
            lb_real *to = c + (first + row) * stride;
            for (int64_t j = 0; j < columns; j++)
                to[j] = add ? to[j] + result[row * LANES + j] : result[row * LANES + j];
        }
    }
}

/* This is not inlined, so that the copy is on the stack only here. */
static __attribute__((noinline)) LB_GEMM_TARGET void
narrow_panel(bool transposed, int64_t m, int64_t columns, int64_t k, const lb_real *a, int64_t a_stride,
             const lb_real *b, int64_t b_stride, bool add, lb_real *c, int64_t stride)
{
    lb_real filled[(size_t)DEPTH * LANES];
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j < LANES; j++) filled[i * LANES + j] = j < columns ? b[i * b_stride + j] : 0;
    }
    if (transposed)
        narrow_rows(true, m, columns, k, a, a_stride, filled, add, c, stride);
    else
        narrow_rows(false, m, columns, k, a, a_stride, filled, add, c, stride);
}

/* All columns of c, for at most DEPTH of k. */
static inline INLINED void all_panels(bool transposed, int64_t m, int64_t n, int64_t k, const lb_real *a,
                                      int64_t a_stride, const lb_real *b, int64_t b_stride, bool add,
                                      lb_real *c, int64_t stride)
{
    const int64_t pair = (int64_t)2 * LANES;
    int64_t j = 0;
    for (; j + pair <= n; j += pair)
        panel(2, transposed, m, k, a, a_stride, b + j, b_stride, add, c + j, stride);
    for (; j + LANES <= n; j += LANES)
        panel(1, transposed, m, k, a, a_stride, b + j, b_stride, add, c + j, stride);
    if (j < n) narrow_panel(transposed, m, n - j, k, a, a_stride, b + j, b_stride, add, c + j, stride);
}

LB_GEMM_TARGET void LB_GEMM_NAME(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta,
                                 lb_real *c, int64_t stride)
{
    assert(!b.transposed && (beta == 0 || beta == 1));
    bool add = beta == 1;
    int64_t first = 0;
    do {
        int64_t depth = k - first < DEPTH ? k - first : DEPTH;
        const lb_real *rows = b.data + first * b.stride;
        if (a.transposed)
            all_panels(true, m, n, depth, a.data + first * a.stride, a.stride, rows, b.stride, add, c,
                       stride);
        else
            all_panels(false, m, n, depth, a.data + first, a.stride, rows, b.stride, add, c, stride);
        add = true;
        first += DEPTH;
    } while (first < k);
}
