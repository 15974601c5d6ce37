#include "tensor/transpose.h"

/* A square of four by four elements is transposed in registers; a strip of rows fills whole cache lines of the
 * result. */
enum { SIDE = 4, STRIP = 16, ALONE = 1 << 14 };

typedef lb_real four
    __attribute__((vector_size(SIDE * sizeof(lb_real)), aligned(sizeof(lb_real)), may_alias));

static void transpose_square(const lb_real *from, int64_t stride, lb_real *to, int64_t to_stride)
{
    four a = *(const four *)from, b = *(const four *)(from + stride), c = *(const four *)(from + 2 * stride),
         d = *(const four *)(from + 3 * stride);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *(four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(to + to_stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)(to + 2 * to_stride) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(to + 3 * to_stride) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

void lb_transpose_strip(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to,
                        int64_t to_stride)
{
    int64_t whole = rows - rows % SIDE, squares = columns - columns % SIDE;
    for (int64_t j = 0; j < squares; j += SIDE)
        for (int64_t i = 0; i < whole; i += SIDE)
            transpose_square(from + i * stride + j, stride, to + j * to_stride + i, to_stride);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j < squares ? whole : 0; i < rows; i++) to[j * to_stride + i] = from[i * stride + j];
}

/* Strip `strip` of `rows` rows. */
static void transpose_one(int64_t strip, int64_t rows, int64_t columns, const lb_real *from, int64_t stride,
                          lb_real *to)
{
    int64_t top = strip * STRIP, left = rows - top;
    lb_transpose_strip(left < STRIP ? left : STRIP, columns, from + top * stride, stride, to + top, rows);
}

void lb_transpose(int64_t rows, int64_t columns, const lb_real *from, int64_t stride, lb_real *to)
{
    int64_t strips = (rows + STRIP - 1) / STRIP;
    if (rows * columns <= ALONE) {
        for (int64_t strip = 0; strip < strips; strip++)
            transpose_one(strip, rows, columns, from, stride, to);
        return;
    }
#pragma omp parallel for schedule(static)
    for (int64_t strip = 0; strip < strips; strip++) transpose_one(strip, rows, columns, from, stride, to);
}
