/* Additive, multiplicative and dot-product attention against PyTorch. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/nn.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <stdio.h>

static void check_attention(const char *name, int64_t query_width, bool own_values, bool masked)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_additive_attention attention;
    lb_additive_attention_config config = {.query = query_width, .key = 6};
    ck_assert_int_eq(lb_additive_attention_init(&attention, params, "", config), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *query = support_fixture_input(fixture, tape, "query"), *mask = NULL;
    lb_tensor *keys = support_fixture_input(fixture, tape, "keys");
    lb_tensor *values = own_values ? support_fixture_input(fixture, tape, "values") : keys;
    ck_assert_int_eq(support_fixture_has(fixture, "input.mask"), masked);
    if (masked) mask = support_fixture_constant(fixture, tape, "mask");
    lb_attended_result result = lb_additive_attention_forward(&attention, query, keys, values, mask);
    lb_tensor *loss = support_fixture_output(fixture, "context", result.context, NULL);
    loss = support_fixture_output(fixture, "weights", result.weights, loss);
    support_fixture_backward(fixture, loss, params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_attention_where_keys_are_the_values_equals_pytorch)
{
    check_attention("additive_attention", 4, false, true);
}
END_TEST

START_TEST(test_attention_with_values_of_their_own_equals_pytorch)
{
    check_attention("additive_attention_values", 4, true, true);
}
END_TEST

START_TEST(test_attention_without_mask_equals_pytorch)
{
    check_attention("additive_attention_no_mask", 4, false, false);
}
END_TEST

static lb_tensor *constant_or_null(const support_fixture *fixture, lb_tape *tape, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "input.%s", name);
    return support_fixture_has(fixture, full) ? support_fixture_constant(fixture, tape, name) : NULL;
}

static void check_result(support_fixture *fixture, lb_attended_result result, lb_params *params)
{
    lb_tensor *loss = support_fixture_output(fixture, "context", result.context, NULL);
    loss = support_fixture_output(fixture, "weights", result.weights, loss);
    support_fixture_backward(fixture, loss, params);
}

static void check_attend_dot(const char *name, bool causal)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_tape *tape = lb_tape_new();
    lb_tensor *query = support_fixture_input(fixture, tape, "query"),
              *keys = support_fixture_input(fixture, tape, "keys"),
              *values = support_fixture_input(fixture, tape, "values"),
              *mask = constant_or_null(fixture, tape, "mask"),
              *bias = constant_or_null(fixture, tape, "bias");
    if (causal) mask = lb_causal_mask(tape, lb_dim(keys, 2));
    lb_tensor *context = lb_attend_dot(query, keys, values, mask, bias, 0,
                                       (lb_real)support_fixture_number(fixture, "scale"), 0);
    check_result(fixture, (lb_attended_result){context, lb_op_output(context, 1)}, NULL);
    lb_tape_free(tape);
    support_fixture_close(fixture);
}

START_TEST(test_attend_dot_with_boolean_masks_equals_pytorch)
{
    check_attend_dot("attend_dot_key_mask", false);
    check_attend_dot("attend_dot_query_mask", false);
}
END_TEST

START_TEST(test_attend_dot_with_additive_masks_equals_pytorch)
{
    check_attend_dot("attend_dot_additive", false);
    check_attend_dot("attend_dot_both_masks", false);
}
END_TEST

START_TEST(test_attend_dot_unscaled_equals_pytorch)
{
    check_attend_dot("attend_dot_unscaled", false);
}
END_TEST

START_TEST(test_attend_dot_with_causal_mask_equals_pytorch)
{
    check_attend_dot("attend_dot_causal", false);
    check_attend_dot("attend_dot_causal", true);
}
END_TEST

START_TEST(test_additive_attention_of_the_notebook_equals_pytorch)
{
    check_attention("notebook_additive", 6, true, true);
    check_attention("notebook_additive_no_mask", 6, true, false);
}
END_TEST

static void check_multiplicative(const char *name, lb_score score)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_multiplicative_attention attention;
    ck_assert_int_eq(lb_multiplicative_attention_init(&attention, params, "", score, 6, 6), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *query = support_fixture_input(fixture, tape, "query"),
              *keys = support_fixture_input(fixture, tape, "keys"),
              *values = support_fixture_input(fixture, tape, "values"),
              *mask = constant_or_null(fixture, tape, "mask");
    check_result(fixture, lb_multiplicative_attention_forward(&attention, query, keys, values, mask), params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_multiplicative_attention_of_the_notebook_equals_pytorch)
{
    check_multiplicative("notebook_general", LB_SCORE_GENERAL);
    check_multiplicative("notebook_general_no_mask", LB_SCORE_GENERAL);
    check_multiplicative("notebook_dot", LB_SCORE_DOT);
    check_multiplicative("notebook_scaled_dot", LB_SCORE_SCALED_DOT);
}
END_TEST

START_TEST(test_attention_of_misfitting_keys_names_the_module_and_is_poison)
{
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_additive_attention attention;
    lb_additive_attention_init(&attention, params, "decoder.attention",
                               (lb_additive_attention_config){.query = 4, .key = 6});
    lb_tensor *query = lb_tensor_new(tape, LB_SHAPE(2, 1, 4), NULL),
              *keys = lb_tensor_new(tape, LB_SHAPE(3, 5, 6), NULL);
    lb_attended_result result = lb_additive_attention_forward(&attention, query, keys, keys, NULL);
    ck_assert(!lb_is_sound(result.context));
    ck_assert(!lb_is_sound(result.weights));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape),
                     "decoder.attention: lb_attend_additive: batch sizes or widths differ: "
                     "query[2,1,4] x keys[3,5,4]");
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST
