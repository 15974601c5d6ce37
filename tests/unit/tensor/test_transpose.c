/* Transposing against the definition. This test runs in both precisions. */
#include "support/suite.h"
#include "tensor/gemm.h"

#include <stdlib.h>

static void check_size(int64_t rows, int64_t columns, int64_t gap)
{
    int64_t stride = columns + gap;
    lb_real *from = malloc((size_t)(rows * stride + 1) * sizeof *from);
    lb_real *to = malloc((size_t)(rows * columns + 1) * sizeof *to);
    for (int64_t i = 0; i < rows * stride; i++) from[i] = (lb_real)i;
    to[rows * columns] = -1;
    lb_transpose(rows, columns, from, stride, to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            SUPPORT_CHECK(to[j * rows + i] == from[i * stride + j], "[%d,%d]: element %d,%d is %g", (int)rows,
                          (int)columns, (int)i, (int)j, (double)to[j * rows + i]);
    ck_assert(to[rows * columns] == -1);
    free(from);
    free(to);
}

START_TEST(test_transpose_every_rest_of_a_square_and_of_a_strip)
{
    for (int64_t rows = 0; rows < 23; rows++)
        for (int64_t columns = 0; columns < 11; columns++) check_size(rows, columns, rows % 3);
}
END_TEST

START_TEST(test_transpose_on_several_threads)
{
    check_size(387, 130, 5);
    check_size(130, 387, 0);
}
END_TEST
