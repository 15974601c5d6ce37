/* Sparsemax, 1.5-entmax and what is built on them: values and gradients against PyTorch, properties that the definition
 * implies, hidden scores and huge ones. This test runs in both precisions. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "support/fixture.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the threshold, which every weight repeats: a sum of up to 70 numbers, one after the other on a processor without
 * vectors, rounds by up to 35 times the unit of double, 4e-15. */
#ifdef LB_REAL_IS_DOUBLE
static const double ROUNDING = 4e-15;
#else
static const double ROUNDING = 1e-6;
#endif

static lb_tensor *apply(lb_normalizer normalizer, lb_tensor *x)
{
    return normalizer == LB_ENTMAX ? lb_entmax15(x) : lb_sparsemax(x);
}

static void check_fixture(lb_normalizer normalizer)
{
    support_fixture *fixture = support_fixture_open(lb_normalizer_names[normalizer]);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = apply(normalizer, support_fixture_input(fixture, tape, "x"));
    support_fixture_backward(fixture, support_fixture_output(fixture, "y", y, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_sparse_weights_equal_the_definition_in_pytorch)
{
    check_fixture(LB_SPARSEMAX);
    check_fixture(LB_ENTMAX);
}
END_TEST

/* Rows of all lengths up to 70, and of several spreads: they sum to 1, keep the order of the scores, and do not change
 * if all scores grow by the same. */
static void check_distributions(lb_normalizer normalizer)
{
    enum { LONGEST = 70 };
    static const double spreads[] = {1e-3, 0.3, 3, 100};
    int64_t zeros = 0;
    for (int width = 1; width <= LONGEST; width++)
        for (int s = 0; SUPPORT_ROW(s, spreads); s++) {
            lb_tape *tape = lb_tape_new();
            lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(width), NULL), *more;
            lb_rng rng = {.seed = (uint64_t)width, .stream = (uint32_t)s};
            for (int i = 0; i < width; i++)
                x->data[i] = (lb_real)(spreads[s] * round(64 * lb_rng_uniform(rng, (uint64_t)i)) / 64);
            more = lb_add(x, lb_tensor_new(tape, (lb_shape){0}, &(lb_real){16}));
            const lb_tensor *y = apply(normalizer, x), *shifted = apply(normalizer, more);
            double sum = 0;
            for (int i = 0; i < width; i++) {
                sum += (double)y->data[i];
                zeros += y->data[i] == 0;
                SUPPORT_CHECK(y->data[i] >= 0, "width %d: %g", width, (double)y->data[i]);
                SUPPORT_CHECK(fabs((double)(y->data[i] - shifted->data[i])) <= 1e-4, "width %d: %g and %g",
                              width, (double)y->data[i], (double)shifted->data[i]);
                for (int j = 0; j < width; j++)
                    SUPPORT_CHECK(x->data[i] <= x->data[j] || y->data[i] >= y->data[j], "width %d, %d and %d",
                                  width, i, j);
            }
            ck_assert_double_eq_tol(sum, 1, width * ROUNDING);
            lb_tape_free(tape);
        }
    ck_assert_int_gt(zeros, 1000);
}

START_TEST(test_sparse_weights_are_a_distribution_in_the_order_of_the_scores)
{
    check_distributions(LB_SPARSEMAX);
    check_distributions(LB_ENTMAX);
}
END_TEST

static void check_hidden_row(lb_normalizer normalizer)
{
    const lb_real hidden = -(lb_real)INFINITY, cotangent[8] = {1, -2, 3, 4, 5, -6, 7, 8};
    lb_tensor *x = support_leaf(LB_SHAPE(2, 4), -1, 1, 1);
    for (int i = 3; i < 8; i++) x->data[i] = hidden;
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = apply(normalizer, lb_on_tape(tape, x));
    ck_assert_int_eq(lb_backward_from(y, cotangent, NULL), LB_OK);
    for (int i = 3; i < 8; i++) ck_assert(y->data[i] == 0 && x->grad[i] == 0);
    ck_assert(x->grad[0] != 0 || x->grad[1] != 0 || x->grad[2] != 0);
    lb_tape_free(tape);
    support_leaf_free(x);
}

START_TEST(test_sparse_row_of_minus_infinity_is_zero_and_has_no_gradient)
{
    check_hidden_row(LB_SPARSEMAX);
    check_hidden_row(LB_ENTMAX);
}
END_TEST

static void check_huge(lb_normalizer normalizer)
{
    const lb_real huge = (lb_real)3e38, nan = (lb_real)NAN;
    lb_tape *tape = lb_tape_new();
    lb_tensor *x =
        lb_tensor_new(tape, LB_SHAPE(3, 3), (lb_real[]){huge, 0, -huge, -huge, -huge, -huge, nan, 0, 1});
    const lb_tensor *y = apply(normalizer, x);
    ck_assert(y->data[0] == 1 && y->data[1] == 0 && y->data[2] == 0);
    for (int i = 3; i < 6; i++) ck_assert_double_eq_tol((double)y->data[i], 1.0 / 3, 1e-6);
    ck_assert(isnan(y->data[6]));
    lb_tape_free(tape);
}

START_TEST(test_sparse_huge_scores_do_not_overflow_and_nan_stays_visible)
{
    check_huge(LB_SPARSEMAX);
    check_huge(LB_ENTMAX);
}
END_TEST

/* What only softmax has: a weight for every key, however bad. */
START_TEST(test_attention_by_the_sparse_ones_ignores_keys_that_score_far_below)
{
    for (int n = LB_SOFTMAX; n <= LB_ENTMAX; n++) {
        lb_tape *tape = lb_tape_new();
        lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(1, 1, 1), (lb_real[]){1}),
                  *keys = lb_tensor_new(tape, LB_SHAPE(1, 3, 1), (lb_real[]){0, 3, (lb_real)2.75});
        lb_tensor *context = lb_attend_dot_by(query, keys, keys, NULL, NULL, 1, 1, 0, (lb_normalizer)n);
        const lb_real *weights = lb_op_output(context, 1)->data;
        ck_assert_int_eq(weights[0] == 0, n != LB_SOFTMAX);
        ck_assert(weights[1] > weights[2] && weights[2] > 0);
        lb_tape_free(tape);
    }
}
END_TEST

static void expect_no_normalizer(lb_tape *tape, const lb_tensor *made, const char *message)
{
    ck_assert(!lb_is_sound(made));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_tape_error(tape), message);
    lb_tape_clear_error(tape);
}

START_TEST(test_ops_by_a_normalizer_that_there_is_not_are_an_error)
{
    static const int32_t id = 1;
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(1, 1, 3), (lb_real[]){1, 2, 3});
    const lb_tokens target = {tape, 1, 1, &id, NULL};
    expect_no_normalizer(tape, lb_attend_dot_by(x, x, x, NULL, NULL, 1, 1, 0, (lb_normalizer)3),
                         "lb_attend_dot: normalizer is 3, expected 0 to 2");
    expect_no_normalizer(tape, lb_attend_additive_by(x, x, x, x, NULL, (lb_normalizer)-1),
                         "lb_attend_additive: normalizer is -1, expected 0 to 2");
    expect_no_normalizer(tape, lb_entmax_loss(x, target, LB_PAD, 0, (lb_normalizer)9),
                         "lb_entmax_loss: normalizer is 9, expected 0 to 2");
    lb_tape_free(tape);
}
END_TEST

/* Of [1, 0.2, -9]: sparsemax gives [0.9, 0.1, 0], and the last has a logarithm of -inf and a root without a slope. */
static const lb_real *gradient_of_first(lb_tape *tape, lb_tensor *(*function)(lb_tensor *))
{
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(3), (lb_real[]){1, (lb_real)0.2, -9});
    x->requires_grad = true;
    lb_tensor *y = function(lb_sparsemax(x));
    ck_assert_int_eq(lb_backward_from(y, (const lb_real[]){1, 0, 0}, NULL), LB_OK);
    return x->grad;
}

START_TEST(test_functions_of_a_sparse_weight_have_a_gradient_beside_weights_of_zero)
{
    lb_tape *tape = lb_tape_new(), *other = lb_tape_new();
    const lb_real *log = gradient_of_first(tape, lb_log), *root = gradient_of_first(other, lb_sqrt);
    const double half = 0.5, weight = 0.9;
    for (int i = 0; i < 3; i++) {
        double slope = i == 2 ? 0 : i == 1 ? -half : half;
        ck_assert_double_eq_tol((double)log[i], slope / weight, 1e-6);
        ck_assert_double_eq_tol((double)root[i], slope / (2 * sqrt(weight)), 1e-6);
    }
    lb_tape_free(other);
    lb_tape_free(tape);
}
END_TEST

static lb_real *dropped_gradient(lb_tensor *const *leaf, lb_normalizer normalizer, bool fused, lb_tape *tape)
{
    lb_tensor *in[3];
    for (int i = 0; i < 3; i++) {
        memset(leaf[i]->grad, 0, (size_t)lb_count(leaf[i]) * sizeof(lb_real));
        in[i] = lb_on_tape(tape, leaf[i]);
    }
    lb_tape_seed(tape, 5, 0);
    lb_tensor *context = lb_attend_dot_by(in[0], in[1], in[2], NULL, NULL, 1, 1, (lb_real)0.4, normalizer);
    if (!fused) {
        /* The same weights without dropout, times what dropout made of them. */
        const lb_tensor *dropped = lb_op_output(context, 1);
        lb_tensor *scores = lb_matmul_transposed(in[0], false, in[1], true), *p = apply(normalizer, scores);
        lb_tensor *kept = lb_tensor_new(tape, p->shape, NULL);
        for (int64_t i = 0; i < lb_count(p); i++)
            kept->data[i] = p->data[i] > 0 ? dropped->data[i] / p->data[i] : 1;
        context = lb_matmul(lb_mul(p, kept), in[2]);
    }
    ck_assert_int_eq(lb_backward(lb_sum_all(lb_mul(context, context)), NULL), LB_OK);
    return leaf[0]->grad;
}

static void check_dropout(lb_normalizer normalizer)
{
    enum { NUMBERS = 2 * 5 * 3 };
    lb_real expected[NUMBERS];
    lb_tensor *leaf[] = {support_leaf(LB_SHAPE(2, 5, 3), -1, 1, 1), support_leaf(LB_SHAPE(2, 6, 3), -1, 1, 2),
                         support_leaf(LB_SHAPE(2, 6, 4), -1, 1, 3)};
    lb_tape *tape = lb_tape_new();
    memcpy(expected, dropped_gradient(leaf, normalizer, false, tape), sizeof expected);
    lb_tape_reset(tape);
    const lb_real *found = dropped_gradient(leaf, normalizer, true, tape);
    double size = 0;
    for (int i = 0; i < NUMBERS; i++) {
        ck_assert_double_eq_tol((double)found[i], (double)expected[i], 1e-5);
        size += fabs((double)expected[i]);
    }
    ck_assert_double_gt(size, 0.1);
    lb_tape_free(tape);
    for (int i = 0; i < 3; i++) support_leaf_free(leaf[i]);
}

START_TEST(test_attention_with_dropout_has_the_gradient_of_its_parts)
{
    check_dropout(LB_SPARSEMAX);
    check_dropout(LB_ENTMAX);
}
END_TEST

static void check_loss_fixture(lb_normalizer normalizer, const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%s_loss%s", lb_normalizer_names[normalizer], suffix);
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tokens targets = support_fixture_tokens(fixture, tape, "input.targets", NULL, 0);
    lb_tensor *loss = lb_entmax_loss(support_fixture_input(fixture, tape, "logits"), targets,
                                     (int32_t)support_fixture_number(fixture, "ignore_index"),
                                     (lb_real)support_fixture_number(fixture, "label_smoothing"), normalizer);
    support_fixture_backward(fixture, support_fixture_output(fixture, "loss", loss, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_entmax_loss_equals_the_definition_in_pytorch)
{
    check_loss_fixture(LB_SPARSEMAX, "");
    check_loss_fixture(LB_SPARSEMAX, "_smoothed");
    check_loss_fixture(LB_ENTMAX, "");
    check_loss_fixture(LB_ENTMAX, "_smoothed");
}
END_TEST

static lb_real loss_of(lb_tape *tape, int classes, const lb_real *x, int32_t target, lb_normalizer normalizer)
{
    const int32_t id[] = {target}, one[] = {1};
    lb_tensor *logits = lb_tensor_new(tape, LB_SHAPE(1, 1, classes), x);
    return lb_item(lb_entmax_loss(logits, (lb_tokens){tape, 1, 1, id, one}, -100, 0, normalizer));
}

START_TEST(test_entmax_loss_has_a_margin_and_is_finite_where_the_target_is_impossible)
{
    const lb_real hidden = -(lb_real)INFINITY;
    lb_tape *tape = lb_tape_new();
    ck_assert(loss_of(tape, 3, (lb_real[]){0, 1, -5}, 1, LB_SPARSEMAX) == 0);
    ck_assert(loss_of(tape, 3, (lb_real[]){0, (lb_real)0.9, -5}, 1, LB_SPARSEMAX) > 0);
    ck_assert(loss_of(tape, 3, (lb_real[]){0, 2, -5}, 1, LB_ENTMAX) == 0);
    ck_assert(loss_of(tape, 3, (lb_real[]){0, (lb_real)1.9, -5}, 1, LB_ENTMAX) > 0);
    ck_assert_double_eq_tol((double)loss_of(tape, 2, (lb_real[]){0, 7}, 0, LB_SPARSEMAX), 7, 1e-5);
    ck_assert(isinf(loss_of(tape, 2, (lb_real[]){hidden, 7}, 0, LB_ENTMAX)));
    ck_assert(isinf(loss_of(tape, 2, (lb_real[]){hidden, hidden}, 0, LB_SPARSEMAX)));
    ck_assert(loss_of(tape, 2, (lb_real[]){3, 4}, -100, LB_ENTMAX) == 0);
    ck_assert_double_eq_tol((double)loss_of(tape, 2, (lb_real[]){0, 0}, 0, LB_SOFTMAX), log(2), 1e-6);
    ck_assert_int_eq(lb_tape_status(tape), LB_OK);
    loss_of(tape, 2, (lb_real[]){3, 4}, 2, LB_ENTMAX);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_entmax_loss_has_the_same_bits_on_any_number_of_threads)
{
    enum { BATCH = 40, LENGTH = 9, CLASSES = 50 };
    static lb_real gradient[BATCH * LENGTH * CLASSES];
    static int32_t id[BATCH * LENGTH], lengths[BATCH];
    lb_real value = 0;
    lb_tensor *x = support_leaf(LB_SHAPE(BATCH, LENGTH, CLASSES), -2, 2, 1);
    for (int i = 0; i < BATCH * LENGTH; i++) id[i] = i * 7 % CLASSES;
    for (int i = 0; i < BATCH; i++) lengths[i] = LENGTH;
    for (int threads = 1; threads <= 3; threads++) {
        lb_tape *tape = lb_tape_new();
        lb_set_threads(threads);
        memset(x->grad, 0, sizeof gradient);
        lb_tensor *loss = lb_entmax_loss(lb_on_tape(tape, x), (lb_tokens){tape, BATCH, LENGTH, id, lengths},
                                         0, (lb_real)0.1, LB_ENTMAX);
        if (threads == 1) value = lb_item(loss);
        ck_assert(lb_item(loss) == value);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        if (threads == 1) memcpy(gradient, x->grad, sizeof gradient);
        ck_assert_mem_eq(gradient, x->grad, sizeof gradient);
        lb_tape_free(tape);
    }
    support_leaf_free(x);
}
END_TEST
