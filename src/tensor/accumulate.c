#include "tensor/accumulate.h"

#include <string.h>

enum {
    RUN = 1 << 13,   /* elements that a thread takes at a time */
    ALONE = 1 << 16, /* elements that are not worth a second thread: a quarter of a megabyte */
    COLUMNS = 64     /* columns whose sums a thread takes at a time */
};

/* Smaller arrays take the way without OpenMP: even a region of one thread would cost more than the smallest of them do. */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

LB_KERNEL static void add_run(int64_t count, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

void lb_add_to(int64_t count, const lb_real *from, lb_real *to)
{
    if (count <= ALONE) {
        add_run(count, from, to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        add_run(smaller(RUN, count - first), from + first, to + first);
}

LB_KERNEL static void add_scaled_run(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] += factor * from[i];
}

void lb_add_scaled_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    if (count <= ALONE) {
        add_scaled_run(count, factor, from, to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        add_scaled_run(smaller(RUN, count - first), factor, from + first, to + first);
}

LB_KERNEL static void move_run(int64_t count, lb_real share, const lb_real *goal, lb_real *moved)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) moved[i] += share * (goal[i] - moved[i]);
}

void lb_move_towards(int64_t count, lb_real share, const lb_real *goal, lb_real *moved)
{
    if (count <= ALONE) {
        move_run(count, share, goal, moved);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        move_run(smaller(RUN, count - first), share, goal + first, moved + first);
}

LB_KERNEL static void scale_run(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) to[i] = factor * from[i];
}

void lb_scale_to(int64_t count, lb_real factor, const lb_real *from, lb_real *to)
{
    if (count <= ALONE) {
        scale_run(count, factor, from, to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        scale_run(smaller(RUN, count - first), factor, from + first, to + first);
}

void lb_copy_to(int64_t count, const lb_real *from, lb_real *to)
{
    if (count <= ALONE) {
        memcpy(to, from, (size_t)count * sizeof *to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        memcpy(to + first, from + first, (size_t)smaller(RUN, count - first) * sizeof *to);
}

LB_KERNEL static void add_block_of_rows(int64_t rows, int64_t count, const lb_real *from, int64_t stride,
                                        lb_real *to)
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
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < width; first += COLUMNS)
        add_block_of_rows(rows, smaller(COLUMNS, width - first), from + first, stride, to + first);
}

LB_KERNEL static void add_block_at_rows(const int32_t *id, int64_t rows, int64_t count, const lb_real *from,
                                        int64_t stride, lb_real *to, int64_t to_stride)
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
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < width; first += COLUMNS)
        add_block_at_rows(id, rows, smaller(COLUMNS, width - first), from + first, stride, to + first, width);
}

void lb_set_zero(int64_t count, lb_real *to)
{
    if (count <= ALONE) {
        memset(to, 0, (size_t)count * sizeof *to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t first = 0; first < count; first += RUN)
        memset(to + first, 0, (size_t)smaller(RUN, count - first) * sizeof *to);
}
