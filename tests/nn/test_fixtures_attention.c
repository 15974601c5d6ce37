/* Additive attention against PyTorch. This test runs in both precisions. */
#include "nn/attention.h"
#include "support/fixture.h"
#include "support/suite.h"

static void check_attention(const char *name, bool own_values, bool masked)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_additive_attention attention;
    lb_additive_attention_config config = {.query = 4, .key = 6};
    ck_assert_int_eq(lb_additive_attention_init(&attention, params, "", config), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *query = support_fixture_input(fixture, tape, "query"), *mask = NULL;
    lb_tensor *keys = support_fixture_input(fixture, tape, "keys");
    lb_tensor *values = own_values ? support_fixture_input(fixture, tape, "values") : keys;
    ck_assert_int_eq(support_fixture_has(fixture, "input.mask"), masked);
    if (masked) {
        mask = lb_tensor_new(tape, support_fixture_shape(fixture, "input.mask"), NULL);
        const double *visible = support_fixture_values(fixture, "input.mask");
        for (int64_t i = 0; i < lb_count(mask); i++) mask->data[i] = (lb_real)visible[i];
    }
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
    check_attention("additive_attention", false, true);
}
END_TEST

START_TEST(test_attention_with_values_of_their_own_equals_pytorch)
{
    check_attention("additive_attention_values", true, true);
}
END_TEST

START_TEST(test_attention_without_mask_equals_pytorch)
{
    check_attention("additive_attention_no_mask", false, false);
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
    ck_assert_str_eq(lb_tape_error(tape), "decoder.attention: lb_attend_additive: batch or width differ: "
                                          "query[2,1,4] x keys[3,5,4]");
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

int main(void)
{
    return support_run_tests("fixtures of attention",
                             SUPPORT_TESTS(test_attention_where_keys_are_the_values_equals_pytorch,
                                           test_attention_with_values_of_their_own_equals_pytorch,
                                           test_attention_without_mask_equals_pytorch,
                                           test_attention_of_misfitting_keys_names_the_module_and_is_poison));
}
