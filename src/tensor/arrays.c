#include "tensor/arrays.h"

#include "base/bytes.h"
#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Adding and setting. ---- */

enum {
    CHUNK = 1 << 13, /* elements that a thread takes at a time, at most */
    ALONE = 1 << 16, /* elements that are not worth a second thread: a quarter of a megabyte */
    LINE = 16        /* neighbours that belong to one thread: a line of the cache */
};

/* Smaller arrays do not use OpenMP: even a region of one thread would cost more than the smallest of them. */

/* An operation on a range of elements; some need no factor, some no input. */
typedef void chunk_fn(int64_t count, lb_real factor, const lb_real *from, lb_real *to);

static void in_chunks(chunk_fn *apply, int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    assert(count >= 0);
    if (count <= ALONE) {
        apply(count, factor, from, to);
        return;
    }
    int64_t each = lb_chunk_for_threads(count, LINE, CHUNK);
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += each)
        apply(lb_smaller(each, count - first), factor, from + first, to + first);
}

LB_KERNEL(add_scaled_chunk, (int64_t count, lb_real factor, const lb_real *from, lb_real *to),
          (count, factor, from, to))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += factor * from[i];
}

void lb_add_scaled_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    in_chunks(add_scaled_chunk, count, factor, from, to);
}

void lb_add_to(int64_t count, const lb_real *from, lb_real *to)
{
    lb_add_scaled_to(count, 1, from, to);
}

LB_KERNEL(move_chunk, (int64_t count, lb_real share, const lb_real *goal, lb_real *moved),
          (count, share, goal, moved))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) moved[i] += share * (goal[i] - moved[i]);
}

void lb_move_towards(int64_t count, lb_real share, const lb_real *goal, lb_real *moved)
{
    in_chunks(move_chunk, count, share, goal, moved);
}

LB_KERNEL(scale_chunk, (int64_t count, lb_real factor, const lb_real *from, lb_real *to),
          (count, factor, from, to))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] = factor * from[i];
}

void lb_scale_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    in_chunks(scale_chunk, count, factor, from, to);
}

static void copy_chunk(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    (void)factor;
    memcpy(to, from, (size_t)count * sizeof *to);
}

void lb_copy_to(int64_t count, const lb_real *from, lb_real *to)
{
    in_chunks(copy_chunk, count, 1, from, to);
}

static void zero_chunk(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    (void)factor, (void)from;
    memset(to, 0, (size_t)count * sizeof *to);
}

void lb_set_zero(int64_t count, lb_real *to)
{
    in_chunks(zero_chunk, count, 0, to, to);
}

/* Adds rows to those of `to`, which are `to_stride` apart; 0: all to one. */
LB_KERNEL(add_block,
          (const int32_t *id, int64_t rows, int64_t count, const lb_real *from, int64_t stride, lb_real *to,
           int64_t to_stride),
          (id, rows, count, from, stride, to, to_stride))
{
    for (int64_t row = 0; row < rows; row++) {
        lb_real *sum = to + (id ? id[row] : row) * to_stride;
#pragma omp simd
        for (int64_t i = 0; i < count; i++) sum[i] += from[row * stride + i];
    }
}

static void add_rows(const int32_t *id, int64_t rows, int64_t width, const lb_real *from, int64_t stride,
                     lb_real *to, int64_t to_stride)
{
    assert(stride >= width);
    if (rows * width <= ALONE) {
        add_block(id, rows, width, from, stride, to, to_stride);
        return;
    }
    int64_t block = lb_chunk_for_threads(width, LINE, width);
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < width; first += block)
        add_block(id, rows, lb_smaller(block, width - first), from + first, stride, to + first, to_stride);
}

void lb_add_rows_to(int64_t rows, int64_t width, const lb_real *from, int64_t stride, lb_real *to)
{
    add_rows(NULL, rows, width, from, stride, to, 0);
}

void lb_add_at_rows(const int32_t *id, int64_t rows, int64_t width, const lb_real *from, int64_t stride,
                    lb_real *to)
{
    add_rows(id, rows, width, from, stride, to, width);
}

/* ---- Dropout. ---- */

enum { WORDS = 4 };

void lb_dropout_mask(lb_rng rng, lb_real p, int64_t first, int64_t count, lb_real *factor)
{
    lb_rng_block bits = {{0}};
    assert(p >= 0 && p < 1);
    for (int64_t i = first; i < first + count; i++) {
        if (i == first || i % WORDS == 0) bits = lb_rng_bits(rng, (uint64_t)i / WORDS);
        factor[i - first] = (double)bits.word[i % WORDS] * 0x1p-32 < (double)p ? 0 : 1 / (1 - p);
    }
}

/* ---- Numbers that are not finite. ---- */

int64_t lb_first_not_finite(const lb_real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}
