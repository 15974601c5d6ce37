/* Entropy, monotonicity and coverage of attention, how far two maps agree, its rollout through layers, and
 * calibration. */
#include "metrics/measures.h"
#include "support/alloc.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-12

static lb_attention_statistics count(const double *weights, int64_t steps, int64_t positions)
{
    lb_attention_statistics s;
    ck_assert_int_eq(lb_attention_tally(weights, steps, positions, &s, NULL), LB_OK);
    return s;
}

START_TEST(test_attention_count_of_a_diagonal_is_sharp_ordered_and_complete)
{
    static const double map[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    lb_attention_statistics s = count(map, 3, 3);
    lb_attention_measures m = lb_attention_measure(&s);
    ck_assert_double_eq(m.entropy, 0);
    ck_assert_double_eq(m.monotonicity, 1);
    ck_assert_double_eq(m.coverage, 1);
}
END_TEST

START_TEST(test_attention_count_of_a_map_without_steps_has_no_moves)
{
    lb_attention_statistics s = count(NULL, 0, 3);
    ck_assert_int_eq(s.steps, 0);
    ck_assert_int_eq(s.moves, 0);
    ck_assert_int_eq(count((const double[]){1, 0}, 1, 2).moves, 0);
}
END_TEST

START_TEST(test_attention_count_of_equal_weights_has_the_largest_entropy)
{
    static const double map[] = {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25};
    lb_attention_statistics s = count(map, 2, 4);
    lb_attention_measures m = lb_attention_measure(&s);
    ck_assert_double_eq_tol(m.entropy, 1, TOLERANCE);
    ck_assert_double_eq(m.monotonicity, 1); /* the first of equal weights, both times */
    ck_assert_double_eq(m.coverage, 0.25);
}
END_TEST

START_TEST(test_attention_count_follows_its_formulas)
{
    /* The largest weights are at 2, 0, 0 and 1: one of three moves goes back, and three of four are looked at most. */
    static const double map[] = {0.1, 0.2, 0.7, 0, 0.5, 0.5, 0, 0, 0.9, 0, 0.1, 0, 0, 1, 0, 0};
    const double rows[] = {0.1 * log(10) + 0.2 * log(5) + 0.7 * log(1 / 0.7), log(2),
                           0.9 * log(1 / 0.9) + 0.1 * log(10), 0};
    lb_attention_statistics s = count(map, 4, 4);
    lb_attention_measures m = lb_attention_measure(&s);
    ck_assert_double_eq_tol(m.entropy, (rows[0] + rows[1] + rows[2] + rows[3]) / 4 / log(4), TOLERANCE);
    ck_assert_double_eq_tol(m.monotonicity, 2.0 / 3, TOLERANCE);
    ck_assert_double_eq_tol(m.coverage, 0.75, TOLERANCE);
}
END_TEST

START_TEST(test_attention_add_weighs_rows_and_moves_by_their_number_and_maps_alike)
{
    static const double sharp[] = {1, 0}, even[] = {0, 1, 0.5, 0.5, 0.5, 0.5};
    lb_attention_statistics sum = count(sharp, 1, 2), more = count(even, 3, 2);
    lb_attention_add(&sum, &more);
    lb_attention_measures m = lb_attention_measure(&sum);
    ck_assert_int_eq(sum.maps, 2);
    ck_assert_double_eq_tol(m.entropy, 0.5, TOLERANCE);      /* two of four rows */
    ck_assert_double_eq_tol(m.monotonicity, 0.5, TOLERANCE); /* 1 to 0, and 0 to 0 */
    ck_assert_double_eq_tol(m.coverage, 0.75, TOLERANCE);    /* one of two, and both */
}
END_TEST

START_TEST(test_attention_measure_of_nothing_and_of_one_position)
{
    lb_attention_statistics none = {0}, one = count((const double[]){1, 1}, 2, 1);
    lb_attention_measures m = lb_attention_measure(&none);
    ck_assert(m.entropy == 0 && m.monotonicity == 1 && m.coverage == 0);
    m = lb_attention_measure(&one);
    ck_assert(m.entropy == 0 && m.monotonicity == 1 && m.coverage == 1);
}
END_TEST

static lb_agreement agreement_of(const double *a, const double *b, int64_t steps, int64_t positions)
{
    lb_agreement found = {NAN, NAN};
    ck_assert_int_eq(lb_agreement_of(a, b, steps, positions, &found, NULL), LB_OK);
    return found;
}

START_TEST(test_agreement_by_hand)
{
    const struct {
        int64_t count;
        double a[4], b[4], tau, first;
    } cases[] = {
        {4, {1, 2, 3, 4}, {1, 2, 3, 4}, 1, 1},
        {4, {1, 2, 3, 4}, {4, 3, 2, 1}, -1, 0},
        {4, {1, 2, 3, 4}, {1, 3, 2, 4}, 4.0 / 6, 1}, /* one of six pairs is turned around */
        {4, {1, 1, 2, 3}, {1, 2, 2, 3}, 0.8, 1},     /* four agree, and each row has one tie of its own */
        {4,
         {0, 0, 1, 0},
         {-1, 2, 7, 3},
         3 / sqrt(18),
         1},                                       /* a row that looks at one symbol orders three pairs */
        {4, {3, 3, 3, 3}, {1, 2, 3, 4}, 0, 0.25},  /* uniform weights */
        {3, {2, 2, 0}, {2, 1, 2}, 1 / -2.0, 0.25}, /* two largest each, one in common */
        {2, {1, 0}, {0, 1}, -1, 0},
        {1, {1}, {5}, 0, 1},
    };
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_agreement found = agreement_of(cases[i].a, cases[i].b, 1, cases[i].count);
        ck_assert_double_eq_tol(found.tau, cases[i].tau, TOLERANCE);
        ck_assert_double_eq_tol(found.first, cases[i].first, TOLERANCE);
    }
}
END_TEST

START_TEST(test_agreement_is_the_mean_over_the_steps)
{
    static const double a[] = {1, 2, 3, 3, 2, 1}, b[] = {1, 2, 3, 1, 2, 2};
    lb_agreement both = agreement_of(a, b, 2, 3), none = agreement_of(a, b, 0, 3);
    ck_assert_double_eq_tol(both.tau, (1 - 2 / sqrt(6)) / 2, TOLERANCE);
    ck_assert_double_eq_tol(both.first, 0.5, TOLERANCE);
    ck_assert(none.tau == 0 && none.first == 0);
}
END_TEST

/* Tau-b is the correlation of signs: of which of two positions has more, over all ordered pairs of positions. */
static double correlation_of_signs(const double *a, const double *b, int count)
{
    double product = 0, square_a = 0, square_b = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double x = a[i] < a[j] ? -1 : a[i] > a[j], y = b[i] < b[j] ? -1 : b[i] > b[j];
            product += x * y;
            square_a += x * x;
            square_b += y * y;
        }
    return square_a * square_b > 0 ? product / sqrt(square_a * square_b) : 0;
}

START_TEST(test_agreement_of_all_rows_of_three_levels_is_the_correlation_of_signs)
{
    enum { COUNT = 4, ROWS = 81 };
    double row[ROWS][COUNT], sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int k = 0, left = i; k < COUNT; k++, left /= 3) row[i][k] = left % 3;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            lb_agreement found = agreement_of(row[i], row[j], 1, COUNT),
                         turned = agreement_of(row[j], row[i], 1, COUNT);
            ck_assert_double_eq_tol(found.tau, correlation_of_signs(row[i], row[j], COUNT), TOLERANCE);
            ck_assert_double_eq(found.tau, turned.tau);
            ck_assert_double_eq(found.first, turned.first);
            sum += found.tau;
        }
    ck_assert_double_eq_tol(sum, 0, 1e-9); /* each row has its opposite */
}
END_TEST

START_TEST(test_attention_rollout_of_one_layer_is_half_the_residual)
{
    static const double weights[] = {1, 0, 0.5, 0.5, 0, 1, 0.25, 0.75}; /* two heads */
    static const double expected[] = {0.75, 0.25, 0.1875, 0.8125};
    double rollout[4];
    ck_assert_int_eq(lb_attention_rollout(weights, 1, 2, 2, rollout, NULL), LB_OK);
    for (int i = 0; SUPPORT_ROW(i, expected); i++)
        ck_assert_double_eq_tol(rollout[i], expected[i], TOLERANCE);
}
END_TEST

/* By its definition: the sum over all paths from the last layer to the input. */
static double paths(const double *weights, int64_t layer, int64_t heads, int64_t n, int64_t to, int64_t from)
{
    double sum = 0;
    if (layer < 0) return to == from;
    for (int64_t via = 0; via < n; via++) {
        double mean = 0;
        for (int64_t head = 0; head < heads; head++)
            mean += weights[((layer * heads + head) * n + to) * n + via] / (double)heads;
        sum += (0.5 * mean + 0.5 * (to == via)) * paths(weights, layer - 1, heads, n, via, from);
    }
    return sum;
}

START_TEST(test_attention_rollout_is_the_sum_over_all_paths)
{
    enum { LAYERS = 3, HEADS = 2, LENGTH = 4, ROWS = LAYERS * HEADS * LENGTH };
    double weights[ROWS * LENGTH], rollout[LENGTH * LENGTH];
    lb_rng rng = {.seed = 3};
    uint64_t drawn = 0;
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int j = 0; j < LENGTH; j++)
            sum += weights[row * LENGTH + j] = 1 + (double)lb_rng_below(rng, drawn++, 9);
        for (int j = 0; j < LENGTH; j++) weights[row * LENGTH + j] /= sum;
    }
    ck_assert_int_eq(lb_attention_rollout(weights, LAYERS, HEADS, LENGTH, rollout, NULL), LB_OK);
    for (int to = 0; to < LENGTH; to++) {
        double sum = 0;
        for (int from = 0; from < LENGTH; from++) {
            double expected = paths(weights, LAYERS - 1, HEADS, LENGTH, to, from);
            ck_assert_double_eq_tol(rollout[to * LENGTH + from], expected, TOLERANCE);
            sum += rollout[to * LENGTH + from];
        }
        ck_assert_double_eq_tol(sum, 1, TOLERANCE);
    }
}
END_TEST

START_TEST(test_attention_without_memory_is_an_error)
{
    static const double weights[] = {1, 0, 0, 1};
    double rollout[4];
    lb_attention_statistics s;
    lb_error error = {0};
    support_watch_allocations();
    support_fail_allocation(1);
    ck_assert_int_eq(lb_attention_rollout(weights, 1, 1, 2, rollout, &error), LB_ERROR_MEMORY);
    ck_assert_str_eq(error.message, "out of memory for a map of 2 positions");
    support_fail_allocation(1);
    ck_assert_int_eq(lb_attention_tally(weights, 2, 2, &s, NULL), LB_ERROR_MEMORY);
    ck_assert_int_eq(support_live_allocations(), 0);
}
END_TEST

START_TEST(test_calibration_error_is_the_weighted_gap_of_the_bins)
{
    lb_calibration c = {0};
    ck_assert_double_eq(lb_calibration_error(&c), 0);
    for (int i = 0; i < 4; i++) lb_calibration_add(&c, 0.95, i > 0); /* 3 of 4 are right */
    lb_calibration_add(&c, 0.25, true);
    ck_assert_int_eq(c.bin[9].outputs, 4);
    ck_assert_int_eq(c.bin[9].right, 3);
    ck_assert_int_eq(c.bin[2].outputs, 1);
    ck_assert_double_eq_tol(lb_calibration_error(&c), (4 * 0.2 + 0.75) / 5, TOLERANCE);
}
END_TEST

START_TEST(test_calibration_add_at_the_ends)
{
    lb_calibration c = {0};
    lb_calibration_add(&c, 1, true);
    lb_calibration_add(&c, 1 + 1e-9, true);
    lb_calibration_add(&c, 0, false);
    lb_calibration_add(&c, NAN, false);
    ck_assert_int_eq(c.bin[9].outputs, 2);
    ck_assert_double_eq(c.bin[9].confidence, 2);
    ck_assert_int_eq(c.bin[0].outputs, 2);
    ck_assert_double_eq(lb_calibration_error(&c), 0);
}
END_TEST
