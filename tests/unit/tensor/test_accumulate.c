/* Sums of rows against plain loops, and the mask of dropout. This test runs in both precisions; whole numbers add
 * without rounding. */
#include "base/bytes.h"
#include "support/suite.h"
#include "tensor/arrays.h"

#include <stdbool.h>
#include <stdlib.h>

enum { TABLE = 7, GAP = 3 };

static int32_t row_of(bool chosen, int64_t row)
{
    return chosen ? (int32_t)(row * row % TABLE) : (int32_t)row;
}

static void check_rows(int64_t rows, int64_t width, bool chosen)
{
    int64_t stride = width + GAP, height = chosen ? TABLE : rows;
    lb_real *from = malloc((size_t)(rows * stride) * sizeof *from);
    lb_real *to = malloc((size_t)(height * width) * sizeof *to), *sum = calloc((size_t)width, sizeof *sum);
    lb_real *expected = malloc((size_t)(height * width) * sizeof *expected);
    int32_t *id = malloc((size_t)rows * sizeof *id);
    for (int64_t i = 0; i < rows * stride; i++) from[i] = (lb_real)(i % 11);
    for (int64_t i = 0; i < height * width; i++) to[i] = expected[i] = (lb_real)(i % 5);
    for (int64_t row = 0; row < rows; row++) {
        id[row] = row_of(chosen, row);
        for (int64_t i = 0; i < width; i++) expected[id[row] * width + i] += from[row * stride + i];
    }
    lb_add_at_rows(chosen ? id : NULL, rows, width, from, stride, to);
    for (int64_t i = 0; i < height * width; i++)
        SUPPORT_CHECK(to[i] == expected[i], "%d rows of %d: element %d is %g, not %g", (int)rows, (int)width,
                      (int)i, (double)to[i], (double)expected[i]);
    lb_add_rows_to(rows, width, from, stride, sum);
    for (int64_t i = 0; i < width; i++) {
        for (int64_t row = 0; row < rows; row++) sum[i] -= from[row * stride + i];
        SUPPORT_CHECK(sum[i] == 0, "%d rows: the sum of column %d is off by %g", (int)rows, (int)i,
                      (double)sum[i]);
    }
    free(from);
    free(to);
    free(sum);
    free(expected);
    free(id);
}

START_TEST(test_rows_are_added_where_they_belong)
{
    for (int chosen = 0; chosen < 2; chosen++) {
        check_rows(1, 1, chosen);
        check_rows(9, 5, chosen);
        check_rows(20, 130, chosen);
    }
}
END_TEST

START_TEST(test_rows_are_added_on_several_threads)
{
    for (int chosen = 0; chosen < 2; chosen++) check_rows(1100, 131, chosen);
}
END_TEST

START_TEST(test_a_dropout_mask_is_the_same_from_wherever_it_begins)
{
    enum { ALL = 23, FIRST = 3, PART = 9 };
    const lb_rng rng = {.seed = 5, .stream = 7, .step = 11};
    const lb_real p = (lb_real)0.5;
    lb_real all[ALL], part[PART];
    int left_out = 0;
    lb_dropout_mask(rng, p, 0, ALL, all);
    lb_dropout_mask(rng, p, FIRST, PART, part);
    for (int i = 0; i < PART; i++) ck_assert_msg(part[i] == all[FIRST + i], "element %d", i);
    for (int64_t i = 0; i < ALL; i++) {
        const uint32_t word = lb_rng_bits(rng, (uint64_t)i / 4).word[i % 4];
        ck_assert_msg(all[i] == (word < 0x80000000u ? 0 : 2), "element %d", (int)i);
        left_out += all[i] == 0;
    }
    ck_assert(left_out > 0 && left_out < ALL);
}
END_TEST
