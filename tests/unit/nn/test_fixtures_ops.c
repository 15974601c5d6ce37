/* Ops against PyTorch where results or gradients are not obvious: ties, zeros, weights and distributions as targets.
 * This test runs in both precisions. */
#include "lookback/nn.h"
#include "lookback/ops.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

typedef lb_tensor *pair_function(lb_tensor *a, lb_tensor *b);
typedef lb_tensor *axis_function(lb_tensor *x, int axis);

/* Operand `b` of a power has no gradient in one file, operand `a` none in the other. */
static lb_tensor *operand(support_fixture *fixture, lb_tape *tape, const char *name)
{
    char gradient[32];
    snprintf(gradient, sizeof gradient, "grad.input.%s", name);
    return support_fixture_has(fixture, gradient) ? support_fixture_input(fixture, tape, name)
                                                  : support_fixture_constant(fixture, tape, name);
}

static void check_pair(const char *name, pair_function *function)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = function(operand(fixture, tape, "a"), operand(fixture, tape, "b"));
    support_fixture_backward(fixture, support_fixture_output(fixture, "y", y, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_maximum_and_minimum_with_ties_equal_pytorch)
{
    check_pair("op_maximum", lb_maximum);
    check_pair("op_minimum", lb_minimum);
}
END_TEST

START_TEST(test_pow_of_zero_negative_bases_and_exponents_of_zero_equals_pytorch)
{
    check_pair("op_pow", lb_pow);
    check_pair("op_pow_exponent", lb_pow);
}
END_TEST

static void check_axis(const char *name, axis_function *function)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tensor *y = function(support_fixture_input(fixture, tape, "x"), 1);
    support_fixture_backward(fixture, support_fixture_output(fixture, "y", y, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_reduce_max_with_ties_and_log_sum_exp_equal_pytorch)
{
    check_axis("op_amax", lb_reduce_max);
    check_axis("op_logsumexp", lb_log_sum_exp);
}
END_TEST

static void check_weighted(const char *name)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tensor *loss = lb_cross_entropy_weighted(
        support_fixture_input(fixture, tape, "logits"), support_fixture_constant(fixture, tape, "weight"),
        support_fixture_tokens(fixture, tape, "input.targets", NULL, 0),
        (int32_t)support_fixture_number(fixture, "ignore_index"),
        (lb_real)support_fixture_number(fixture, "label_smoothing"));
    support_fixture_backward(fixture, support_fixture_output(fixture, "loss", loss, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_cross_entropy_with_weights_of_classes_equals_pytorch)
{
    check_weighted("cross_entropy_weighted");
    check_weighted("cross_entropy_weighted_smoothed");
}
END_TEST

static void check_soft(const char *name, bool weighted)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tensor *weight = weighted ? support_fixture_constant(fixture, tape, "weight") : NULL;
    lb_tensor *loss = lb_cross_entropy_soft(support_fixture_input(fixture, tape, "logits"),
                                            support_fixture_constant(fixture, tape, "targets"), weight, NULL,
                                            (lb_real)support_fixture_number(fixture, "label_smoothing"));
    support_fixture_backward(fixture, support_fixture_output(fixture, "loss", loss, NULL), NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_cross_entropy_of_distributions_equals_pytorch)
{
    check_soft("cross_entropy_soft", false);
    check_soft("cross_entropy_soft_weighted", true);
}
END_TEST

/* With weights of 1, and with targets that are certain, it is the plain loss. */
START_TEST(test_cross_entropy_weighted_by_ones_and_of_certain_targets_equals_the_plain_one)
{
    support_fixture *fixture = support_fixture_open("cross_entropy_smoothed");
    lb_tape *tape = lb_tape_new();
    lb_tensor *logits = support_fixture_constant(fixture, tape, "logits");
    lb_tokens targets = support_fixture_tokens(fixture, tape, "input.targets", NULL, 0);
    int64_t classes = lb_dim(logits, -1);
    lb_tensor *ones = lb_tensor_new(tape, LB_SHAPE(classes), NULL),
              *certain = lb_tensor_new(tape, logits->shape, NULL),
              *mask = lb_tensor_new(tape, LB_SHAPE(targets.batch, targets.length), NULL);
    for (int64_t i = 0; i < classes; i++) ones->data[i] = 1;
    for (int64_t i = 0; i < targets.batch * targets.length; i++) {
        certain->data[i * classes + targets.id[i]] = 1;
        mask->data[i] = targets.id[i] != 0;
    }
    lb_real smoothing = (lb_real)0.1;
    double plain = (double)lb_item(lb_cross_entropy_smoothed(logits, targets, 0, smoothing));
    double weighted = (double)lb_item(lb_cross_entropy_weighted(logits, ones, targets, 0, smoothing));
    double soft = (double)lb_item(lb_cross_entropy_soft(logits, certain, NULL, mask, smoothing));
    ck_assert_msg(fabs(weighted - plain) < 1e-6 * plain, "weighted: %.12g, not %.12g", weighted, plain);
    ck_assert_msg(fabs(soft - plain) < 1e-6 * plain, "soft: %.12g, not %.12g", soft, plain);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}
END_TEST

START_TEST(test_split_parts_are_those_of_the_whole_and_joined_again_are_the_same)
{
    lb_tape *tape = lb_tape_new();
    lb_real values[24];
    for (int i = 0; i < 24; i++) values[i] = (lb_real)i;
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 6, 2), values), *parts[3];
    lb_split_axis(x, -2, (const int64_t[]){1, 3, 2}, 3, parts);
    for (int i = 0; i < 3; i++) ck_assert(lb_is_sound(parts[i]));
    ck_assert_int_eq(lb_dim(parts[1], 1), 3);
    ck_assert(parts[1]->data[0] == 2 && parts[2]->data[4] == 20);
    lb_tensor *joined = lb_concat(parts, 3, 1);
    for (int i = 0; i < 24; i++) ck_assert(joined->data[i] == values[i]);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_split_into_parts_that_do_not_add_up_is_an_error)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *x = lb_tensor_new(tape, LB_SHAPE(2, 6), NULL), *parts[2];
    lb_split_axis(x, 1, (const int64_t[]){4, 1}, 2, parts);
    ck_assert(!lb_is_sound(parts[0]) && !lb_is_sound(parts[1]));
    ck_assert_str_eq(lb_tape_error(tape),
                     "lb_split_axis: found parts of 5 elements, expected those of axis 1 of x[2,6]");
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_where_reads_nothing_of_what_is_not_chosen)
{
    lb_tape *tape = lb_tape_new();
    lb_tensor *condition = lb_tensor_new(tape, LB_SHAPE(2), (const lb_real[]){1, 0}),
              *a = lb_tensor_new(tape, LB_SHAPE(2), (const lb_real[]){3, NAN}),
              *b = lb_tensor_new(tape, LB_SHAPE(2), (const lb_real[]){INFINITY, 4});
    lb_tensor *y = lb_where(condition, a, b);
    ck_assert(y->data[0] == 3 && y->data[1] == 4);
    lb_tape_free(tape);
}
END_TEST

START_TEST(test_log_sum_exp_of_huge_and_hidden_numbers_is_exact)
{
    lb_tape *tape = lb_tape_new();
    const lb_real hidden = -(lb_real)INFINITY;
    lb_tensor *x =
        lb_tensor_new(tape, LB_SHAPE(3, 2), (const lb_real[]){3e4F, 3e4F, hidden, 2, hidden, hidden});
    lb_tensor *y = lb_log_sum_exp(x, 1);
    ck_assert(fabs((double)y->data[0] - 3e4 - log(2)) < 1e-2);
    ck_assert(y->data[1] == 2 && y->data[2] == hidden);
    ck_assert(lb_softplus(lb_tensor_new(tape, LB_SHAPE(1), (const lb_real[]){3e4F}))->data[0] == 3e4F);
    lb_tape_free(tape);
}
END_TEST
