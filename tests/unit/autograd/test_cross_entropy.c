/* Cross-entropy at the edges: hidden classes, huge logits, nothing to count. This test runs in both precisions. */
#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-12;
#else
static const double TOLERANCE = 1e-6;
#endif

static const lb_real hidden = -(lb_real)INFINITY;

enum { NONE = -1, MOST_CLASSES = 8 };

/* The loss of one row of logits, and its gradient. */
typedef struct result {
    double loss;
    lb_real grad[MOST_CLASSES];
} result;

static result evaluate(int classes, const lb_real *logits, int32_t target, lb_real smoothing)
{
    result found = {0};
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1, 1, classes), 0, 1, 1);
    memcpy(x->data, logits, (size_t)classes * sizeof *logits);
    lb_tokens targets = {tape, 1, 1, &target, NULL};
    lb_tensor *loss = lb_cross_entropy_smoothed(lb_on_tape(tape, x), targets, NONE, smoothing);
    ck_assert_msg(lb_is_sound(loss), "%s", lb_tape_error(tape));
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    found.loss = (double)lb_item(loss);
    memcpy(found.grad, x->grad, (size_t)classes * sizeof *x->grad);
    lb_tape_free(tape);
    support_leaf_free(x);
    return found;
}

static void check_close(lb_real found, double expected, const char *what, int i)
{
    ck_assert(isfinite(expected));
    ck_assert_msg(fabs((double)found - expected) <= TOLERANCE * (1 + fabs(expected)),
                  "%s %d is %.12g, not %.12g", what, i, (double)found, expected);
}

START_TEST(test_cross_entropy_with_a_hidden_class_equals_pytorch)
{
    /* F.cross_entropy(torch.tensor([[1, -inf, 2]]), torch.tensor([0])) is ln(1 + e), the gradients -+e / (1 + e). */
    result found = evaluate(3, (const lb_real[]){1, hidden, 2}, 0, 0);
    check_close((lb_real)found.loss, 1.3132616875182228, "loss", 0);
    check_close(found.grad[0], -0.7310585786300049, "gradient", 0);
    ck_assert(found.grad[1] == 0);
    check_close(found.grad[2], 0.7310585786300049, "gradient", 2);
}
END_TEST

START_TEST(test_cross_entropy_with_hidden_classes_is_that_of_the_others)
{
    const lb_real all[] = {(lb_real)0.5, hidden, -2, (lb_real)1.5, hidden, 3, hidden},
                  seen[] = {(lb_real)0.5, -2, (lb_real)1.5, 3};
    static const int at[] = {0, 2, 3, 5}; /* the place in `all` of each in `seen` */
    static const double smoothing[] = {0, 0.1, 0.7, 1};
    for (int s = 0; SUPPORT_ROW(s, smoothing); s++)
        for (int32_t target = 0; target < 4; target++) {
            result found = evaluate(7, all, at[target], (lb_real)smoothing[s]),
                   expected = evaluate(4, seen, target, (lb_real)smoothing[s]);
            ck_assert(isfinite(expected.loss));
            check_close((lb_real)found.loss, expected.loss, "loss of target", target);
            for (int i = 0; i < 4; i++)
                check_close(found.grad[at[i]], (double)expected.grad[i], "gradient", at[i]);
            ck_assert(found.grad[1] == 0 && found.grad[4] == 0 && found.grad[6] == 0);
        }
}
END_TEST

START_TEST(test_cross_entropy_after_masked_fill_has_finite_gradients_and_none_for_what_is_hidden)
{
    static const int32_t targets[] = {0, 2, 3, 0};
    lb_tensor *x = support_leaf(LB_SHAPE(2, 2, 4), -2, 2, 5);
    for (int smoothed = 0; smoothed < 2; smoothed++) {
        lb_tape *tape = lb_tape_new();
        lb_tensor *mask = lb_tensor_new(tape, LB_SHAPE(4), (const lb_real[]){1, 0, 1, 1});
        lb_tensor *logits = lb_masked_fill(lb_on_tape(tape, x), mask, hidden);
        lb_tensor *loss = lb_cross_entropy_smoothed(logits, (lb_tokens){tape, 2, 2, targets, NULL}, NONE,
                                                    smoothed ? (lb_real)0.1 : 0);
        memset(x->grad, 0, 16 * sizeof *x->grad);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        ck_assert(isfinite(lb_item(loss)) && lb_item(loss) > 0);
        for (int i = 0; i < 16; i++) ck_assert(isfinite(x->grad[i]) && (x->grad[i] == 0) == (i % 4 == 1));
        lb_tape_free(tape);
    }
    support_leaf_free(x);
}
END_TEST

START_TEST(test_cross_entropy_of_a_hidden_target_is_infinite_and_has_the_gradient_of_pytorch)
{
    static const double smoothing[] = {0, 0.2};
    for (int s = 0; SUPPORT_ROW(s, smoothing); s++) {
        result found = evaluate(3, (const lb_real[]){1, hidden, 1}, 1, (lb_real)smoothing[s]);
        ck_assert(isinf(found.loss) && found.loss > 0);
        check_close(found.grad[1], smoothing[s] - 1, "gradient", 1);
        check_close(found.grad[0], 0.5 - smoothing[s] / 2, "gradient", 0);
        check_close(found.grad[2], 0.5 - smoothing[s] / 2, "gradient", 2);
    }
}
END_TEST

START_TEST(test_cross_entropy_of_a_row_of_minus_infinity_is_infinite_without_a_gradient)
{
    for (int smoothed = 0; smoothed < 2; smoothed++) {
        result found = evaluate(3, (const lb_real[]){hidden, hidden, hidden}, 1, smoothed ? (lb_real)0.2 : 0);
        ck_assert(isinf(found.loss) && found.loss > 0);
        for (int i = 0; i < 3; i++) ck_assert(found.grad[i] == 0);
    }
}
END_TEST

START_TEST(test_cross_entropy_of_nan_or_plus_infinity_is_nan)
{
    ck_assert(isnan(evaluate(3, (const lb_real[]){1, (lb_real)NAN, 2}, 0, 0).loss));
    ck_assert(isnan(evaluate(3, (const lb_real[]){hidden, (lb_real)NAN, hidden}, 1, 0).loss));
    ck_assert(isnan(evaluate(3, (const lb_real[]){1, (lb_real)INFINITY, 2}, 0, (lb_real)0.1).loss));
}
END_TEST

START_TEST(test_cross_entropy_of_logits_near_the_largest_numbers_is_finite)
{
    const double huge = 3e38;
    const lb_real logits[] = {(lb_real)huge, (lb_real)-huge, 0};
    result found = evaluate(3, logits, 0, 0);
    ck_assert(found.loss == 0);
    for (int i = 0; i < 3; i++) ck_assert(found.grad[i] == 0);
    found = evaluate(3, logits, 0, (lb_real)0.03);
    check_close((lb_real)(found.loss / 1e37), 0.03 / 3 * (2 * huge + huge) / 1e37, "smoothed loss", 0);
    check_close(found.grad[0], 0.02, "gradient", 0);
    check_close(found.grad[1], -0.01, "gradient", 1);
    check_close(found.grad[2], -0.01, "gradient", 2);
}
END_TEST

START_TEST(test_cross_entropy_does_not_depend_on_a_number_added_to_all_logits)
{
    /* Sums without rounding. */
    const lb_real logits[] = {(lb_real)0.25, -3, (lb_real)1.75, 2, (lb_real)-0.5};
    const lb_real added[] = {64, 80, 1024, 65536, -80, -65536};
    for (int smoothed = 0; smoothed < 2; smoothed++) {
        lb_real smoothing = smoothed ? (lb_real)0.1 : 0, moved[5];
        result expected = evaluate(5, logits, 2, smoothing);
        for (int k = 0; SUPPORT_ROW(k, added); k++) {
            for (int i = 0; i < 5; i++) moved[i] = logits[i] + added[k];
            result found = evaluate(5, moved, 2, smoothing);
            ck_assert_msg(found.loss == expected.loss, "logits near %g: loss %.12g, not %.12g",
                          (double)added[k], found.loss, expected.loss);
            ck_assert_mem_eq(found.grad, expected.grad, 5 * sizeof(lb_real));
        }
    }
}
END_TEST

START_TEST(test_cross_entropy_of_ignored_targets_alone_is_0_and_has_no_gradient)
{
    static const int32_t targets[] = {2, 2};
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1, 2, 4), -2, 2, 5);
    lb_tensor *loss = lb_cross_entropy(lb_on_tape(tape, x), (lb_tokens){tape, 1, 2, targets, NULL}, 2);
    ck_assert(lb_item(loss) == 0);
    ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
    for (int i = 0; i < 8; i++) ck_assert(x->grad[i] == 0);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_cross_entropy_ignores_any_number_and_refuses_others_that_are_no_class)
{
    static const int32_t ignored[] = {-100, -1, 4, INT32_MAX, INT32_MIN};
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1, 3, 4), -2, 2, 5), *logits = lb_on_tape(tape, x);
    lb_tensor *counted =
        lb_concat((lb_tensor *[]){lb_slice(logits, 1, 0, 1), lb_slice(logits, 1, 2, 1)}, 2, 1);
    const int32_t ends[] = {1, 3};
    for (int k = 0; SUPPORT_ROW(k, ignored); k++)
        for (int smoothed = 0; smoothed < 2; smoothed++) {
            const int32_t targets[] = {1, ignored[k], 3};
            lb_real smoothing = smoothed ? (lb_real)0.1 : 0;
            const lb_tensor *loss = lb_cross_entropy_smoothed(logits, (lb_tokens){tape, 1, 3, targets, NULL},
                                                              ignored[k], smoothing),
                            *expected = lb_cross_entropy_smoothed(
                                counted, (lb_tokens){tape, 1, 2, ends, NULL}, ignored[k], smoothing);
            ck_assert_msg(lb_is_sound(loss), "%s", lb_tape_error(tape));
            ck_assert(lb_item(loss) == lb_item(expected));
        }
    ck_assert(!lb_is_sound(
        lb_cross_entropy(logits, (lb_tokens){tape, 1, 3, (int32_t[]){1, -100, -1}, NULL}, -100)));
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_cross_entropy: target -1 in row 0, position 2: there are 4 classes");
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_cross_entropy_of_an_ignored_negative_number_has_no_gradient_there)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = support_leaf(LB_SHAPE(1, 2, 4), -2, 2, 5);
    lb_tokens targets = {tape, 1, 2, (const int32_t[]){-100, 2}, NULL};
    ck_assert_int_eq(lb_backward(lb_cross_entropy(lb_on_tape(tape, x), targets, -100), NULL), LB_OK);
    for (int i = 0; i < 8; i++) ck_assert((x->grad[i] == 0) == (i < 4));
    lb_tape_free(tape);
    support_leaf_free(x);
}
END_TEST

START_TEST(test_cross_entropy_of_one_label_for_each_row_is_that_of_rows_of_one_position)
{
    static const int32_t labels[] = {1, 3, 0, 2, 3, 3};
    for (int variant = 0; variant < 3; variant++) {
        lb_real grad[24], loss = 0;
        for (int flat = 0; flat < 2; flat++) {
            lb_tape *tape = lb_tape_new();
            lb_tensor *x = support_leaf(flat ? LB_SHAPE(6, 4) : LB_SHAPE(6, 1, 4), -2, 2, 5);
            lb_tensor *logits = lb_on_tape(tape, x), *weight = lb_tensor_new(tape, LB_SHAPE(4), NULL);
            for (int i = 0; i < 4; i++) weight->data[i] = (lb_real)i + 1;
            lb_tokens targets = lb_tokens_from(tape, labels, NULL, 6, 1);
            lb_tensor *found = variant == 0   ? lb_cross_entropy(logits, targets, NONE)
                               : variant == 1 ? lb_entmax_loss(logits, targets, NONE, 0, LB_ENTMAX)
                                              : lb_cross_entropy_weighted(logits, weight, targets, NONE, 0);
            ck_assert_msg(lb_is_sound(found), "%s", lb_tape_error(tape));
            ck_assert_int_eq(lb_backward(found, NULL), LB_OK);
            ck_assert(!flat || lb_item(found) == loss);
            ck_assert(!flat || memcmp(x->grad, grad, sizeof grad) == 0);
            loss = lb_item(found);
            memcpy(grad, x->grad, sizeof grad);
            lb_tape_free(tape);
            support_leaf_free(x);
        }
    }
}
END_TEST

START_TEST(test_cross_entropy_soft_takes_rows_of_logits_and_a_mask_of_rows)
{
    double loss[2];
    for (int flat = 0; flat < 2; flat++) {
        lb_tape *tape = lb_tape_new();
        lb_tensor *x = support_leaf(flat ? LB_SHAPE(6, 4) : LB_SHAPE(2, 3, 4), -2, 2, 5),
                  *wanted = support_leaf(flat ? LB_SHAPE(6, 4) : LB_SHAPE(2, 3, 4), 0, 1, 6);
        lb_tensor *mask =
            lb_tensor_new(tape, flat ? LB_SHAPE(6) : LB_SHAPE(2, 3), (const lb_real[]){1, 0, 1, 1, 0, 1});
        lb_tensor *targets = lb_softmax(lb_on_tape(tape, wanted));
        loss[flat] = (double)lb_item(lb_cross_entropy_soft(lb_on_tape(tape, x), targets, NULL, mask, 0));
        lb_tape_free(tape);
        support_leaf_free(x);
        support_leaf_free(wanted);
    }
    ck_assert(loss[0] > 0 && loss[0] == loss[1]);
}
END_TEST

START_TEST(test_cross_entropy_refuses_labels_that_do_not_fit_the_rows)
{
    static const int32_t labels[] = {1, 0, 2};
    lb_tape *tape = lb_tape_new();
    lb_tensor *logits = lb_tensor_new(tape, LB_SHAPE(4, 2), NULL);
    ck_assert(!lb_is_sound(lb_cross_entropy(logits, lb_tokens_from(tape, labels, NULL, 3, 1), NONE)));
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_cross_entropy: shapes do not match: logits[4,2] x targets[3,1]");
    lb_tape_clear_error(tape);
    logits = lb_tensor_new(tape, LB_SHAPE(3, 2), NULL);
    ck_assert(!lb_is_sound(lb_cross_entropy(logits, lb_tokens_from(tape, labels, NULL, 3, 1), NONE)));
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_cross_entropy: target 2 in row 2, position 0: there are 2 classes");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_mean_squared_error_of_a_missing_target_names_its_place)
{
    lb_tape *tape = lb_tape_new();
    const lb_real numbers[] = {1, 2, 3, 4, (lb_real)NAN, 6};
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(3, 2), NULL), *none = lb_tensor_new(tape, LB_SHAPE(0), NULL);
    ck_assert(lb_item(lb_mean_squared_error(none, none)) == 0);
    ck_assert(!lb_is_sound(lb_mean_squared_error(x, lb_tensor_new(tape, LB_SHAPE(3, 2), numbers))));
    ck_assert_str_eq(lb_tape_error(tape), "lb_mean_squared_error: target[2,0] is nan, expected a number");
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    lb_tape_clear_error(tape);
    ck_assert(!lb_is_sound(lb_mean_squared_error(x, lb_tensor_new(tape, LB_SHAPE(2, 3), NULL))));
    ck_assert_str_eq(lb_tape_error(tape), "lb_mean_squared_error: shapes do not match: x[3,2] x target[2,3]");
    lb_tape_free(tape);
}
END_TEST
