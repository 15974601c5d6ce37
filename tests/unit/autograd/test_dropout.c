/* Which elements are dropped, how many, and what this depends on. This test runs in both precisions. */
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { COUNT = 40001 }; /* more than one thread's share, and not a multiple of four */

/* Whether each of COUNT elements was kept, after checking its value. */
static void draw(lb_tape *tape, lb_real p, unsigned char kept[COUNT])
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(COUNT), NULL);
    for (int i = 0; i < COUNT; i++) x->data[i] = (lb_real)(1 + i % 7);
    const lb_tensor *y = lb_dropout(x, p);
    ck_assert_msg(lb_is_sound(y), "%s", lb_tape_error(tape));
    for (int i = 0; i < COUNT; i++) {
        kept[i] = y->data[i] != 0;
        double expected = kept[i] ? (1 + i % 7) / (1 - (double)p) : 0;
        SUPPORT_CHECK(fabs((double)y->data[i] - expected) <= 1e-5 * expected, "element %d is %g, not %g", i,
                      (double)y->data[i], expected);
        SUPPORT_CHECK(x->data[i] == (lb_real)(1 + i % 7), "the operand's element %d has changed", i);
    }
}

static int count_kept(const unsigned char kept[COUNT])
{
    int sum = 0;
    for (int i = 0; i < COUNT; i++) sum += kept[i];
    return sum;
}

START_TEST(test_dropout_keeps_the_right_share_and_scales_it_up)
{
    static unsigned char kept[COUNT];
    static const double p[] = {0.01, 0.3, 0.5, 0.9};
    for (int i = 0; SUPPORT_ROW(i, p); i++) {
        lb_tape *tape = lb_tape_new();
        lb_tape_seed(tape, 21, 4);
        draw(tape, (lb_real)p[i], kept);
        ck_assert_double_eq_tol((double)count_kept(kept) / COUNT, 1 - p[i],
                                5 * sqrt(p[i] * (1 - p[i]) / COUNT));
        /* No position within a block of random bits is favoured. */
        for (int lane = 0; lane < 4; lane++) {
            int lane_kept = 0, lane_count = 0;
            for (int j = lane; j < COUNT; j += 4, lane_count++) lane_kept += kept[j];
            ck_assert_double_eq_tol((double)lane_kept / lane_count, 1 - p[i],
                                    5 * sqrt(p[i] * (1 - p[i]) / lane_count));
        }
        /* Neighbours are independent. */
        for (int lag = 1; lag <= 5; lag++) {
            int pairs = 0;
            for (int j = 0; j + lag < COUNT; j++) pairs += kept[j] && kept[j + lag];
            double both = (1 - p[i]) * (1 - p[i]);
            ck_assert_double_eq_tol((double)pairs / (COUNT - lag), both, 8 * sqrt(both * (1 - both) / COUNT));
        }
        lb_tape_free(tape);
    }
}
END_TEST

START_TEST(test_dropout_depends_on_seed_step_and_turn_and_on_nothing_else)
{
    static unsigned char first[COUNT], second_op[COUNT], again[COUNT], next_step[COUNT], other_seed[COUNT];
    lb_tape *tape = lb_tape_new(), *fresh = lb_tape_new();
    lb_tape_seed(tape, 21, 4);
    draw(tape, (lb_real)0.5, first);
    draw(tape, (lb_real)0.5, second_op);
    lb_tape_reset(tape); /* one step further */
    draw(tape, (lb_real)0.5, next_step);
    lb_tape_seed(fresh, 21, 3);
    lb_tape_reset(fresh);
    lb_exp(lb_tensor_new(fresh, LB_SHAPE(3), NULL)); /* not a random op */
    draw(fresh, (lb_real)0.5, again);
    lb_tape_reset(fresh);
    lb_tape_seed(fresh, 22, 4);
    draw(fresh, (lb_real)0.5, other_seed);
    ck_assert_mem_eq(first, again, COUNT);
    const unsigned char *different[] = {second_op, next_step, other_seed};
    for (int d = 0; SUPPORT_ROW(d, different); d++) {
        int equal = 0;
        for (int i = 0; i < COUNT; i++) equal += first[i] == different[d][i];
        ck_assert_double_eq_tol((double)equal / COUNT, 0.5,
                                5 * sqrt(0.25 / COUNT)); /* as independent coins */
    }
    lb_tape_free(tape);
    lb_tape_free(fresh);
}
END_TEST

START_TEST(test_dropout_any_number_of_threads_drops_the_same)
{
    static unsigned char one[COUNT], more[COUNT];
    for (int threads = 1; threads <= 4; threads++) {
        lb_set_threads(threads);
        lb_tape *tape = lb_tape_new();
        lb_tape_seed(tape, 5, 6);
        draw(tape, (lb_real)0.2, threads == 1 ? one : more);
        if (threads > 1) ck_assert_mem_eq(one, more, COUNT);
        lb_tape_free(tape);
    }
}
END_TEST

START_TEST(test_dropout_gradient_falls_where_the_value_fell)
{
    lb_tensor *x = support_leaf(LB_SHAPE(COUNT), 1, 2, 3);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = lb_dropout(lb_on_tape(tape, x), (lb_real)0.4);
    for (int i = 0; i < COUNT; i++) x->grad[i] = 10; /* backward adds */
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_scale(y, 3)), NULL), LB_OK);
    for (int i = 0; i < COUNT; i++)
        SUPPORT_CHECK(fabs((double)x->grad[i] - (y->data[i] != 0 ? 10 + 3 / 0.6 : 10)) < 1e-5,
                      "element %d: %g", i, (double)x->grad[i]);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_dropout_evaluating_or_without_probability_is_the_operand_itself)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(9), NULL);
    ck_assert_ptr_eq(lb_dropout(x, 0), x);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    ck_assert_ptr_eq(lb_dropout(x, (lb_real)0.5), x);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_dropout_impossible_probability_is_an_error)
{
    const lb_real bad[] = {1, 2, (lb_real)-0.1, (lb_real)NAN, (lb_real)INFINITY};
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_tape *tape = lb_tape_new();
        ck_assert(!lb_is_sound(lb_dropout(lb_tensor_new(tape, LB_SHAPE(9), NULL), bad[i])));
        ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(lb_tape_error(tape), "lb_dropout: invalid probability "));
        lb_tape_free(tape);
    }
}
END_TEST
