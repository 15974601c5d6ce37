/* Products of operands rounded to bfloat16 against plain loops in double over numbers rounded by integers. A product is
 * within a bound, because the instruction rounds its sums in its own way; it takes subnormal numbers for 0. What
 * multiplies is skipped where the processor has no such instruction. This test runs in both precisions. */
#include "lookback/autograd.h"
#include "support/alloc.h"
#include "support/gapped_matrix.h"
#include "support/suite.h"
#include "tensor/panels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The nearest bfloat16, of two as near the even one; a subnormal becomes 0. */
static double rounded(lb_real number)
{
    const float x = (float)number;
    uint32_t bits;
    float y;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) return NAN;
    if (fabsf(x) < FLT_MIN) return 0;
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
    memcpy(&y, &bits, sizeof y);
    return (double)y;
}

static bool is_skipped(void)
{
    lb_error error = {0};
    if (!lb_bfloat16_check(&error)) return false;
#ifdef LB_REAL_IS_DOUBLE
    ck_assert_ptr_nonnull(strstr(error.message, "double precision"));
#else
    support_skip("products in bfloat16", "this processor has no avx512_bf16");
#endif
    return true;
}

/* c [m, n], where `start` was before, against sums of k products, in b from row `begin` on. A sum is rounded once for
 * two products. */
static void check(lb_matrix a, lb_matrix b, int64_t m, int64_t n, int64_t k, int64_t begin, double start,
                  const lb_real *c, int64_t stride)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < stride; j++) {
            double sum = start, size = fabs(start), found = (double)c[i * stride + j];
            if (j >= n) {
                SUPPORT_CHECK(found == FILLER, "row %d: wrote beside the matrix", (int)i);
                continue;
            }
            for (int64_t p = 0; p < k; p++) {
                const double product = rounded((lb_real)at(a, i, p)) * rounded((lb_real)at(b, begin + p, j));
                sum += product;
                size += fabs(product);
            }
            SUPPORT_CHECK(fabs(found - sum) <= size * (double)(k / 2 + 2) * 0x1p-23,
                          "[%d,%d,%d] %d%d: element %d,%d is %.9g, not %.9g", (int)m, (int)n, (int)k,
                          a.transposed, b.transposed, (int)i, (int)j, found, sum);
        }
}

static lb_real *make_result(int64_t m, int64_t n, int64_t stride, lb_real start)
{
    lb_real *c = malloc((size_t)(m * stride + 1) * sizeof *c);
    for (int64_t i = 0; i < m * stride; i++) c[i] = i % stride < n ? start : FILLER;
    return c;
}

static void multiply(int64_t m, int64_t n, int64_t k, int kind, lb_gemm_fn *gemm)
{
    lb_pairs pairs = {0};
    lb_matrix a = make_matrix(m, k, kind & 1, 1), b = make_matrix(k, n, kind & 2, 2);
    const double start = kind & 4 ? 1 : 0;
    const int64_t stride = n + GAP;
    /* With beta = 0, the old content of c is ignored, even NaN. */
    lb_real *c = make_result(m, n, stride, kind & 4 ? 1 : (lb_real)NAN);
    a.rounded = &pairs;
    gemm(m, n, k, a, b, (lb_real)start, c, stride);
    check(a, b, m, n, k, 0, start, c, stride);
    lb_release(pairs.memory);
    free_matrices(a, b);
    free(c);
}

/* Sizes on either side of registers, panels and depths, tall and wide; the last ones have several tiles. */
static const int64_t sizes[][3] = {{1, 1, 1},     {2, 3, 4},     {15, 16, 17},   {8, 32, 31},   {9, 33, 33},
                                   {33, 5, 1},    {1, 70, 9},    {70, 1, 0},     {64, 64, 511}, {40, 47, 512},
                                   {64, 65, 513}, {128, 96, 97}, {300, 31, 600}, {31, 513, 140}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(test_bfloat16_products_equal_plain_loops_over_rounded_operands)
{
    if (is_skipped()) return;
    for (int i = 0; i < SIZES; i++)
        for (int kind = 0; kind < 8; kind++) {
            multiply(sizes[i][0], sizes[i][1], sizes[i][2], kind, lb_gemm);
            multiply(sizes[i][0], sizes[i][1], sizes[i][2], kind, lb_gemm_rounded);
        }
}
END_TEST

/* A product with 1 is the number as it was rounded. */
START_TEST(test_bfloat16_rounds_to_the_nearest_and_ties_to_even)
{
    if (is_skipped()) return;
    const lb_real numbers[] = {1,
                               (lb_real)1.00390625, /* 1 + 2^-8: as near to 1 as to 1 + 2^-7 */
                               (lb_real)1.01171875, /* 1 + 3 2^-8 */
                               (lb_real)1.00390637,
                               (lb_real)-1.00390625,
                               (lb_real)3.3961775e38, /* more than the largest bfloat16 */
                               (lb_real)INFINITY,
                               (lb_real)NAN,
                               FLT_MIN,
                               FLT_MIN / 2,
                               -FLT_MIN / 2,
                               0};
    for (int i = 0; SUPPORT_ROW(i, numbers); i++)
        for (int side = 0; side < 2; side++) {
            lb_pairs pairs = {0};
            lb_real one = 1, c = -1;
            lb_matrix x = lb_plain(&numbers[i], 1), y = lb_plain(&one, 1);
            x.rounded = &pairs;
            lb_gemm(1, 1, 1, side ? y : x, side ? x : y, 0, &c, 1);
            const double expected = rounded(numbers[i]);
            SUPPORT_CHECK((double)c == expected || (isnan(c) && isnan(expected)),
                          "%.9g becomes %.9g, not %.9g", (double)numbers[i], (double)c, expected);
            lb_release(pairs.memory);
        }
}
END_TEST

/* Without memory for copies, and on any number of threads. */
START_TEST(test_bfloat16_products_have_the_same_bits_in_any_tile)
{
    if (is_skipped()) return;
    enum { M = 300, N = 150, K = 700 };
    const size_t bytes = sizeof(lb_real[M * N]);
    lb_real *c = malloc(bytes), *other = malloc(bytes), row[N];
    for (int j = 0; j < N; j++) row[j] = (lb_real)j - 70;
    for (int kind = 0; kind < 4; kind++) {
        lb_pairs pairs = {0}, none = {0};
        lb_matrix a = make_matrix(M, K, kind & 1, 3), b = make_matrix(K, N, kind & 2, 4);
        b.rounded = &pairs;
        lb_set_threads(1);
        lb_gemm_tiled(lb_gemm_serial, M, N, K, a, b, 0, row, true, c, N);
        for (int threads = 2; threads < 6; threads++) {
            lb_set_threads(threads);
            lb_gemm_tiled(lb_gemm_serial, M, N, K, a, b, 0, row, true, other, N);
            ck_assert_mem_eq(c, other, bytes);
        }
        b.rounded = &none;
        support_watch_allocations();
        support_fail_from_allocation(1);
        lb_gemm_tiled(lb_gemm_serial, M, N, K, a, b, 0, row, true, other, N);
        support_fail_from_allocation(0);
        ck_assert_ptr_null(none.memory);
        ck_assert_mem_eq(c, other, bytes);
        lb_release(pairs.memory);
        free_matrices(a, b);
    }
    lb_set_threads(0);
    free(c);
    free(other);
}
END_TEST

START_TEST(test_bfloat16_panels_equal_plain_loops_over_rounded_operands)
{
    if (is_skipped()) return;
    enum { DEPTH = 700, COLUMNS = 75, ROWS = 70, STRIDE = COLUMNS + GAP };
    static const int64_t parts[][2] = {{0, DEPTH}, {0, 466}, {466, 234}, {233, 467}};
    lb_real *packed = malloc((size_t)lb_panels_size(DEPTH, COLUMNS) * sizeof *packed);
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; SUPPORT_ROW(i, parts); i++)
            for (int64_t rows = 1; rows <= ROWS; rows += 23) {
                lb_pairs pairs = {0};
                lb_matrix a = make_matrix(rows, parts[i][1], false, 5),
                          b = make_matrix(DEPTH, COLUMNS, kind & 1, 6);
                lb_real *c = make_result(rows, COLUMNS, STRIDE, (lb_real)NAN);
                b.rounded = &pairs;
                lb_panels panels = {b, DEPTH, COLUMNS, kind & 2 ? packed : NULL};
                lb_panels_pack(&panels, 1, 3);
                lb_panels_pack(&panels, 0, 1);
                lb_panels_multiply(&panels, 0, 1, parts[i][0], parts[i][1], rows, a, 0, c, STRIDE);
                lb_panels_multiply(&panels, 1, 3, parts[i][0], parts[i][1], rows, a, 0, c, STRIDE);
                check(a, b, rows, COLUMNS, parts[i][1], parts[i][0], 0, c, STRIDE);
                lb_release(pairs.memory);
                free_matrices(a, b);
                free(c);
            }
    free(packed);
}
END_TEST

START_TEST(test_bfloat16_is_refused_where_it_is_not)
{
    lb_tape *tape = lb_tape_new();
    lb_error error = {0};
    ck_assert_int_eq(lb_tape_set_precision(tape, LB_FLOAT32, &error), LB_OK);
    for (int set = LB_SET_BASE; set <= LB_SET_PORTABLE_AVX512; set++) {
        if (set == LB_SET_AVX512) continue;
        atomic_store(&lb_instruction_set_in_force, set);
        ck_assert_int_eq(lb_tape_set_precision(tape, LB_BFLOAT16, &error), LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.message, "precision: found bfloat16, but ") == error.message, "%s",
                      error.message);
        error = (lb_error){0};
    }
    lb_tape_free(tape);
}
END_TEST
