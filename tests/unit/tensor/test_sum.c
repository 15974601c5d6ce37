/* Sums, bit by bit, against the definition of their order: in each instruction set that this processor has, for every
 * rest of a vector. This test runs in both precisions. */
#include "support/suite.h"
#include "tensor/gemm.h"
#include "tensor/sum.h"

#include <stdio.h>

enum { MOST = 100, COLUMNS = 4 };

static lb_real x[MOST], y[COLUMNS * MOST];

/* Numbers of several sizes, so that each order has another sum. */
static void draw(int count, uint32_t stream, lb_real *to)
{
    const lb_rng rng = {.seed = 7, .stream = stream};
    for (int i = 0; i < count; i++)
        to[i] = (lb_real)((lb_rng_uniform(rng, (uint64_t)i) - 0.5) * (double)(1 << i % 19));
}

/* The definition: term i is in lane i % 16; then halves are added to halves. Doubles hold floats and their products. */
static double folded(const double *lane)
{
    double half[8], quarter[4];
    for (int i = 0; i < 8; i++) half[i] = (double)(lb_real)(lane[i] + lane[i + 8]);
    for (int i = 0; i < 4; i++) quarter[i] = (double)(lb_real)(half[i] + half[i + 4]);
    const double first = (double)(lb_real)(quarter[0] + quarter[2]);
    return (double)(lb_real)(first + (double)(lb_real)(quarter[1] + quarter[3]));
}

/* Of products, or without `b` of the numbers themselves. */
static lb_real product_of(int count, const lb_real *a, const lb_real *b)
{
    double lane[LB_LANES] = {0};
    for (int i = 0; i < count; i++) {
        const double term = (double)(lb_real)((double)a[i] * (b ? (double)b[i] : 1));
        lane[i % LB_LANES] = (double)(lb_real)(lane[i % LB_LANES] + term);
    }
    return (lb_real)folded(lane);
}

static double squares_of(int count, const lb_real *a)
{
    double lane[LB_LANES] = {0};
    for (int i = 0; i < count; i++) lane[i % LB_LANES] += (double)a[i] * (double)a[i];
    for (int half = LB_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    return lane[0];
}

LB_KERNEL_OF(lb_real, product, (int64_t count, const lb_real *a, const lb_real *b), (count, a, b))
{
    LB_SUM(lb_real, sum, i, count, a[i] * b[i]);
    return sum;
}

LB_KERNEL_OF(double, squares, (int64_t count, const lb_real *a), (count, a))
{
    LB_SUM(double, sum, i, count, (double)a[i] * (double)a[i]);
    return sum;
}

/* Stores each term, and adds what is stored. */
LB_KERNEL_OF(lb_real, stored, (int64_t count, const lb_real *a, lb_real *to), (count, a, to))
{
    LB_SUM(lb_real, sum, i, count, to[i] = 3 * a[i]);
    return sum;
}

static void check_length(int count)
{
    lb_real tripled[MOST], columns[COLUMNS], begun[COLUMNS] = {1, 2, 3, 4};
    lb_real expected = product_of(count, x, y), found = product(count, x, y);
    ck_assert_msg(memcmp(&found, &expected, sizeof found) == 0, "%d: found %.17g, expected %.17g", count,
                  (double)found, (double)expected);
    ck_assert(squares(count, x) == squares_of(count, x));
    found = stored(count, x, tripled);
    ck_assert(found == product_of(count, tripled, NULL));
    for (int i = 0; i < count; i++) ck_assert(tripled[i] == 3 * x[i]);
    /* One row with transposed columns. */
    lb_gemm_own(1, COLUMNS, count, lb_plain(x, MOST), lb_transposed(y, MOST), 0, columns, COLUMNS);
    lb_gemm_own(1, COLUMNS, count, lb_plain(x, MOST), lb_transposed(y, MOST), 1, begun, COLUMNS);
    for (int j = 0; j < COLUMNS; j++) {
        expected = product_of(count, x, y + j * MOST);
        ck_assert(columns[j] == expected && begun[j] == expected + (lb_real)(j + 1));
    }
}

START_TEST(test_sum_has_the_bits_of_the_written_order_for_any_length_in_each_set)
{
    draw(MOST, 0, x);
    draw(COLUMNS * MOST, 1, y);
    const int here = (int)lb_instruction_set_here();
    for (int set = LB_SET_BASE; set <= (int)lb_instruction_set_widest(); set++) {
        atomic_store(&lb_instruction_set_in_force, set);
        for (int count = 0; count <= MOST; count++) check_length(count);
    }
    atomic_store(&lb_instruction_set_in_force, here);
}
END_TEST

/* Else this test would find no other order. */
START_TEST(test_sum_differs_from_the_sum_from_first_to_last)
{
    lb_real sum = 0;
    draw(MOST, 0, x);
    for (int i = 0; i < MOST; i++) sum += x[i] * x[i];
    ck_assert(sum != product_of(MOST, x, x));
}
END_TEST
