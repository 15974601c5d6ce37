#include "tensor/gemm.h"

#include "base/stage.h"
#include "tensor/gemm_blas.h"
#include "tensor/gemm_vector.h"

#include <string.h>

enum {
    TILE_WORK = 1 << 20, /* multiply-adds below which a tile is not worth a thread */
    LEAST =
        32, /* rows and columns of a tile: each tile reads, and may rearrange, its part of both operands again */
    SMALL =
        1
        << 15, /* multiply-adds for which OpenBLAS is not worth its preparations, in which its callers wait for each other */
    UNIT = 16 /* the width of the kernels' innermost loops: tiles are whole units, but for the last */
};

/* Even shares for as many numbers of threads as possible. */
static const int tile_counts[] = {48, 32, 24, 16, 12, 8, 6, 4, 3, 2};

void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride)
{
    bool done = lb_gemm_vector(m, n, k, a, b, beta, c, stride) ||
                (m * n * k > SMALL && lb_gemm_blas(m, n, k, a, b, beta, c, stride));
    if (!done) lb_gemm_own(m, n, k, a, b, beta, c, stride);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How a product is divided into tiles: one above the other, and side by side. */
typedef struct tiling {
    lb_gemm_fn *serial;
    int64_t m, n, k, above, beside;
    lb_matrix a, b;
    lb_real beta, *c;
    int64_t stride;
    const lb_real *row; /* the initial value of each row of c; NULL: none */
} tiling;

/* Divides it into `count` tiles that are as square as possible; false if some would be too small. */
static bool divide(tiling *t, int64_t count)
{
    int64_t least = INT64_MAX;
    for (int64_t above = 1; above <= count; above++) {
        int64_t beside = count / above, around = t->m / above + t->n / beside;
        bool fits = above * beside == count && (above == 1 || t->m >= above * LEAST) &&
                    (beside == 1 || t->n >= beside * LEAST);
        if (!fits || around >= least) continue;
        least = around;
        t->above = above;
        t->beside = beside;
    }
    return least < INT64_MAX;
}

static void divide_all(tiling *t)
{
    int64_t wanted = 1 + t->m * t->n * t->k / TILE_WORK;
    for (size_t i = 0; i < sizeof tile_counts / sizeof *tile_counts; i++)
        if (tile_counts[i] <= wanted && divide(t, tile_counts[i])) return;
    t->above = t->beside = 1;
}

/* The start of tile `tile` of `tiles` in `length` rows or columns: the sizes of tiles differ by at most one unit. */
static int64_t tile_start(int64_t length, int64_t tile, int64_t tiles)
{
    int64_t units = (length + UNIT - 1) / UNIT;
    return smaller(length, units * tile / tiles * UNIT);
}

/* A tile of c, which is first filled with its part of the row, if there is one. */
static void multiply_tile(const tiling *t, int64_t tile)
{
    int64_t down = tile / t->beside, across = tile % t->beside;
    int64_t i = tile_start(t->m, down, t->above), m = tile_start(t->m, down + 1, t->above) - i;
    int64_t j = tile_start(t->n, across, t->beside), n = tile_start(t->n, across + 1, t->beside) - j;
    lb_matrix a = t->a, b = t->b;
    lb_real *c = t->c + i * t->stride + j;
    a.data += a.transposed ? i : i * a.stride;
    b.data += b.transposed ? j * b.stride : j;
    for (int64_t row = 0; t->row && row < m; row++)
        memcpy(c + row * t->stride, t->row + j, (size_t)n * sizeof *c);
    t->serial(m, n, t->k, a, b, t->beta, c, t->stride);
}

static void multiply_all(tiling *t)
{
    divide_all(t);
    int64_t tiles = t->above * t->beside;
    if (tiles == 1) {
        multiply_tile(t, 0);
        return;
    }
    lb_stage_begin("product", t->a.transposed ? "of a weight's gradient" : "of rows");
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < tiles; tile++) multiply_tile(t, tile);
    lb_stage_end();
}

void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride)
{
    tiling t = {.serial = serial, .m = m, .n = n, .k = k, .a = a, .b = b, .beta = beta, .c = c};
    t.stride = stride;
    multiply_all(&t);
}

void lb_gemm(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
             int64_t stride)
{
    lb_gemm_tiled(lb_gemm_serial, m, n, k, a, b, beta, c, stride);
}

void lb_gemm_onto(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, const lb_real *row, lb_real *c,
                  int64_t stride)
{
    tiling t = {.serial = lb_gemm_serial, .m = m, .n = n, .k = k, .a = a, .b = b, .beta = 1, .c = c};
    t.stride = stride;
    t.row = row;
    multiply_all(&t);
}

const char *lb_kernel_name(void)
{
    const char *blas = lb_gemm_blas_kernel();
    return blas ? blas : lb_gemm_own_kernel();
}
