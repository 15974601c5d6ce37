/* Biases of attention and rotary positions against PyTorch and their papers, with gradients.
 * This test runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <math.h>

START_TEST(test_attend_dot_with_grouped_queries_and_softcap_has_the_gradients_of_pytorch_also_of_the_bias)
{
    support_fixture *fixture = support_fixture_open("attend_dot_biases");
    lb_tape *tape = lb_tape_new();
    lb_dot_options options = {.scale = (lb_real)support_fixture_number(fixture, "scale"),
                              .softcap = (lb_real)support_fixture_number(fixture, "softcap")};
    lb_tensor *context = lb_attend_dot_with(support_fixture_input(fixture, tape, "query"),
                                            support_fixture_input(fixture, tape, "keys"),
                                            support_fixture_input(fixture, tape, "values"), NULL,
                                            support_fixture_input(fixture, tape, "bias"), options);
    lb_tensor *loss = support_fixture_output(fixture, "context", context, NULL);
    loss = support_fixture_output(fixture, "weights", lb_op_output(context, 1), loss);
    support_fixture_backward(fixture, loss, NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}
END_TEST

static void check_relative(const char *name, bool causal)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_relative_options options = {.queries = 7,
                                   .keys = 200,
                                   .first = (int64_t)support_fixture_number(fixture, "first"),
                                   .causal = causal};
    lb_tensor *bias = lb_relative_bias(support_fixture_input(fixture, tape, "table"), options);
    ck_assert_msg(lb_is_sound(bias), "%s", lb_tape_error(tape));
    support_fixture_backward(fixture, support_fixture_output(fixture, "bias", bias, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_relative_bias_has_the_buckets_of_t5)
{
    check_relative("relative_bias", false);
    check_relative("relative_bias_causal", true);
}
END_TEST

static void check_rotary(const char *name, bool interleaved)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    int64_t first = (int64_t)support_fixture_number(fixture, "first");
    lb_tensor *query = lb_rotary(support_fixture_input(fixture, tape, "query"),
                                 (lb_rotary_options){.first = first, .interleaved = interleaved});
    lb_tensor *keys = lb_rotary(support_fixture_input(fixture, tape, "keys"),
                                (lb_rotary_options){.interleaved = interleaved});
    lb_tensor *loss = support_fixture_output(fixture, "query", query, NULL);
    loss = support_fixture_output(fixture, "scores", lb_matmul_transposed(query, false, keys, true), loss);
    support_fixture_backward(fixture, loss, NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_rotary_has_the_gradients_of_pytorch)
{
    check_rotary("rotary_halves", false);
    check_rotary("rotary_interleaved", true);
}
END_TEST

/* The slopes that the paper gives for 8 heads, and the rule of its program for others. */
START_TEST(test_alibi_bias_has_the_slopes_of_the_paper)
{
    static const double eight[] = {1 / 2.0,  1 / 4.0,  1 / 8.0,   1 / 16.0,
                                   1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 256.0},
                        three[] = {1 / 16.0, 1 / 256.0, 1 / 4.0};
    lb_tape *tape = lb_tape_new();
    const lb_tensor *bias = lb_alibi_bias(tape, 8, 2, 5, 3), *few = lb_alibi_bias(tape, 3, 1, 2, 1);
    for (int h = 0; SUPPORT_ROW(h, eight); h++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 5; k++)
                ck_assert((double)bias->data[(h * 2 + i) * 5 + k] == -eight[h] * fabs(3.0 + i - k));
    for (int h = 0; SUPPORT_ROW(h, three); h++)
        ck_assert(few->data[h * 2] == -(lb_real)three[h] && few->data[h * 2 + 1] == 0);
    lb_tape_free(tape);
}
END_TEST

/* The formula of the paper for one head, query and key; both ways, with a sign. */
static double fire_of(const lb_positional *fire, int64_t head, int64_t query, int64_t key)
{
    double c = fabs((double)fire->slope->data[0]), threshold = fabs(512 * (double)fire->threshold->data[0]);
    double last = fmax((double)(query > key ? query : key), threshold), sum = 0;
    double share = log1p(c * fabs((double)(query - key))) / (log1p(c * last) + 1e-6);
    if (key > query) share = -share;
    for (int64_t unit = 0; unit < 32; unit++) {
        double x = (double)fire->inner.weight->data[unit] * share + (double)fire->inner.bias->data[unit];
        sum += (double)fire->outer.weight->data[head * 32 + unit] * fmax(x, 0);
    }
    return sum;
}

START_TEST(test_fire_is_the_formula_of_its_paper_also_for_later_queries)
{
    enum { HEADS = 3, FIRST = 4, QUERIES = 5, KEYS = FIRST + QUERIES };
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_positional fire;
    lb_positional_init(&fire, params, "at",
                       (lb_positional_config){.kind = LB_POSITIONAL_FIRE, .heads = HEADS});
    ck_assert_msg(lb_params_status(params) == LB_OK, "%s", lb_params_error(params));
    for (int far = 0; far < 2; far++) { /* below the threshold, and beyond */
        if (far) fire.threshold->data[0] = (lb_real)(-6.0 / 512);
        const lb_tensor *bias = lb_positional_bias(&fire, tape, FIRST, QUERIES);
        ck_assert_msg(lb_is_sound(bias), "%s", lb_tape_error(tape));
        ck_assert(lb_shape_equal(bias->shape, LB_SHAPE(HEADS, QUERIES, KEYS)));
        for (int64_t i = 0; i < lb_count(bias); i++)
            ck_assert_double_eq_tol(
                (double)bias->data[i],
                fire_of(&fire, i / (QUERIES * KEYS), FIRST + i / KEYS % QUERIES, i % KEYS), 1e-5);
    }
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

/* The row of a table of sinusoids that these numbers are; -1: none. */
static int64_t position_of(const lb_real *row, const lb_tensor *table)
{
    int64_t width = lb_dim(table, 2);
    for (int64_t at = 0; at < lb_dim(table, 1); at++) {
        double most = 0;
        for (int64_t i = 0; i < width; i++)
            most = fmax(most, fabs((double)row[i] - (double)table->data[at * width + i]));
        if (most < 1e-6) return at;
    }
    return -1;
}

START_TEST(test_random_positions_are_sorted_and_below_the_most_and_those_without_gaps_are_among_them)
{
    enum { WIDTH = 8, LENGTH = 4, MOST = 20, DRAWS = 2000 };
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_positional plain, drawn;
    lb_positional_config config = {.width = WIDTH, .max_length = MOST};
    lb_positional_init(&plain, params, "plain", config);
    config.kind = LB_POSITIONAL_RANDOM;
    lb_positional_init(&drawn, params, "drawn", config);
    int seen[MOST] = {0}, whole = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        lb_tape_reset(tape);
        const lb_tensor *table =
            lb_positional_forward(&plain, lb_tensor_new(tape, LB_SHAPE(1, MOST, WIDTH), NULL), 0);
        const lb_tensor *rows =
            lb_positional_forward(&drawn, lb_tensor_new(tape, LB_SHAPE(1, LENGTH, WIDTH), NULL), 0);
        ck_assert_msg(lb_is_sound(rows), "%s", lb_tape_error(tape));
        int64_t before = -1;
        for (int64_t i = 0; i < LENGTH; i++) {
            int64_t at = position_of(rows->data + i * WIDTH, table);
            ck_assert_int_gt(at, before);
            seen[at]++;
            before = at;
        }
        whole += before == LENGTH - 1;
    }
    for (int at = 0; SUPPORT_ROW(at, seen); at++) ck_assert_int_gt(seen[at], 0);
    ck_assert_int_gt(seen[0], seen[MOST - 1]);
    ck_assert_int_gt(whole, DRAWS / 20);
    lb_tape_set_mode(tape, LB_MODE_EVALUATE);
    const lb_tensor *expected =
        lb_positional_forward(&plain, lb_tensor_new(tape, LB_SHAPE(2, LENGTH, WIDTH), NULL), 3);
    const lb_tensor *found =
        lb_positional_forward(&drawn, lb_tensor_new(tape, LB_SHAPE(2, LENGTH, WIDTH), NULL), 3);
    for (int64_t i = 0; i < lb_count(found); i++) ck_assert(found->data[i] == expected->data[i]);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_window_hides_what_a_mask_hides)
{
    lb_tape *tape = lb_tape_new();
    lb_real values[2 * 5 * 4], window[3][5];
    for (int i = 0; i < 40; i++) values[i] = (lb_real)sin(i);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) window[i][k] = k >= i + 2 - 1 && k <= i + 2 + 1;
    lb_tensor *keys = lb_tensor_new(tape, LB_SHAPE(2, 5, 4), values), *query = lb_slice(keys, 1, 2, 3),
              *mask = lb_tensor_new(tape, LB_SHAPE(3, 5), window[0]);
    lb_dot_options options = {
        .heads = 2, .scale = 1, .window = {.on = true, .left = 1, .right = 1}, .first = 2};
    const lb_tensor *found = lb_op_output(lb_attend_dot_with(query, keys, keys, NULL, NULL, options), 1),
                    *expected = lb_op_output(lb_attend_dot(query, keys, keys, mask, NULL, 2, 1, 0), 1);
    for (int64_t i = 0; i < lb_count(expected); i++) ck_assert(found->data[i] == expected->data[i]);
    lb_tape_free(tape);
}
END_TEST

/* One query and three keys with equal products; the last key is hidden, if at all. Returns its weight. */
static double weight_of_last(lb_dot_options options, bool masked, bool biased)
{
    lb_tape *tape = lb_tape_new();
    const lb_real ones[] = {1, 1, 1}, mask[] = {1, 1, 0}, bias[] = {0, 0, -(lb_real)INFINITY};
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 1, 1), ones),
              *keys = lb_tensor_new(tape, LB_SHAPE(1, 3, 1), ones);
    options.heads = 1;
    options.scale = 1;
    options.softcap = 2;
    lb_tensor *y =
        lb_attend_dot_with(query, keys, keys, masked ? lb_tensor_new(tape, LB_SHAPE(1, 3), mask) : NULL,
                           biased ? lb_tensor_new(tape, LB_SHAPE(1, 3), bias) : NULL, options);
    ck_assert_msg(lb_is_sound(y), "%s", lb_tape_error(tape));
    double weight = (double)lb_op_output(y, 1)->data[2];
    lb_tape_free(tape);
    return weight;
}

START_TEST(test_softcap_after_mask_and_bias_leaves_weight_to_what_they_hide_but_not_beyond_a_window)
{
    const lb_window before = {.on = true, .left = -1, .right = 0};
    double capped = exp(2 * tanh(0.5)), least = exp(-2.0), expected = least / (2 * capped + least);
    ck_assert(weight_of_last((lb_dot_options){0}, true, false) == 0);
    ck_assert(weight_of_last((lb_dot_options){0}, false, true) == 0);
    ck_assert_double_eq_tol(weight_of_last((lb_dot_options){.cap_biased = true}, true, false), expected,
                            1e-6);
    ck_assert_double_eq_tol(weight_of_last((lb_dot_options){.cap_biased = true}, false, true), expected,
                            1e-6);
    for (int last = 0; last < 2; last++) {
        lb_dot_options options = {.cap_biased = last, .window = before, .first = 1};
        ck_assert(weight_of_last(options, false, false) == 0);
        ck_assert(weight_of_last(options, true, true) == 0);
    }
}
END_TEST

START_TEST(test_heads_that_cannot_be_shared_and_other_impossible_numbers_are_errors)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 2, 12), NULL),
              *keys = lb_tensor_new(tape, LB_SHAPE(1, 2, 8), NULL);
    lb_attend_dot_with(query, keys, keys, NULL, NULL,
                       (lb_dot_options){.heads = 3, .kv_heads = 2, .scale = 1});
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_attend_dot: 3 heads of queries cannot share 2 heads of keys evenly");
    lb_tape_clear_error(tape);
    lb_attend_dot_with(query, query, query, NULL, NULL,
                       (lb_dot_options){.heads = 3, .scale = 1, .softcap = -1});
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_attend_dot: invalid softcap -1, expected a positive number, or 0 for none");
    lb_tape_clear_error(tape);
    lb_rotary(query, (lb_rotary_options){.heads = 4});
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_rotary: expected an even number of rotated columns, at most 3, found 3");
    lb_tape_clear_error(tape);
    lb_rotary(query, (lb_rotary_options){.heads = 2, .first = -1});
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    lb_tape_clear_error(tape);
    lb_relative_bias(lb_tensor_new(tape, LB_SHAPE(7, 2), NULL),
                     (lb_relative_options){.queries = 1, .keys = 1});
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_relative_bias: expected an even number of at least 4 buckets, found table[7,2]");
    lb_tape_free(tape);
}
END_TEST
