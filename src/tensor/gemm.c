#include "tensor/gemm.h"

#include "base/stage.h"
#include "tensor/gemm_blas.h"
#include "tensor/gemm_vector.h"

#include <string.h>

enum {
    TILE_WORK = 1 << 20, /* multiply-adds below which a tile is not worth a thread */
    MOST_TILES = 12,     /* even shares for 2, 3, 4 and 6 threads */
    FEW_TILES = 4,       /* even shares for 2 and 4: for short operands, which each tile rearranges again */
    SHORT = 96,          /* rows of a tile, or columns */
    UNIT = 16 /* the width of the kernels' innermost loops: tiles are whole units, but for the last */
};

void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride)
{
    bool done =
        lb_gemm_vector(m, n, k, a, b, beta, c, stride) || lb_gemm_blas(m, n, k, a, b, beta, c, stride);
    if (!done) lb_gemm_own(m, n, k, a, b, beta, c, stride);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number of tiles for `length` rows or columns, such that two, four and more threads get even shares. */
static int64_t tile_count(int64_t length, int64_t work)
{
    int64_t wanted = 1 + work / TILE_WORK, units = (length + UNIT - 1) / UNIT, count = 1;
    int64_t most = smaller(units, length < SHORT ? FEW_TILES : MOST_TILES);
    while (count < wanted && 2 * count <= most) count *= 2;
    return count == 8 && wanted > count && most >= MOST_TILES ? MOST_TILES : count;
}

/* A product that is divided into `tiles` of rows or of columns. */
typedef struct tiling {
    lb_gemm_fn *serial;
    int64_t m, n, k, tiles;
    lb_matrix a, b;
    lb_real beta, *c;
    int64_t stride;
    const lb_real *row; /* the initial value of each row of c; NULL: none */
} tiling;

/* The start of tile `tile` in `length` rows or columns: the sizes of tiles differ by at most one unit. */
static int64_t tile_start(const tiling *t, int64_t length, int64_t tile)
{
    int64_t units = (length + UNIT - 1) / UNIT;
    return smaller(length, units * tile / t->tiles * UNIT);
}

/* A part of c, which is first filled with its part of the row, if there is one. */
static void multiply_part(const tiling *t, int64_t m, int64_t n, lb_matrix a, lb_matrix b, const lb_real *row,
                          lb_real *c)
{
    for (int64_t i = 0; row && i < m; i++) memcpy(c + i * t->stride, row, (size_t)n * sizeof *c);
    t->serial(m, n, t->k, a, b, t->beta, c, t->stride);
}

static void multiply_tile(const tiling *t, int64_t tile)
{
    bool by_rows = t->m >= t->n;
    int64_t length = by_rows ? t->m : t->n, first = tile_start(t, length, tile),
            count = tile_start(t, length, tile + 1) - first;
    lb_matrix a = t->a, b = t->b;
    if (by_rows) {
        a.data += a.transposed ? first : first * a.stride;
        multiply_part(t, count, t->n, a, b, t->row, t->c + first * t->stride);
    } else {
        b.data += b.transposed ? first * b.stride : first;
        multiply_part(t, t->m, count, a, b, t->row ? t->row + first : NULL, t->c + first);
    }
}

static void multiply_all(const tiling *t)
{
    if (t->tiles == 1) {
        multiply_tile(t, 0);
        return;
    }
    lb_stage_begin("product", t->a.transposed ? "of a weight's gradient" : "of rows");
#pragma omp parallel for schedule(static)
    for (int64_t tile = 0; tile < t->tiles; tile++) multiply_tile(t, tile);
    lb_stage_end();
}

void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, lb_real *c, int64_t stride)
{
    tiling t = {.serial = serial, .m = m, .n = n, .k = k, .a = a, .b = b, .beta = beta, .c = c};
    t.tiles = tile_count(m >= n ? m : n, m * n * k);
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
    t.tiles = tile_count(m >= n ? m : n, m * n * k);
    t.stride = stride;
    t.row = row;
    multiply_all(&t);
}

const char *lb_kernel_name(void)
{
    const char *blas = lb_gemm_blas_kernel();
    return blas ? blas : lb_gemm_own_kernel();
}
