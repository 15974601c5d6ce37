/* Matrix products against three plain loops. This test runs in both precisions. */
#include "support/gapped_matrix.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-14;
#else
static const double TOLERANCE = 1e-6;
#endif

#ifdef _OPENMP
enum { MOST_THREADS = 16 };
#else
enum { MOST_THREADS = 1 };
#endif

static lb_real *make_result(int64_t m, int64_t stride, int64_t n, lb_real start)
{
    lb_real *c = malloc((size_t)(m * stride + 1) * sizeof *c);
    for (int64_t i = 0; i < m * stride; i++)
        c[i] = i % stride >= n ? FILLER : isnan(start) ? start : start + (lb_real)(i % 5);
    return c;
}

static void check_product(lb_gemm_fn *gemm, int64_t m, int64_t n, int64_t k, bool ta, bool tb, lb_real beta)
{
    lb_matrix a = make_matrix(m, k, ta, 1), b = make_matrix(k, n, tb, 2);
    int64_t stride = n + GAP;
    /* With beta = 0, the old content of c is ignored, even NaN. */
    lb_real *c = make_result(m, stride, n, beta == 0 ? (lb_real)NAN : 2);
    gemm(m, n, k, a, b, beta, c, stride);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < stride; j++) {
            double found = (double)c[i * stride + j], sum = 0, size = 0;
            if (j >= n) {
                SUPPORT_CHECK(found == FILLER, "row %d: wrote beside the matrix", (int)i);
                continue;
            }
            for (int64_t p = 0; p < k; p++) {
                sum += at(a, i, p) * at(b, p, j);
                size += fabs(at(a, i, p) * at(b, p, j));
            }
            if (beta != 0) sum += (double)beta * (2 + (double)((i * stride + j) % 5));
            SUPPORT_CHECK(fabs(found - sum) <= TOLERANCE * (1 + size),
                          "[%d,%d,%d] %d%d beta %g: element %d,%d is %.9g, not %.9g", (int)m, (int)n, (int)k,
                          ta, tb, (double)beta, (int)i, (int)j, found, sum);
        }
    }
    free_matrices(a, b);
    free(c);
}

/* Sizes on either side of a tile's edge, tall and wide, and of several tiles; the last has an odd rest. */
static const int64_t sizes[][3] = {{1, 1, 1},      {2, 3, 4},      {15, 16, 17},  {16, 17, 3},
                                   {33, 5, 1},     {1, 70, 9},     {70, 1, 9},    {64, 64, 255},
                                   {64, 64, 256},  {64, 65, 257},  {128, 96, 97}, {513, 31, 140},
                                   {31, 513, 140}, {257, 129, 190}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(test_gemm_all_transposes_equal_plain_loops)
{
    for (int s = 0; s < SIZES; s++)
        for (int kind = 0; kind < 8; kind++)
            check_product(lb_gemm, sizes[s][0], sizes[s][1], sizes[s][2], kind & 1, kind & 2,
                          (lb_real)(kind >> 2));
}
END_TEST

START_TEST(test_gemm_serial_all_transposes_equal_plain_loops)
{
    for (int s = 0; s < SIZES - 3; s++)
        for (int kind = 0; kind < 8; kind++)
            check_product(lb_gemm_serial, sizes[s][0], sizes[s][1], sizes[s][2], kind & 1, kind & 2,
                          (lb_real)(kind >> 2));
}
END_TEST

START_TEST(test_gemm_blas_all_transposes_equal_plain_loops)
{
    if (!lb_gemm_blas_kernel()) {
        support_skip("lb_gemm_blas", "this build has no OpenBLAS");
        return;
    }
    for (int s = 0; s < SIZES - 3; s++)
        for (int kind = 0; kind < 8; kind++)
            check_product(lb_gemm_blas, sizes[s][0], sizes[s][1], sizes[s][2], kind & 1, kind & 2,
                          (lb_real)(kind >> 2));
}
END_TEST

START_TEST(test_gemm_own_all_transposes_equal_plain_loops)
{
    for (int s = 0; s < SIZES - 3; s++)
        for (int kind = 0; kind < 8; kind++)
            check_product(lb_gemm_own, sizes[s][0], sizes[s][1], sizes[s][2], kind & 1, kind & 2,
                          (lb_real)(kind >> 2));
}
END_TEST

START_TEST(test_gemm_own_every_rest_of_transposed_operands_equals_plain_loops)
{
    const int64_t depths[] = {0, 1, 3, 255, 257, 513};
    for (int64_t m = 1; m < 10; m++)
        for (int64_t n = 1; n < 40; n += 2)
            check_product(lb_gemm_own, m, n, depths[(m + n) % 6], m & 1, true,
                          n % 3 ? (lb_real)(n % 3 - 1) : -2);
}
END_TEST

/* The kernels of our own that this processor can run; the output names the others. */
enum { KERNELS = 5 };

static int find_kernels(lb_gemm_fn *found[KERNELS])
{
    int count = 0;
    found[count++] = lb_gemm_base;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found[count++] = lb_gemm_avx2;
    else
        support_skip("lb_gemm_avx2", "this processor has no AVX2");
    if (__builtin_cpu_supports("avx512f"))
        found[count++] = lb_gemm_avx512;
    else
        support_skip("lb_gemm_avx512", "this processor has no AVX-512");
    if (__builtin_cpu_supports("avx2")) found[count++] = lb_gemm_portable_avx2;
    if (__builtin_cpu_supports("avx512f")) found[count++] = lb_gemm_portable_avx512;
#endif
    return count;
}

START_TEST(test_gemm_kernels_every_rest_of_rows_columns_and_depth_equals_plain_loops)
{
    const int64_t depths[] = {1, 2, 255, 256, 257, 513};
    lb_gemm_fn *kernels[KERNELS];
    int count = find_kernels(kernels);
    for (int i = 0; i < count; i++)
        for (int64_t m = 1; m < 20; m++)
            for (int64_t n = 1; n < 70; n += 3)
                check_product(kernels[i], m, n, depths[(m + n) % 6], m & 1, false, (lb_real)(n & 1));
}
END_TEST

START_TEST(test_gemm_serial_every_rest_of_rows_columns_and_depth_equals_plain_loops)
{
    const int64_t depths[] = {1, 2, 255, 256, 257, 513};
    for (int64_t m = 4; m < 20; m++)
        for (int64_t n = 15; n < 70; n += 3)
            check_product(lb_gemm_serial, m, n, depths[(m + n) % 6], m & 1, false, (lb_real)(n & 1));
}
END_TEST

START_TEST(test_gemm_kernels_give_a_row_the_same_bits_in_any_tile)
{
    enum { M = 23, N = 53, K = 300 };
    lb_gemm_fn *kernels[KERNELS];
    int count = find_kernels(kernels);
    for (int kind = 0; kind < 2 * count; kind++) {
        lb_gemm_fn *multiply = kernels[kind / 2];
        lb_matrix a = make_matrix(M, K, kind & 1, 5), b = make_matrix(K, N, false, 6);
        lb_real all[M * N], part[M * N];
        multiply(M, N, K, a, b, 0, all, N);
        for (int64_t first = 0; first < M; first++) {
            lb_matrix rows = a;
            rows.data += kind & 1 ? first : first * a.stride;
            multiply(M - first, N, K, rows, b, 0, part, N);
            ck_assert_msg(memcmp(all + first * N, part, (size_t)((M - first) * N) * sizeof *all) == 0,
                          "rows from %d on differ", (int)first);
        }
        free_matrices(a, b);
    }
}
END_TEST

/* The widest set that OpenBLAS serves; OPENBLAS_CORETYPE can make that narrower than the processor's.
 * The processor's if it serves none. */
static int set_of_blas(void)
{
    int widest = (int)lb_instruction_set_widest();
    for (int set = widest; set >= LB_SET_BASE; set--) {
        atomic_store(&lb_instruction_set_in_force, set);
        if (lb_gemm_blas_serves()) return set;
    }
    return widest;
}

/* Whatever OpenBLAS takes for this processor, a narrower set than its own is not its business. */
START_TEST(test_gemm_of_a_narrower_instruction_set_is_our_own)
{
    enum { M = 64, N = 128, K = 1200 };
    lb_gemm_fn *kernels[KERNELS];
    find_kernels(kernels);
    lb_matrix a = make_matrix(M, K, false, 5), b = make_matrix(K, N, false, 6);
    lb_real *c = malloc(sizeof(lb_real[M * N])), *same = malloc(sizeof(lb_real[M * N]));
    int own = set_of_blas();
    for (int set = LB_SET_BASE; set < own; set++) {
        atomic_store(&lb_instruction_set_in_force, set);
        ck_assert(!lb_gemm_blas_serves());
        ck_assert_str_eq(lb_kernel_name(), lb_gemm_own_kernel());
        lb_gemm_serial(M, N, K, a, b, 0, c, N);
        kernels[set - LB_SET_BASE](M, N, K, a, b, 0, same, N);
        ck_assert_mem_eq(c, same, sizeof(lb_real[M * N]));
    }
    free_matrices(a, b);
    free(c);
    free(same);
}
END_TEST

START_TEST(test_gemm_beta_scales_what_was_there)
{
    check_product(lb_gemm, 37, 41, 11, false, true, (lb_real)-0.5);
    check_product(lb_gemm, 300, 41, 150, true, false, (lb_real)2.5);
}
END_TEST

START_TEST(test_gemm_empty_inner_size_gives_beta_c)
{
    for (int kind = 0; kind < 4; kind++) {
        check_product(lb_gemm, 5, 7, 0, kind & 1, kind & 2, 0);
        check_product(lb_gemm, 5, 7, 0, kind & 1, kind & 2, 1);
    }
    /* Rows without elements have a stride of 0. */
    lb_real c[6] = {NAN, NAN, NAN, NAN, NAN, NAN}, nothing[1] = {7};
    lb_gemm(2, 3, 0, lb_plain(nothing, 0), lb_transposed(nothing, 0), 0, c, 3);
    for (int i = 0; i < 6; i++) ck_assert_msg(c[i] == 0, "element %d is %g", i, (double)c[i]);
    lb_gemm(2, 3, 0, lb_plain(nothing, 0), lb_plain(nothing, 3), 1, c, 3);
    for (int i = 0; SUPPORT_ROW(i, c); i++) ck_assert(c[i] == 0);
}
END_TEST

START_TEST(test_gemm_empty_result_touches_nothing)
{
    lb_real a[4] = {1, 2, 3, 4}, c[2] = {5, 6};
    lb_gemm(0, 2, 2, lb_plain(a, 2), lb_plain(a, 2), 0, c, 2);
    lb_gemm(2, 0, 2, lb_plain(a, 2), lb_plain(a, 2), 0, c, 2);
    ck_assert(c[0] == 5 && c[1] == 6);
}
END_TEST

START_TEST(test_gemm_any_number_of_threads_gives_the_same_bits)
{
    if (MOST_THREADS == 1) support_skip("several threads", "this build has no OpenMP");
    for (int s = SIZES - 6; s < SIZES; s++) {
        int64_t m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
        for (int kind = 0; kind < 4; kind++) {
            lb_matrix a = make_matrix(m, k, kind & 1, 3), b = make_matrix(k, n, kind & 2, 4);
            size_t bytes = (size_t)(m * n) * sizeof(lb_real);
            lb_real *first = malloc(bytes), *other = malloc(bytes);
            lb_set_threads(1);
            ck_assert_int_eq(lb_threads(), 1);
            lb_gemm(m, n, k, a, b, 0, first, n);
            for (int threads = 2; threads <= MOST_THREADS; threads += threads < 4 ? 1 : 6) {
                lb_set_threads(threads);
                ck_assert_int_eq(lb_threads(), threads);
                memset(other, 0, bytes);
                lb_gemm(m, n, k, a, b, 0, other, n);
                ck_assert_int_eq(lb_threads(), threads);
                ck_assert_msg(memcmp(first, other, bytes) == 0, "[%d,%d,%d] on %d threads", (int)m, (int)n,
                              (int)k, threads);
            }
            free_matrices(a, b);
            free(first);
            free(other);
        }
    }
}
END_TEST

START_TEST(test_kernel_names_what_multiplies)
{
    const char *name = lb_kernel_name();
    if (lb_gemm_blas_serves()) {
        ck_assert_msg(strncmp(name, "OpenBLAS ", 9) == 0, "%s", name);
        ck_assert_ptr_nonnull(strchr(name + 9, '.'));
        ck_assert_ptr_nonnull(strchr(name + 9, ' '));
    } else {
        ck_assert_str_eq(name, lb_gemm_own_kernel());
    }
    ck_assert_msg(strncmp(lb_gemm_own_kernel(), "own kernel, ", 12) == 0, "%s", lb_gemm_own_kernel());
}
END_TEST

START_TEST(test_threads_none_means_one_per_processor)
{
    lb_set_threads(3);
    lb_set_threads(0);
    int all = lb_threads();
    ck_assert_int_ge(all, 1);
    lb_set_threads(-4);
    ck_assert_int_eq(lb_threads(), all);
}
END_TEST
