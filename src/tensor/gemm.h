/* Matrix products. Every product is divided into tiles whose size depends only on the shapes. Each tile is one
 * single-threaded call of our kernel or of OpenBLAS, so the bits are the same for any number of threads. */
#ifndef LB_GEMM_H
#define LB_GEMM_H

#include "tensor/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/** Memory for copies of operands in bfloat16, which grows when it is needed. */
typedef struct lb_pairs {
    uint32_t *memory;
    size_t capacity; /* numbers of 32 bits */
} lb_pairs;

/** A matrix to read: element (i, j) is data[i * stride + j], or data[j * stride + i] if transposed. */
typedef struct lb_matrix {
    const lb_real *data;
    int64_t stride;
    bool transposed;
    /* Both operands of its products are rounded to bfloat16, and copied there; NULL: neither is. */
    lb_pairs *rounded;
} lb_matrix;

static inline lb_matrix lb_plain(const lb_real *data, int64_t stride)
{
    return (lb_matrix){.data = data, .stride = stride};
}

static inline lb_matrix lb_transposed(const lb_real *data, int64_t stride)
{
    return (lb_matrix){.data = data, .stride = stride, .transposed = true};
}

/** The matrix from a row and a column on. */
static inline lb_matrix lb_matrix_from(lb_matrix matrix, int64_t row, int64_t column)
{
    matrix.data += matrix.transposed ? column * matrix.stride + row : row * matrix.stride + column;
    return matrix;
}

/** Whether the rows of a matrix of this size do not overlap where it is: what every product relies on. */
static inline bool lb_matrix_fits(lb_matrix matrix, int64_t rows, int64_t columns)
{
    return matrix.stride >= (matrix.transposed ? rows : columns);
}

/** A function that computes a product, or one tile of it. */
typedef void lb_gemm_fn(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                        int64_t stride);

/** c = a b + beta c, on all threads.
 *  Shapes: a [m, k], b [k, n], c [m, n] with rows `stride` apart. Nothing may overlap c. */
void lb_gemm(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
             int64_t stride);

/** lb_gemm in one call on the calling thread, for parallel regions that have their own tiles. */
lb_gemm_fn lb_gemm_serial;

/** lb_gemm_serial for operands that are rounded: it copies each of them several times, on the stack. */
lb_gemm_fn lb_gemm_rounded;

/** lb_gemm_serial by whoever would compute the same product with a `b` that is not transposed: for so many rows that
 *  rearranging b within the product costs no more than before it. */
lb_gemm_fn lb_gemm_laid_out;

/** lb_gemm with tiles computed by `serial`. `row`: c = a b + row instead, which is added to each row of c, such as the
 *  bias [n] of a layer; NULL: none. `rectify`: what is below 0 becomes 0. */
void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, const lb_real *row, bool rectify, lb_real *c, int64_t stride);

/* ---- Our kernel: a matrix product in vector registers that reads its operands in place. OpenBLAS first copies its
 * operands into the order in which its kernels read them. This pays for large square products. In a recurrence every
 * product has few rows, and copying the weights costs up to a quarter of the time
 * (docs/adr/0012-a-product-of-our-own.md). ---- */

/** The part of k for one pass: a panel of b stays in the cache while all rows use it. */
enum { LB_GEMM_DEPTH = 256 };

/** lb_gemm_serial with the kernel below for the instruction set in force, for any operands.
 *  Exact:  sums over k run in blocks of 256 from first to last, whatever the number of rows, so a row of `a` gives the
 *          same bits in any tile, if b is not transposed and beta is 0 or 1. */
lb_gemm_fn lb_gemm_own;

/** The name of the kernel of lb_gemm_own, such as "own kernel, AVX-512". */
const char *lb_gemm_own_kernel(void);

/** The kernel, once for each instruction set: `b` is not transposed, and beta is 0 or 1. Those with the
 *  name of an instruction set are for x86-64 processors that have it; portable ones fuse nothing. */
lb_gemm_fn lb_gemm_avx512, lb_gemm_avx2, lb_gemm_base, lb_gemm_portable_avx512, lb_gemm_portable_avx2;
#ifdef __aarch64__
lb_gemm_fn lb_gemm_portable;
#else
#    define lb_gemm_portable lb_gemm_base
#endif

/* ---- Transposing a matrix. ---- */

/** to[j, i] = from[i, j]. Shapes: from [rows, columns] with rows `stride` apart, to [columns, rows]; they must not
 *  overlap. */
void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to);

/** The same on the calling thread; the rows of `to` are `to_stride` apart. */
void lb_transpose_strip(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to,
                        int64_t to_stride);

/* ---- Products of operands rounded to bfloat16. The processor multiplies pairs of numbers along k, and adds both
 * products to a sum in float. So operands are first copied as pairs: two numbers of 16 bits in one of 32, the earlier
 * one in its lower half (docs/adr/0012-a-product-of-our-own.md). ---- */

/** Whether products can be rounded here. Errors: LB_ERROR_ARGUMENT, with the reason and what to do. */
LB_MUST_USE lb_status lb_bfloat16_check(lb_error *error);

enum {
    LB_PAIRS_DEPTH = 512, /* the part of k that is summed up in registers */
    LB_PAIRS_PANEL = 32   /* columns, or rows of a transposed operand, that are copied next to each other */
};

static inline int64_t lb_pairs_of(int64_t depth)
{
    return (depth + 1) / 2;
}

/** The pairs in a copy of so many rows or columns. */
static inline int64_t lb_pairs_room(int64_t count, int64_t depth)
{
    return (count + LB_PAIRS_PANEL - 1) / LB_PAIRS_PANEL * LB_PAIRS_PANEL * lb_pairs_of(depth);
}

/** Copies b [k, columns] in panels: pair i of column j is to[(j / 32 * lb_pairs_of(k) + i) * 32 + j % 32]. What is
 *  beyond b is 0. */
void lb_pairs_columns(int64_t k, int64_t columns, lb_matrix b, uint32_t *to);

/** Copies a [rows, k]: in panels if it is transposed, as columns above; otherwise in rows, and pair i of row j is
 *  to[j * lb_pairs_of(k) + i]. */
void lb_pairs_rows(int64_t k, int64_t rows, lb_matrix a, uint32_t *to);

/** c = a b, or c += a b if `add`, for at most LB_PAIRS_DEPTH of k. `a` is a copy of that depth; the panels of `b` may
 *  be parts of deeper ones, `panel` pairs apart. A number of c has the same bits whatever rows and columns are
 *  multiplied with it. */
void lb_pairs_multiply(int64_t m, int64_t n, int64_t k, const uint32_t *a, bool a_transposed,
                       const uint32_t *b, int64_t panel, bool add, lb_real *c, int64_t stride);

/* ---- OpenBLAS, if the library is built with it. ---- */

/** Whether there is OpenBLAS, and its kernel has the instruction set in force: it does not know every processor, and
 *  takes an old kernel for the others. */
bool lb_gemm_blas_serves(void);

/** lb_gemm_serial with OpenBLAS only. In a build without it, does nothing. */
lb_gemm_fn lb_gemm_blas;

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
