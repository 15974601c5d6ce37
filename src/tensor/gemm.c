#include "tensor/gemm.h"

#include "tensor/gemm_vector.h"

#include <cblas.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
#    define BLAS_GEMM cblas_dgemm
#else
#    define BLAS_GEMM cblas_sgemm
#endif

enum {
    TILE_WORK = 1 << 20, /* multiply-adds below which a tile is not worth a thread */
    MOST_TILES = 12,     /* even shares for 2, 3, 4 and 6 threads */
    FEW_TILES = 4,  /* even shares for 2 and 4: each tile lays out its operands anew, short ones in vain */
    SHORT = 96,     /* rows of a tile, or columns */
    TILE_ALIGN = 16 /* the width of the kernels' innermost loops */
};

/* OpenBLAS runs such a build on OpenMP's threads unless it is called inside a parallel region or is told that there
 * is one thread; and it takes openblas_set_num_threads as a wish for the whole program. */
static bool blas_uses_openmp(void)
{
    return openblas_get_parallel() == OPENBLAS_OPENMP;
}

static void call_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                      int64_t stride)
{
    BLAS_GEMM(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
              b.transposed ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, 1, a.data,
              (blasint)a.stride, b.data, (blasint)b.stride, beta, c, (blasint)stride);
}

void lb_gemm_blas(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                  int64_t stride)
{
    if (m == 0 || n == 0) return;
    if (!blas_uses_openmp() || omp_in_parallel()) {
        call_blas(m, n, k, a, b, beta, c, stride);
        return;
    }
    int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    call_blas(m, n, k, a, b, beta, c, stride);
    omp_set_num_threads(threads);
}

void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride)
{
    if (!lb_gemm_vector(m, n, k, a, b, beta, c, stride)) lb_gemm_blas(m, n, k, a, b, beta, c, stride);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride)
{
    bool by_rows = m >= n;
    int64_t length = by_rows ? m : n;
    int64_t wanted = smaller(1 + m * n * k / TILE_WORK, length < SHORT ? FEW_TILES : MOST_TILES);
    int64_t width = ((length + wanted - 1) / wanted + TILE_ALIGN - 1) / TILE_ALIGN * TILE_ALIGN;
    int64_t tiles = width > 0 ? (length + width - 1) / width : 0;
#pragma omp parallel for schedule(static) if (tiles > 1)
    for (int64_t tile = 0; tile < tiles; tile++) {
        int64_t first = tile * width, count = smaller(width, length - first);
        if (by_rows) {
            lb_matrix rows = a;
            rows.data += a.transposed ? first : first * a.stride;
            serial(count, n, k, rows, b, beta, c + first * stride, stride);
        } else {
            lb_matrix columns = b;
            columns.data += b.transposed ? first * b.stride : first;
            serial(m, count, k, a, columns, beta, c + first, stride);
        }
    }
}

void lb_gemm(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
             int64_t stride)
{
    lb_gemm_tiled(lb_gemm_serial, m, n, k, a, b, beta, c, stride);
}

void lb_gemm_prepare(void)
{
    if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
}

const char *lb_gemm_kernel(void)
{
    static char text[64];
    /* The configuration reads "OpenBLAS 0.3.21 ...": its first two words. */
    const char *config = openblas_get_config();
    const char *version = strchr(config, ' ');
    int length =
        version ? (int)(version - config + 1 + (long)strcspn(version + 1, " ")) : (int)strlen(config);
    snprintf(text, sizeof text, "%.*s %s", length, config, openblas_get_corename());
    return text;
}
