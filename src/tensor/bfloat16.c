/* Copies of operands as pairs in bfloat16, and their products by the instruction for them. */
#include "tensor/gemm.h"

#if defined(__x86_64__) && !defined(LB_REAL_IS_DOUBLE) && !defined(LB_PREDICT)
#    include <immintrin.h>

#    define TARGET  __attribute__((target("avx512bf16,avx512bw,avx512vl")))
#    define INLINED __attribute__((always_inline)) TARGET
#    ifdef __clang__
#        define UNROLL _Pragma("clang loop unroll(full)")
#    else
#        define UNROLL _Pragma("GCC unroll 16")
#    endif

enum { LANES = 16, PANEL = LB_PAIRS_PANEL, ROWS = 8 /* of c in registers */ };

/* ---- Copies. ---- */

/* 16 neighbours, of which `count` are there. */
static inline INLINED __m512 numbers(const float *from, int64_t count)
{
    return count >= LANES ? _mm512_loadu_ps(from)
           : count > 0    ? _mm512_maskz_loadu_ps((__mmask16)((1U << count) - 1), from)
                          : _mm512_setzero_ps();
}

/* 16 pairs of neighbours. */
static inline INLINED __m512i pairs_along(const float *from, int64_t count)
{
    return (__m512i)_mm512_cvtne2ps_pbh(numbers(from + LANES, count - LANES), numbers(from, count));
}

/* Rows of k, two by two. */
static TARGET void pair_rows(int64_t k, int64_t columns, const float *from, int64_t stride, uint32_t *to)
{
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23,
                                           7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    for (int64_t i = 0; i < k; i += 2, from += 2 * stride, to += PANEL)
        for (int64_t j = 0; j < PANEL; j += LANES) {
            __m512 first = numbers(from + j, columns - j),
                   second = i + 1 < k ? numbers(from + stride + j, columns - j) : _mm512_setzero_ps();
            _mm512_storeu_si512(to + j,
                                _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(second, first)));
        }
}

/* Transposes sixteen rows of sixteen pairs. */
static inline INLINED void transpose(__m512i row[LANES])
{
    __m512i half[LANES];
    for (int i = 0; i < LANES; i += 2) {
        half[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
        half[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (int i = 0; i < LANES; i += 4)
        for (int j = 0; j < 2; j++) {
            row[i + 2 * j] = _mm512_unpacklo_epi64(half[i + j], half[i + j + 2]);
            row[i + 2 * j + 1] = _mm512_unpackhi_epi64(half[i + j], half[i + j + 2]);
        }
    for (int i = 0; i < LANES; i += 8)
        for (int j = 0; j < 4; j++) {
            half[i + j] = _mm512_shuffle_i32x4(row[i + j], row[i + j + 4], 0x88);
            half[i + j + 4] = _mm512_shuffle_i32x4(row[i + j], row[i + j + 4], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        row[j] = _mm512_shuffle_i32x4(half[j], half[j + 8], 0x88);
        row[j + 8] = _mm512_shuffle_i32x4(half[j], half[j + 8], 0xdd);
    }
}

/* Columns whose numbers are neighbours along k. */
static TARGET void pair_columns(int64_t k, int64_t columns, const float *from, int64_t stride, uint32_t *to)
{
    for (int64_t j = 0; j < PANEL; j += LANES)
        for (int64_t i = 0; i < k; i += PANEL) {
            __m512i row[LANES];
            for (int64_t at = 0; at < LANES; at++)
                row[at] = j + at < columns ? pairs_along(from + (j + at) * stride + i, k - i)
                                           : _mm512_setzero_si512();
            transpose(row);
            for (int64_t at = 0; at < LANES && i + 2 * at < k; at++)
                _mm512_storeu_si512(to + (i / 2 + at) * PANEL + j, row[at]);
        }
}

void lb_pairs_columns(int64_t k, int64_t columns, lb_matrix b, uint32_t *to)
{
    for (int64_t j = 0; j < columns; j += PANEL, to += lb_pairs_of(k) * PANEL) {
        const lb_matrix panel = lb_matrix_from(b, 0, j);
        (b.transposed ? pair_columns : pair_rows)(k, columns - j, panel.data, b.stride, to);
    }
}

TARGET void lb_pairs_rows(int64_t k, int64_t rows, lb_matrix a, uint32_t *to)
{
    if (a.transposed) {
        lb_pairs_columns(k, rows, lb_plain(a.data, a.stride), to);
        return;
    }
    for (int64_t row = 0; row < rows; row++, to += lb_pairs_of(k))
        for (int64_t i = 0; i < k; i += PANEL) {
            const int64_t left = lb_pairs_of(k - i);
            const __mmask16 there = (__mmask16)(left < LANES ? (1U << left) - 1 : UINT16_MAX);
            _mm512_mask_storeu_epi32(to + i / 2, there, pairs_along(a.data + row * a.stride + i, k - i));
        }
}

/* ---- The product. ---- */

/* c [rows, columns] = a b, or += a b, where pair i of a row is a[i * step + row * next], and b is a panel. */
static inline INLINED void block(int rows, int64_t columns, int64_t pairs, const uint32_t *a, int64_t next,
                                 int64_t step, const uint32_t *b, bool add, float *c, int64_t stride)
{
    __m512 sum[ROWS][2];
    UNROLL
    for (int row = 0; row < rows; row++) sum[row][0] = sum[row][1] = _mm512_setzero_ps();
    for (int64_t i = 0; i < pairs; i++, b += PANEL) {
        const __m512bh left = (__m512bh)_mm512_loadu_si512(b),
                       right = (__m512bh)_mm512_loadu_si512(b + LANES);
        UNROLL
        for (int row = 0; row < rows; row++) {
            const __m512bh x = (__m512bh)_mm512_set1_epi32((int)a[i * step + row * next]);
            sum[row][0] = _mm512_dpbf16_ps(sum[row][0], x, left);
            sum[row][1] = _mm512_dpbf16_ps(sum[row][1], x, right);
        }
    }
    const uint32_t there = columns < PANEL ? (1U << columns) - 1 : UINT32_MAX;
    UNROLL
    for (int row = 0; row < rows; row++)
        for (int half = 0; half < 2; half++) {
            float *to = c + row * stride + (ptrdiff_t)half * LANES;
            const __mmask16 mask = (__mmask16)(there >> half * LANES);
            if (add) sum[row][half] = _mm512_add_ps(sum[row][half], _mm512_maskz_loadu_ps(mask, to));
            if (columns >= PANEL)
                _mm512_storeu_ps(to, sum[row][half]);
            else
                _mm512_mask_storeu_ps(to, mask, sum[row][half]);
        }
}

static inline INLINED void rows_of(int64_t m, int64_t columns, int64_t pairs, const uint32_t *a, int64_t next,
                                   int64_t step, const uint32_t *b, bool add, float *c, int64_t stride)
{
    for (; m >= ROWS; m -= ROWS, a += ROWS * next, c += ROWS * stride)
        block(ROWS, columns, pairs, a, next, step, b, add, c, stride);
    for (; m >= 4; m -= 4, a += 4 * next, c += 4 * stride)
        block(4, columns, pairs, a, next, step, b, add, c, stride);
    for (; m > 0; m--, a += next, c += stride) block(1, columns, pairs, a, next, step, b, add, c, stride);
}

TARGET void lb_pairs_multiply(int64_t m, int64_t n, int64_t k, const uint32_t *a, bool a_transposed,
                              const uint32_t *b, int64_t panel, bool add, lb_real *c, int64_t stride)
{
    const int64_t pairs = lb_pairs_of(k);
    for (int64_t j = 0; j < n; j += PANEL, b += panel, c += PANEL) {
        if (!a_transposed) rows_of(m, n - j, pairs, a, pairs, 1, b, add, c, stride);
        for (int64_t i = 0; a_transposed && i < m; i += PANEL)
            rows_of(m - i < PANEL ? m - i : PANEL, n - j, pairs, a + i * pairs, 1, PANEL, b, add,
                    c + i * stride, stride);
    }
}

#else

/* Nobody comes here: lb_bfloat16_check. */
void lb_pairs_columns(int64_t k, int64_t columns, lb_matrix b, uint32_t *to)
{
    (void)k, (void)columns, (void)b, (void)to;
}
void lb_pairs_rows(int64_t k, int64_t rows, lb_matrix a, uint32_t *to)
{
    (void)k, (void)rows, (void)a, (void)to;
}
void lb_pairs_multiply(int64_t m, int64_t n, int64_t k, const uint32_t *a, bool a_transposed,
                       const uint32_t *b, int64_t panel, bool add, lb_real *c, int64_t stride)
{
    (void)m, (void)n, (void)k, (void)a, (void)a_transposed, (void)b, (void)panel, (void)add, (void)c,
        (void)stride;
}

#endif

/* What is missing; NULL: nothing. */
static const char *missing(void)
{
#ifdef LB_REAL_IS_DOUBLE
    return "this library computes in double precision";
#elif !defined(__x86_64__)
    return "this processor has no avx512_bf16";
#else
    if (!__builtin_cpu_supports("avx512bf16") || lb_instruction_set_widest() != LB_SET_AVX512)
        return "this processor has no avx512_bf16";
    return lb_instruction_set_here() == LB_SET_AVX512 ? NULL : "it needs AVX-512: leave out --isa";
#endif
}

lb_status lb_bfloat16_check(lb_error *error)
{
    const char *reason = missing();
    return reason ? lb_error_set(error, LB_ERROR_ARGUMENT, "precision: found bfloat16, but %s", reason)
                  : LB_OK;
}
