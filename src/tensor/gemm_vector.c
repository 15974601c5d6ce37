/* Our matrix product for any operands, over the kernel of the instruction set in force, and transposing. */
#include "tensor/gemm.h"
#include "tensor/sum.h"

#include <assert.h>
#include <stddef.h>

/* ---- Transposing. ---- */

/* A square of four by four elements is transposed in registers; a strip of rows fills whole cache lines of the
 * result. */
enum { SIDE = 4, STRIP = 16, ALONE = 1 << 14 };

static void transpose_square(const lb_real *from, int64_t stride, lb_real *to, int64_t to_stride)
{
    lb_four a = *(const lb_four *)from, b = *(const lb_four *)(from + stride),
            c = *(const lb_four *)(from + 2 * stride), d = *(const lb_four *)(from + 3 * stride);
    lb_four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *(lb_four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(lb_four *)(to + to_stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(lb_four *)(to + 2 * to_stride) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(lb_four *)(to + 3 * to_stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

void lb_transpose_strip(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to,
                        int64_t to_stride)
{
    assert(stride >= columns && to_stride >= rows);
    int64_t whole = rows - rows % SIDE, squares = columns - columns % SIDE;
    for (int64_t j = 0; j < squares; j += SIDE)
        for (int64_t i = 0; i < whole; i += SIDE)
            transpose_square(from + i * stride + j, stride, to + j * to_stride + i, to_stride);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j < squares ? whole : 0; i < rows; i++) to[j * to_stride + i] = from[i * stride + j];
}

/* Transposes strip `strip` of the `rows` rows. */
static void transpose_one(int64_t strip, int64_t rows, int64_t columns, const lb_real *from, int64_t stride,
                          lb_real *to)
{
    int64_t top = strip * STRIP, left = rows - top;
    lb_transpose_strip(left < STRIP ? left : STRIP, columns, from + top * stride, stride, to + top, rows);
}

void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to)
{
    int64_t strips = (rows + STRIP - 1) / STRIP;
    if (rows * columns <= ALONE) {
        for (int64_t strip = 0; strip < strips; strip++)
            transpose_one(strip, rows, columns, from, stride, to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t strip = 0; strip < strips; strip++) transpose_one(strip, rows, columns, from, stride, to);
}

/* ---- The product. ---- */

enum {
    FEWEST_ROWS = 4, /* for which a product is worth more than its way through memory */
    WHOLE = 32,      /* columns of a transposed b that are laid out together */
    REST = 16,       /* the same for the last ones */
    TOGETHER = 4     /* columns whose sums run side by side and hide each other's latency */
};

typedef struct variant {
    const char *name;
    lb_gemm_fn *multiply;
} variant;

static variant widest(void)
{
    static const char portable[] = "own kernel, portable"; /* whose bits are the same */
    const lb_instruction_set here = lb_instruction_set_here();
#ifdef __x86_64__
    if (here == LB_SET_AVX512) return (variant){"own kernel, AVX-512", lb_gemm_avx512};
    if (here == LB_SET_AVX2) return (variant){"own kernel, AVX2", lb_gemm_avx2};
    if (here == LB_SET_PORTABLE_AVX512) return (variant){portable, lb_gemm_portable_avx512};
    if (here == LB_SET_PORTABLE_AVX2) return (variant){portable, lb_gemm_portable_avx2};
#endif
    if (here >= LB_SET_PORTABLE) return (variant){portable, lb_gemm_portable};
    return (variant){"own kernel, " LB_SET_BASE_NAME, lb_gemm_base};
}

const char *lb_gemm_own_kernel(void)
{
    return widest().name;
}

/* A row of a with `TOGETHER` columns of a transposed b: all are read along k, in place. */
LB_KERNEL(multiply_columns,
          (int64_t k, const lb_real *a, const lb_real *b, int64_t b_stride, lb_real beta, lb_real *c),
          (k, a, b, b_stride, beta, c))
{
    const lb_real *b1 = b + b_stride, *b2 = b1 + b_stride, *b3 = b2 + b_stride;
    lb_real sum[LB_LANES] = {0}, sum1[LB_LANES] = {0}, sum2[LB_LANES] = {0}, sum3[LB_LANES] = {0};
    LB_IN_LANES(i, lane, k, {
        sum[lane] += a[i] * b[i];
        sum1[lane] += a[i] * b1[i];
        sum2[lane] += a[i] * b2[i];
        sum3[lane] += a[i] * b3[i];
    });
    lb_four sums;
    lb_fold_four(sum, sum1, sum2, sum3, &sums);
    if (beta != 0) sums += *(lb_four *)c;
    *(lb_four *)c = sums;
}

/* b is transposed: one strip of its columns after another is rearranged and used for all rows. */
static void multiply_strips(lb_real *strip, int64_t width, lb_gemm_fn *multiply, int64_t m, int64_t n,
                            int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c, int64_t stride)
{
    int64_t first = 0;
    do {
        int64_t depth = k - first < LB_GEMM_DEPTH ? k - first : LB_GEMM_DEPTH;
        lb_matrix part = lb_matrix_from(a, 0, first);
        for (int64_t j = 0; j < n; j += width) {
            int64_t columns = n - j < width ? n - j : width;
            lb_transpose_strip(columns, depth, b.data + j * b.stride + first, b.stride, strip, width);
            multiply(m, columns, depth, part, lb_plain(strip, width), beta, c + j, stride);
        }
        beta = 1;
        first += LB_GEMM_DEPTH;
    } while (first < k);
}

/* Two functions, so that the stack never has a whole strip and the copy of the last columns that the kernel makes. */
__attribute__((noinline)) static void multiply_whole(lb_gemm_fn *multiply, int64_t m, int64_t n, int64_t k,
                                                     lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                                                     int64_t stride)
{
    lb_real strip[(size_t)LB_GEMM_DEPTH * WHOLE];
    multiply_strips(strip, WHOLE, multiply, m, n, k, a, b, beta, c, stride);
}

__attribute__((noinline)) static void multiply_rest(lb_gemm_fn *multiply, int64_t m, int64_t n, int64_t k,
                                                    lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                                                    int64_t stride)
{
    lb_real strip[(size_t)LB_GEMM_DEPTH * REST];
    multiply_strips(strip, REST, multiply, m, n, k, a, b, beta, c, stride);
}

static void multiply_laid_out(lb_gemm_fn *multiply, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                              lb_real beta, lb_real *c, int64_t stride)
{
    int64_t whole = n - n % WHOLE;
    if (whole > 0) multiply_whole(multiply, m, whole, k, a, b, beta, c, stride);
    b.data += whole * b.stride;
    if (n > whole) multiply_rest(multiply, m, n - whole, k, a, b, beta, c + whole, stride);
}

/* b is transposed and there are few rows: b is read only once, so it is not rearranged. */
static void multiply_few(lb_gemm_fn *multiply, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                         lb_real beta, lb_real *c, int64_t stride)
{
    int64_t whole = n - n % TOGETHER;
    for (int64_t j = 0; j < whole; j += TOGETHER)
        for (int64_t row = 0; row < m; row++)
            multiply_columns(k, a.data + row * a.stride, b.data + j * b.stride, b.stride, beta,
                             c + row * stride + j);
    b.data += whole * b.stride;
    multiply_laid_out(multiply, m, n - whole, k, a, b, beta, c + whole, stride);
}

void lb_gemm_own(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                 int64_t stride)
{
    assert(lb_matrix_fits(a, m, k) && lb_matrix_fits(b, k, n) && stride >= n);
    lb_gemm_fn *multiply = widest().multiply;
    if (beta != 0 && beta != 1) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) c[i * stride + j] *= beta;
        beta = 1;
    }
    if (!b.transposed)
        multiply(m, n, k, a, b, beta, c, stride);
    else if (m < FEWEST_ROWS && !a.transposed)
        multiply_few(multiply, m, n, k, a, b, beta, c, stride);
    else
        multiply_laid_out(multiply, m, n, k, a, b, beta, c, stride);
}
