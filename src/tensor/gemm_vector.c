#include "tensor/gemm_vector.h"

#include "tensor/instruction_set.h"
#include "tensor/transpose.h"

#include <stddef.h>

enum {
    FEWEST_ROWS = 4, /* for which a product is worth more than its way through memory */
    STRIP = 32,      /* columns of a transposed b that are laid out together */
    REST = 16,       /* the same for the last ones */
    TOGETHER = 4     /* columns whose sums run side by side and hide each other's latency */
};

typedef struct variant {
    const char *name;
    lb_gemm_fn *multiply;
} variant;

static variant widest(void)
{
#ifdef __x86_64__
    if (lb_instruction_set_here() == LB_SET_AVX512) return (variant){"own kernel, AVX-512", lb_gemm_avx512};
    if (lb_instruction_set_here() == LB_SET_AVX2) return (variant){"own kernel, AVX2", lb_gemm_avx2};
#endif
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
    lb_real sum = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp simd reduction(+ : sum, sum1, sum2, sum3)
    for (int64_t i = 0; i < k; i++) {
        sum += a[i] * b[i];
        sum1 += a[i] * b1[i];
        sum2 += a[i] * b2[i];
        sum3 += a[i] * b3[i];
    }
    const lb_real sums[TOGETHER] = {sum, sum1, sum2, sum3};
    for (int j = 0; j < TOGETHER; j++) c[j] = beta == 0 ? sums[j] : sums[j] + c[j];
}

/* b is transposed: one strip of its columns after another is rearranged and used for all rows. */
static void multiply_strips(lb_real *strip, int64_t width, lb_gemm_fn *multiply, int64_t m, int64_t n,
                            int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c, int64_t stride)
{
    int64_t first = 0;
    do {
        int64_t depth = k - first < LB_GEMM_DEPTH ? k - first : LB_GEMM_DEPTH;
        lb_matrix part = a;
        part.data += a.transposed ? first * a.stride : first;
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
    lb_real strip[(size_t)LB_GEMM_DEPTH * STRIP];
    multiply_strips(strip, STRIP, multiply, m, n, k, a, b, beta, c, stride);
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
    int64_t whole = n - n % STRIP;
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
