/* Weights in panels give what the weight itself gives, and the same bits for any rows side by side.
 * This test runs in both precisions. */
#include "support/suite.h"
#include "tensor/panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 300, COLUMNS = 75, ROWS = 21, PANELS = 3 };

static lb_real weight[DEPTH * COLUMNS], turned[COLUMNS * DEPTH], input[ROWS * DEPTH];

static void draw(void)
{
    lb_rng rng = {.seed = 5};
    for (int i = 0; i < ROWS * DEPTH; i++) input[i] = (lb_real)(lb_rng_uniform(rng, (uint64_t)i) - 0.5);
    rng.stream = 1;
    for (int i = 0; i < DEPTH * COLUMNS; i++) {
        weight[i] = (lb_real)(lb_rng_uniform(rng, (uint64_t)i) - 0.5);
        turned[i % COLUMNS * DEPTH + i / COLUMNS] = weight[i];
    }
}

/* Rows first, ... of c = the rows `begin`, ... of the weight times the input. */
static void multiply(const lb_panels *panels, int64_t begin, int64_t depth, int64_t first, int64_t rows,
                     lb_real *c)
{
    for (int64_t panel = 0; panel < lb_panel_count(COLUMNS); panel++)
        lb_panels_multiply(panels, panel, panel + 1, begin, depth, rows,
                           lb_plain(input + first * DEPTH, DEPTH), 0, c + first * COLUMNS, COLUMNS);
}

static void check(const lb_real *c, int64_t begin, int64_t depth)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += (double)input[i * DEPTH + k] * (double)weight[(begin + k) * COLUMNS + j];
            ck_assert_double_eq_tol((double)c[i * COLUMNS + j], sum, 1e-5);
        }
}

START_TEST(test_panels_packed_or_not_multiply_as_the_weight)
{
    static lb_real c[ROWS * COLUMNS];
    draw();
    lb_real *packed = malloc((size_t)lb_panels_size(DEPTH, COLUMNS) * sizeof *packed);
    ck_assert_int_eq(lb_panel_count(COLUMNS), PANELS);
    for (int kind = 0; kind < 4; kind++) {
        lb_panels panels = {.from = kind & 1 ? lb_transposed(turned, DEPTH) : lb_plain(weight, COLUMNS),
                            .depth = DEPTH,
                            .columns = COLUMNS,
                            .packed = kind & 2 ? packed : NULL};
        memset(packed, 0, (size_t)lb_panels_size(DEPTH, COLUMNS) * sizeof *packed);
        lb_panels_pack(&panels, 1, PANELS);
        lb_panels_pack(&panels, 0, 1);
        multiply(&panels, 0, DEPTH, 0, ROWS, c);
        check(c, 0, DEPTH);
        multiply(&panels, 17, 40, 0, ROWS, c);
        check(c, 17, 40);
    }
    free(packed);
}
END_TEST

START_TEST(test_panels_give_the_same_bits_however_rows_are_divided)
{
    static lb_real whole[ROWS * COLUMNS], parts[ROWS * COLUMNS];
    draw();
    lb_real *packed = malloc((size_t)lb_panels_size(DEPTH, COLUMNS) * sizeof *packed);
    lb_panels panels = {lb_transposed(turned, DEPTH), DEPTH, COLUMNS, packed};
    lb_panels_pack(&panels, 0, PANELS);
    multiply(&panels, 0, DEPTH, 0, ROWS, whole);
    for (int64_t height = 1; height < ROWS; height++) {
        memset(parts, 0, sizeof parts);
        for (int64_t first = 0; first < ROWS; first += height)
            multiply(&panels, 0, DEPTH, first, first + height < ROWS ? height : ROWS - first, parts);
        ck_assert_msg(memcmp(whole, parts, sizeof whole) == 0, "%d rows at a time have other bits",
                      (int)height);
    }
    free(packed);
}
END_TEST
