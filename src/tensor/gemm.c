#include "tensor/gemm.h"

#include "base/alloc.h"
#include "base/progress.h"
#include "base/threads.h"

#include <assert.h>
#include <string.h>

enum {
    TILE_WORK = 1 << 20, /* multiply-adds below which a tile is not worth a thread */
    MOST_TILES = 16,     /* each tile reads its part of both operands again */
    UNIT = 32 /* the width of the kernels' innermost loops: tiles are whole units, but for the last */
};

/* Whether OpenBLAS is faster. That was measured once, for each instruction set: what decides must not depend on a
 * clock, because it decides the bits, too (docs/adr/0012-a-product-of-our-own.md). */
static bool is_for_blas(int64_t m, int64_t n, int64_t k, bool b_transposed)
{
    enum {
        SMALL = 1 << 15, /* multiply-adds: callers of OpenBLAS wait for each other */
        LARGE = 1 << 21, /* those whose operands leave the cache, and are better copied */
        ROWS = 4,
        COLUMNS = 64 / sizeof(lb_real) /* a vector of AVX-512 */
    };
    const int64_t work = m * n * k;
    if (work <= SMALL || !lb_gemm_blas_serves()) return false;
    switch (lb_instruction_set_here()) {
    case LB_SET_AVX512:
        return b_transposed || m < ROWS || n < COLUMNS;
    case LB_SET_AVX2:
        return m >= ROWS && work > LARGE;
    default:
        return true;
    }
}

void lb_gemm_serial(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                    int64_t stride)
{
    (is_for_blas(m, n, k, b.transposed) ? lb_gemm_blas : lb_gemm_own)(m, n, k, a, b, beta, c, stride);
}

void lb_gemm_laid_out(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                      int64_t stride)
{
    (is_for_blas(m, n, k, false) ? lb_gemm_blas : lb_gemm_own)(m, n, k, a, b, beta, c, stride);
}

/* How a product is divided into tiles: one above the other, and side by side. */
typedef struct tiling {
    lb_gemm_fn *serial;
    int64_t m, n, k, above, beside;
    int64_t depth; /* the part of k that all tiles have in common with our kernel before they go on */
    lb_matrix a, b;
    lb_real beta, *c;
    int64_t stride;
    const lb_real *row; /* the initial value of each row of c; NULL: none */
    bool rectify;
    uint32_t *pairs_of_a, *pairs_of_b; /* of the part of k, if it is multiplied in bfloat16; otherwise NULL */
} tiling;

/* Doubles the number of parts of a side; false if they would be too small. */
static bool double_parts(int64_t length, int64_t *parts)
{
    if (length < 2 * *parts * UNIT) return false;
    *parts *= 2;
    return true;
}

/* Tiles one above the other each read all of b. If it fits no second cache, they go through it together, part by part,
 * unless writing c for each part costs more. Our kernel sums up such parts anyway, so that no bit changes. */
static int64_t depth_of(const tiling *t)
{
    enum { PART = 2 * LB_GEMM_DEPTH, SECOND_CACHE = 1 << 20 };
    bool leaves_cache = t->k * t->n / t->beside * (int64_t)sizeof(lb_real) > SECOND_CACHE;
    return leaves_cache && t->above > 1 && 2 * t->m < t->above * PART ? PART : t->k;
}

/* Divides the longer side as often as possible, then the other one. */
static void divide(tiling *t)
{
    int64_t wanted = lb_smaller(MOST_TILES, 1 + t->m * t->n * t->k / TILE_WORK), longer = 1, other = 1;
    bool tall = t->m >= t->n;
    while (2 * longer * other <= wanted &&
           (double_parts(tall ? t->m : t->n, &longer) || double_parts(tall ? t->n : t->m, &other))) {
    }
    t->above = tall ? longer : other;
    t->beside = tall ? other : longer;
    t->depth = depth_of(t);
}

/* The start of tile `tile` of `tiles` in `length` rows or columns: the sizes of tiles differ by at most one unit. */
static int64_t tile_start(int64_t length, int64_t tile, int64_t tiles)
{
    int64_t units = (length + UNIT - 1) / UNIT;
    return lb_smaller(length, units * tile / tiles * UNIT);
}

/* NaN stays. */
LB_KERNEL(rectify_rows, (int64_t m, int64_t n, lb_real *c, int64_t stride), (m, n, c, stride))
{
    for (int64_t i = 0; i < m; i++, c += stride)
#pragma omp simd
        for (int64_t j = 0; j < n; j++) c[j] = c[j] < 0 ? 0 : c[j];
}

/* A tile of c, for the part of k from `first` on. It is first filled with its part of the row, if there is one.
 * OpenBLAS computes all of it with the first part. */
static void multiply_tile(const tiling *t, int64_t tile, int64_t first)
{
    int64_t down = tile / t->beside, across = tile % t->beside;
    int64_t i = tile_start(t->m, down, t->above), m = tile_start(t->m, down + 1, t->above) - i;
    int64_t j = tile_start(t->n, across, t->beside), n = tile_start(t->n, across + 1, t->beside) - j;
    lb_matrix a = lb_matrix_from(t->a, i, first), b = lb_matrix_from(t->b, first, j);
    lb_real *c = t->c + i * t->stride + j;
    for (int64_t row = 0; t->row && first == 0 && row < m; row++)
        memcpy(c + row * t->stride, t->row + j, (size_t)n * sizeof *c);
    if (t->pairs_of_a) {
        const int64_t depth = lb_smaller(t->depth, t->k - first), pairs = lb_pairs_of(depth);
        lb_pairs_multiply(m, n, depth, t->pairs_of_a + i * pairs, t->a.transposed, t->pairs_of_b + j * pairs,
                          pairs * LB_PAIRS_PANEL, first > 0 || t->beta == 1, c, t->stride);
    } else if (t->serial == lb_gemm_serial && !is_for_blas(m, n, t->k, b.transposed)) {
        lb_gemm_own(m, n, lb_smaller(t->depth, t->k - first), a, b, first ? 1 : t->beta, c, t->stride);
    } else if (first == 0) {
        t->serial(m, n, t->k, a, b, t->beta, c, t->stride);
    }
    if (t->rectify && first + t->depth >= t->k) rectify_rows(m, n, c, t->stride);
}

/* Copies some rows of a, or columns of b, for a part of k as pairs. */
static void copy_pairs(const tiling *t, int64_t first, bool rows, int64_t from, int64_t count)
{
    const int64_t depth = lb_smaller(t->depth, t->k - first), at = from * lb_pairs_of(depth);
    if (rows)
        lb_pairs_rows(depth, count, lb_matrix_from(t->a, from, first), t->pairs_of_a + at);
    else
        lb_pairs_columns(depth, count, lb_matrix_from(t->b, first, from), t->pairs_of_b + at);
}

/* The only tile, on the calling thread. */
static void multiply_alone(const tiling *t)
{
    int64_t first = 0;
    do {
        for (int side = 0; side < 2 && t->pairs_of_a; side++)
            copy_pairs(t, first, side == 0, 0, side == 0 ? t->m : t->n);
        multiply_tile(t, 0, first);
        first += t->depth;
    } while (first < t->k);
}

/* Until all threads have written, or read, the copies. */
static void wait_for_pairs(const tiling *t)
{
    if (t->pairs_of_a) {
#pragma omp barrier
    }
}

/* On all threads of a team. A thread has the same tiles for each part of k, so that none waits for another, but for the
 * copies. */
static void multiply_together(const tiling *t)
{
    for (int64_t first = 0; first < t->k; first += t->depth) {
        for (int side = 0; side < 2 && t->pairs_of_a; side++) {
            const int64_t count = side == 0 ? t->m : t->n;
#pragma omp for schedule(static) nowait
            for (int64_t i = 0; i < count; i += UNIT)
                copy_pairs(t, first, side == 0, i, lb_smaller(UNIT, count - i));
        }
        wait_for_pairs(t);
#pragma omp for schedule(static) nowait
        for (int64_t tile = 0; tile < t->above * t->beside; tile++) multiply_tile(t, tile, first);
        if (first + t->depth < t->k) wait_for_pairs(t);
    }
}

static void multiply(const tiling *t)
{
    if (t->above * t->beside == 1) {
        multiply_alone(t);
        return;
    }
    lb_stage_begin("product", t->a.transposed ? "of a weight's gradient" : "of rows");
#pragma omp parallel
    multiply_together(t);
    lb_stage_end();
}

void lb_gemm_rounded(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
                     int64_t stride)
{
    enum { SIDE = 64, ROOM = SIDE * LB_PAIRS_DEPTH / 2 };
    uint32_t pairs_of_a[ROOM], pairs_of_b[ROOM];
    for (int64_t i = 0; i < m; i += SIDE)
        for (int64_t j = 0; j < n; j += SIDE)
            multiply_alone(&(tiling){.m = lb_smaller(SIDE, m - i),
                                     .n = lb_smaller(SIDE, n - j),
                                     .k = k,
                                     .above = 1,
                                     .beside = 1,
                                     .depth = LB_PAIRS_DEPTH,
                                     .a = lb_matrix_from(a, i, 0),
                                     .b = lb_matrix_from(b, 0, j),
                                     .beta = beta,
                                     .c = c + i * stride + j,
                                     .stride = stride,
                                     .pairs_of_a = pairs_of_a,
                                     .pairs_of_b = pairs_of_b});
}

/* Copies both operands once for all tiles, if there is memory for a part of k. */
static bool has_pairs(tiling *t)
{
    lb_pairs *pairs = t->a.rounded ? t->a.rounded : t->b.rounded;
    const int64_t depth = lb_smaller(LB_PAIRS_DEPTH, t->k), left = lb_pairs_room(t->m, depth),
                  right = lb_pairs_room(t->n, depth);
    if (!lb_alloc_room(&pairs->memory, 0, (size_t)(left + right), &pairs->capacity, sizeof *pairs->memory))
        return false;
    t->depth = LB_PAIRS_DEPTH;
    t->pairs_of_a = pairs->memory;
    t->pairs_of_b = pairs->memory + left;
    return true;
}

void lb_gemm_tiled(lb_gemm_fn *serial, int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b,
                   lb_real beta, const lb_real *row, bool rectify, lb_real *c, int64_t stride)
{
    assert(lb_matrix_fits(a, m, k) && lb_matrix_fits(b, k, n) && stride >= n);
    tiling t = {.serial = serial, .m = m, .n = n, .k = k, .a = a, .b = b, .c = c, .stride = stride};
    t.beta = row ? 1 : beta;
    t.row = row;
    t.rectify = rectify;
    divide(&t);
    if ((a.rounded || b.rounded) && !has_pairs(&t)) {
        t.serial = lb_gemm_rounded;
        t.depth = k;
    }
    multiply(&t);
}

void lb_gemm(int64_t m, int64_t n, int64_t k, lb_matrix a, lb_matrix b, lb_real beta, lb_real *c,
             int64_t stride)
{
    lb_gemm_tiled(lb_gemm_serial, m, n, k, a, b, beta, NULL, false, c, stride);
}

const char *lb_kernel_name(void)
{
    return lb_gemm_blas_serves() ? lb_gemm_blas_kernel() : lb_gemm_own_kernel();
}
