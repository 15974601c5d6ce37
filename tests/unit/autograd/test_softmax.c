/* Fully masked rows: zeros and no gradient, never NaN. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>

static void check_finite(const lb_real *values, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(isfinite(values[i]), "%s, element %d is %g", what, (int)i, (double)values[i]);
}

static void check_zero(const lb_real *values, int64_t count, const char *what)
{
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(values[i] == 0, "%s, element %d is %g", what, (int)i, (double)values[i]);
}

static bool any(const lb_real *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (values[i] != 0) return true;
    return false;
}

static double sum(const lb_real *values, int64_t count)
{
    double total = 0;
    for (int64_t i = 0; i < count; i++) total += (double)values[i];
    return total;
}

START_TEST(test_softmax_row_of_minus_infinity_is_zero_and_has_no_gradient)
{
    lb_tensor *x = support_leaf(LB_SHAPE(3, 4), -2, 2, 1);
    for (int i = 4; i < 8; i++) x->data[i] = -(lb_real)INFINITY;
    x->data[2] = -(lb_real)INFINITY;
    lb_tape *tape = lb_tape_new();
    const lb_real cotangent[12] = {1, -2, 3, 4, 5, -6, 7, 8, 9, -1, 2, 3};
    lb_tensor *y = lb_softmax(lb_on_tape(tape, x));
    check_zero(y->data + 4, 4, "hidden row");
    ck_assert(y->data[2] == 0);
    ck_assert_double_eq_tol(sum(y->data, 4), 1, 1e-6);
    ck_assert_double_eq_tol(sum(y->data + 8, 4), 1, 1e-6);
    ck_assert_int_eq(lb_backward_from(y, cotangent, NULL), LB_OK);
    check_zero(x->grad + 4, 4, "gradient of the hidden row");
    ck_assert(x->grad[2] == 0);
    check_finite(x->grad, 12, "gradient");
    ck_assert(any(x->grad, 4) && any(x->grad + 8, 4));
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_softmax_huge_values_do_not_overflow)
{
    const lb_real huge = (lb_real)1e30;
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 3), (lb_real[]){huge, 0, -huge, -huge, -huge, -huge});
    const lb_tensor *y = lb_softmax(x), *log_y = lb_log_softmax(x);
    ck_assert(y->data[0] == 1 && y->data[1] == 0 && y->data[2] == 0);
    for (int i = 3; i < 6; i++) {
        ck_assert_double_eq_tol((double)y->data[i], 1.0 / 3, 1e-6);
        ck_assert(isfinite(log_y->data[i]));
    }
    ck_assert(log_y->data[0] == 0);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_log_softmax_does_not_depend_on_a_number_added_to_all_logits)
{
    /* Sums without rounding. */
    const lb_real logits[] = {(lb_real)0.25, -3, (lb_real)1.75, 2, (lb_real)-0.5, -7};
    const lb_real added[] = {64, 16384, 1048576, -16384, -1048576};
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(6), logits);
    const lb_tensor *expected = lb_log_softmax(x);
    double total = 0;
    for (int i = 0; i < 6; i++) total += exp((double)expected->data[i]);
    ck_assert_double_eq_tol(total, 1, 1e-6);
    for (int k = 0; k < 5; k++) {
        const lb_tensor *y = lb_log_softmax(lb_add(x, lb_tensor_new(tape, LB_SHAPE(1), &added[k])));
        for (int i = 0; i < 6; i++)
            ck_assert_msg(y->data[i] == expected->data[i], "near %g, element %d is %.9g, not %.9g",
                          (double)added[k], i, (double)y->data[i], (double)expected->data[i]);
    }
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_log_softmax_row_of_minus_infinity_is_minus_infinity_and_has_no_gradient)
{
    lb_tensor *x = support_leaf(LB_SHAPE(2, 3), -2, 2, 1);
    lb_tape *tape = lb_tape_new();
    for (int i = 0; i < 3; i++) x->data[i] = -(lb_real)INFINITY;
    x->data[4] = -(lb_real)INFINITY;
    lb_tensor *y = lb_log_softmax(lb_on_tape(tape, x));
    for (int i = 0; i < 6; i++)
        ck_assert(i < 3 || i == 4 ? isinf(y->data[i]) && y->data[i] < 0 : y->data[i] < 0);
    ck_assert_double_eq_tol(exp((double)y->data[3]) + exp((double)y->data[5]), 1, 1e-6);
    ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){1, 2, -4, 3, 0, 6}, NULL), LB_OK);
    check_zero(x->grad, 3, "gradient of the hidden row");
    check_finite(x->grad, 6, "gradient");
    ck_assert(x->grad[4] == 0 && x->grad[3] != 0 && x->grad[5] != 0);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_masked_fill_then_softmax_of_a_hidden_row_has_no_gradient)
{
    lb_tensor *x = support_leaf(LB_SHAPE(2, 3), -2, 2, 1);
    lb_tape *tape = lb_tape_new();
    lb_tensor *mask = lb_length_mask(tape, (const int32_t[]){2, 0}, 2, 3);
    lb_tensor *y = lb_softmax(lb_masked_fill(lb_on_tape(tape, x), mask, -(lb_real)INFINITY));
    check_zero(y->data + 2, 4, "hidden");
    ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){1, 4, 2, 3, 5, 6}, NULL), LB_OK);
    check_zero(x->grad + 2, 4, "gradient of what is hidden");
    ck_assert(any(x->grad, 2));
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

enum { BATCH = 3, KEYS = 4, WIDTH = 5, DEPTH = 2, STEPS = 2, HIDDEN = 3, HIDDEN_ROW = 1 };

/* Row 0 sees two keys, row 1 none, row 2 all. */
static lb_tensor *example_mask(lb_tape *tape)
{
    return lb_length_mask(tape, (const int32_t[]){2, 0, KEYS}, BATCH, KEYS);
}

/* The part of [BATCH, per_row...] that belongs to row 1 must be zero, those of rows 0 and 2 must not. */
static void check_hidden_row(const lb_real *values, int64_t per_row, const char *what)
{
    check_finite(values, BATCH * per_row, what);
    check_zero(values + HIDDEN_ROW * per_row, per_row, what);
    ck_assert_msg(any(values, per_row) && any(values + 2 * per_row, per_row),
                  "%s: rows that attend have nothing", what);
}

static void free_leaves(lb_tensor **leaf, int count)
{
    for (int i = 0; i < count; i++) support_leaf_free(leaf[i]);
}

START_TEST(test_attend_additive_hidden_row_is_zero_and_has_no_gradient)
{
    lb_tensor *leaf[] = {support_leaf(LB_SHAPE(BATCH, STEPS, WIDTH), -1, 1, 1),
                         support_leaf(LB_SHAPE(BATCH, KEYS, WIDTH), -1, 1, 2),
                         support_leaf(LB_SHAPE(BATCH, KEYS, DEPTH), -1, 1, 3),
                         support_leaf(LB_SHAPE(WIDTH), -1, 1, 4)};
    lb_tape *tape = lb_tape_new();
    lb_tensor *context = lb_attend_additive(leaf[0], leaf[1], leaf[2], leaf[3], example_mask(tape));
    ck_assert_msg(lb_is_sound(context), "%s", lb_tape_error(tape));
    lb_tensor *weights = lb_op_output(context, 1);
    check_hidden_row(context->data, STEPS * DEPTH, "context");
    check_hidden_row(weights->data, STEPS * KEYS, "weights");
    for (int row = 0; row < BATCH * STEPS; row++)
        ck_assert_double_eq_tol(sum(weights->data + row * KEYS, KEYS), row / STEPS == HIDDEN_ROW ? 0 : 1,
                                1e-6);
    lb_tensor *loss = lb_add(lb_sum_all(lb_mul(context, context)), lb_sum_all(lb_mul(weights, weights)));
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    check_hidden_row(leaf[0]->grad, STEPS * WIDTH, "gradient of the query");
    check_hidden_row(leaf[1]->grad, KEYS * WIDTH, "gradient of the keys");
    check_hidden_row(leaf[2]->grad, KEYS * DEPTH, "gradient of the values");
    check_finite(leaf[3]->grad, WIDTH, "gradient of v");
    check_zero(leaf[1]->grad + 2 * WIDTH, 2 * WIDTH, "gradient of the hidden keys of row 0");
    lb_tape_free(tape);
    free_leaves(leaf, 4);
}
END_TEST

START_TEST(test_attention_gru_hidden_row_goes_on_without_a_context)
{
    lb_tensor *leaf[] = {support_leaf(LB_SHAPE(BATCH, STEPS, 3 * HIDDEN), -1, 1, 1),
                         support_leaf(LB_SHAPE(BATCH, HIDDEN), -1, 1, 2),
                         support_leaf(LB_SHAPE(BATCH, KEYS, WIDTH), -1, 1, 3),
                         support_leaf(LB_SHAPE(BATCH, KEYS, DEPTH), -1, 1, 4),
                         support_leaf(LB_SHAPE(WIDTH, HIDDEN), -1, 1, 5),
                         support_leaf(LB_SHAPE(1, WIDTH), -1, 1, 6),
                         support_leaf(LB_SHAPE(3 * HIDDEN, DEPTH), -1, 1, 7),
                         support_leaf(LB_SHAPE(3 * HIDDEN, HIDDEN), -1, 1, 8),
                         support_leaf(LB_SHAPE(3 * HIDDEN), -1, 1, 9)};
    lb_tape *tape = lb_tape_new();
    lb_tensor *outputs = lb_attention_gru_sequence(&(lb_attention_gru_operands){.x = leaf[0],
                                                                                .initial = leaf[1],
                                                                                .keys = leaf[2],
                                                                                .values = leaf[3],
                                                                                .mask = example_mask(tape),
                                                                                .weight_query = leaf[4],
                                                                                .v = leaf[5],
                                                                                .weight_context = leaf[6],
                                                                                .weight_hh = leaf[7],
                                                                                .bias_hh = leaf[8]});
    ck_assert_msg(lb_is_sound(outputs), "%s", lb_tape_error(tape));
    lb_tensor *contexts = lb_op_output(outputs, 1), *weights = lb_op_output(outputs, 2);
    check_finite(outputs->data, lb_count(outputs), "outputs");
    check_hidden_row(contexts->data, STEPS * DEPTH, "contexts");
    check_hidden_row(weights->data, STEPS * KEYS, "weights");
    /* Such a row equals that of a plain GRU. */
    lb_tensor *plain =
        lb_gru_sequence(lb_on_tape(tape, leaf[0]), NULL, leaf[1], leaf[7], leaf[8], NULL, false);
    for (int i = HIDDEN_ROW * STEPS * HIDDEN; i < (HIDDEN_ROW + 1) * STEPS * HIDDEN; i++)
        ck_assert_double_eq_tol((double)outputs->data[i], (double)plain->data[i], 1e-6);
    lb_tensor *loss = lb_add(lb_sum_all(lb_mul(outputs, outputs)), lb_sum_all(lb_mul(contexts, contexts)));
    ck_assert_int_eq(lb_backward(lb_add(loss, lb_sum_all(lb_mul(weights, weights))), NULL), LB_OK);
    check_hidden_row(leaf[2]->grad, KEYS * WIDTH, "gradient of the keys");
    check_hidden_row(leaf[3]->grad, KEYS * DEPTH, "gradient of the values");
    for (int i = 0; i < 9; i++) check_finite(leaf[i]->grad, lb_count(leaf[i]), "gradient");
    ck_assert(any(leaf[0]->grad + HIDDEN_ROW * STEPS * 3 * HIDDEN,
                  3 * HIDDEN)); /* the row itself still gets a gradient */
    lb_tape_free(tape);
    free_leaves(leaf, 9);
}
END_TEST
