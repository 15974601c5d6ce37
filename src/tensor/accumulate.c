#include "tensor/accumulate.h"

#include "base/threads.h"

#include <string.h>

enum {
    RUN = 1 << 13,   /* elements that a thread takes at a time, at most */
    ALONE = 1 << 16, /* elements that are not worth a second thread: a quarter of a megabyte */
    LINE = 16        /* neighbours that belong to one thread: a line of the cache */
};

/* Smaller arrays do not use OpenMP: even a region of one thread would cost more than the smallest of them. */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* An operation on a range of elements; some need no factor, some no input. */
typedef void run_fn(int64_t count, lb_real factor, const lb_real *from, lb_real *to);

static void in_runs(run_fn *run, int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    if (count <= ALONE) {
        run(count, factor, from, to);
        return;
    }
    int64_t each = lb_run_for_threads(count, LINE, RUN);
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += each)
        run(smaller(each, count - first), factor, from + first, to + first);
}

LB_KERNEL(add_run, (int64_t count, lb_real factor, const lb_real *from, lb_real *to),
          (count, factor, from, to))
{
    (void)factor;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

void lb_add_to(int64_t count, const lb_real *from, lb_real *to)
{
    in_runs(add_run, count, 1, from, to);
}

LB_KERNEL(add_scaled_run, (int64_t count, lb_real factor, const lb_real *from, lb_real *to),
          (count, factor, from, to))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += factor * from[i];
}

void lb_add_scaled_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    in_runs(add_scaled_run, count, factor, from, to);
}

LB_KERNEL(move_run, (int64_t count, lb_real share, const lb_real *goal, lb_real *moved),
          (count, share, goal, moved))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) moved[i] += share * (goal[i] - moved[i]);
}

void lb_move_towards(int64_t count, lb_real share, const lb_real *goal, lb_real *moved)
{
    in_runs(move_run, count, share, goal, moved);
}

LB_KERNEL(scale_run, (int64_t count, lb_real factor, const lb_real *from, lb_real *to),
          (count, factor, from, to))
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] = factor * from[i];
}

void lb_scale_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    in_runs(scale_run, count, factor, from, to);
}

static void copy_run(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    (void)factor;
    memcpy(to, from, (size_t)count * sizeof *to);
}

void lb_copy_to(int64_t count, const lb_real *from, lb_real *to)
{
    in_runs(copy_run, count, 1, from, to);
}

static void zero_run(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    (void)factor, (void)from;
    memset(to, 0, (size_t)count * sizeof *to);
}

void lb_set_zero(int64_t count, lb_real *to)
{
    in_runs(zero_run, count, 0, to, to);
}

LB_KERNEL(add_block_of_rows, (int64_t rows, int64_t count, const lb_real *from, int64_t stride, lb_real *to),
          (rows, count, from, stride, to))
{
    for (int64_t row = 0; row < rows; row++) {
#pragma omp simd
        for (int64_t i = 0; i < count; i++) to[i] += from[row * stride + i];
    }
}

void lb_add_rows_to(int64_t rows, int64_t width, const lb_real *from, int64_t stride, lb_real *to)
{
    if (rows * width <= ALONE) {
        add_block_of_rows(rows, width, from, stride, to);
        return;
    }
    int64_t block = lb_run_for_threads(width, LINE, width);
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < width; first += block)
        add_block_of_rows(rows, smaller(block, width - first), from + first, stride, to + first);
}

LB_KERNEL(add_block_at_rows,
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

void lb_add_at_rows(const int32_t *id, int64_t rows, int64_t width, const lb_real *from, int64_t stride,
                    lb_real *to)
{
    if (rows * width <= ALONE) {
        add_block_at_rows(id, rows, width, from, stride, to, width);
        return;
    }
    int64_t block = lb_run_for_threads(width, LINE, width);
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < width; first += block)
        add_block_at_rows(id, rows, smaller(block, width - first), from + first, stride, to + first, width);
}
