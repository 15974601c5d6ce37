/* Multi-head attention against PyTorch: values, gradients, and weights that go from one to the other by name.
 * This test runs in both precisions. */
#include "io/safetensors.h"
#include "lookback/models.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static const char *const notebook_names[] = {"w_qs", "w_ks", "w_vs", "fc"};
static const char *const linear_names[] = {"q_linear", "k_linear", "v_linear", "out_linear"};

static bool has_input(const support_fixture *fixture, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "input.%s", name);
    return support_fixture_has(fixture, full);
}

static lb_tensor *constant(const support_fixture *fixture, lb_tape *tape, const char *name)
{
    return has_input(fixture, name) ? support_fixture_constant(fixture, tape, name) : NULL;
}

/* The query, keys and values of the module; missing ones are the query. */
static lb_tensor *operand(support_fixture *fixture, lb_tape *tape, const char *name, lb_tensor *query)
{
    return has_input(fixture, name) ? support_fixture_input(fixture, tape, name) : query;
}

static void check_result(support_fixture *fixture, lb_attended_result result, lb_params *params)
{
    lb_tensor *loss = support_fixture_output(fixture, "context", result.context, NULL);
    loss = support_fixture_output(fixture, "weights", result.weights, loss);
    support_fixture_backward(fixture, loss, params);
}

START_TEST(test_multi_head_block_of_the_notebook_equals_pytorch)
{
    support_fixture *fixture = support_fixture_open("multi_head_block");
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_multi_head_block block;
    lb_multi_head_config config = {
        .embed = 7, .heads = 2, .key_width = 5, .value_width = 3, .no_bias = true, .names = notebook_names};
    ck_assert_int_eq(lb_multi_head_block_init(&block, params, "", config, 0, (lb_real)1e-6), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *query = support_fixture_input(fixture, tape, "query"),
              *keys = support_fixture_input(fixture, tape, "keys"),
              *values = support_fixture_input(fixture, tape, "values"),
              *mask = support_fixture_constant(fixture, tape, "mask"); /* [batch, 1, keys] */
    mask = lb_key_mask(lb_reshape(mask, LB_SHAPE(lb_dim(mask, 0), lb_dim(mask, 2))));
    check_result(fixture, lb_multi_head_block_forward(&block, query, keys, values, mask), params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}
END_TEST

static void check_multi_head(const char *name, lb_multi_head_config config)
{
    support_fixture *fixture = support_fixture_open(name);
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_multi_head attention;
    config.embed = 6;
    config.heads = 3;
    ck_assert_int_eq(lb_multi_head_init(&attention, params, "", config), LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *query = support_fixture_input(fixture, tape, has_input(fixture, "query") ? "query" : "x");
    lb_tensor *keys = operand(fixture, tape, "keys", query),
              *values = operand(fixture, tape, "values", query);
    lb_tensor *mask = constant(fixture, tape, "mask"), *bias = constant(fixture, tape, "bias"),
              *key_mask = lb_key_mask(constant(fixture, tape, "key_mask"));
    if (key_mask) mask = mask ? lb_mul(mask, key_mask) : key_mask;
    check_result(fixture, lb_multi_head_forward(&attention, query, keys, values, mask, bias), params);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}

START_TEST(test_multi_head_with_names_equals_pytorch)
{
    check_multi_head("multi_head_named", (lb_multi_head_config){.names = linear_names});
    check_multi_head("multi_head_named_cross", (lb_multi_head_config){.names = linear_names});
}
END_TEST

START_TEST(test_multi_head_packed_self_attention_equals_pytorch)
{
    check_multi_head("multi_head_packed", (lb_multi_head_config){0});
    check_multi_head("multi_head_packed_additive", (lb_multi_head_config){0});
}
END_TEST

START_TEST(test_multi_head_packed_cross_attention_equals_pytorch)
{
    check_multi_head("multi_head_packed_cross", (lb_multi_head_config){0});
    check_multi_head("multi_head_packed_cross_additive", (lb_multi_head_config){0});
    check_multi_head("multi_head_packed_no_bias", (lb_multi_head_config){.no_bias = true});
}
END_TEST

/* The state_dict that PyTorch wrote, in `name`, into `params`; then from there into a file that check_round_trip.py
 * gives back to PyTorch. */
static void check_round_trip(const char *name, lb_params *params)
{
    char path[512];
    lb_error error = {0};
    ck_assert_msg(lb_params_status(params) == LB_OK, "%s", lb_params_error(params));
    snprintf(path, sizeof path, "%s/tests/data/fixtures/state_dict_%s.safetensors", SOURCE_DIR, name);
    lb_safetensors *from = lb_safetensors_open(path, &error);
    ck_assert_msg(from, "%s", error.message);
    ck_assert_msg(lb_checkpoint_load(from, params, &error) == LB_OK, "%s", error.message);
    snprintf(path, sizeof path, "%s/round_trip_%s_%s.safetensors", TEST_OUTPUT, name,
             sizeof(lb_real) == 8 ? "f64" : "f32");
    ck_assert_msg(lb_checkpoint_save(params, path, (lb_checkpoint_extra){0}, &error) == LB_OK, "%s",
                  error.message);
    lb_safetensors *to = lb_safetensors_open(path, &error);
    ck_assert_msg(to, "%s", error.message);
    ck_assert_int_eq(lb_safetensors_count(to), lb_safetensors_count(from));
    for (int64_t i = 0; i < lb_safetensors_count(from); i++) {
        const lb_safetensors_tensor *sent = lb_safetensors_at(from, i),
                                    *back = lb_safetensors_find(to, sent->name);
        ck_assert_msg(back, "%s is lost", sent->name);
        ck_assert(lb_shape_equal(sent->shape, back->shape));
        const double *sent_values = sent->data;
        const lb_real *back_values = back->data;
        for (int64_t k = 0; k < lb_shape_count(sent->shape); k++)
            ck_assert(back_values[k] == (lb_real)sent_values[k]);
    }
    lb_safetensors_close(to);
    lb_safetensors_close(from);
}

START_TEST(test_weights_of_multi_head_attention_load_by_name_and_go_back)
{
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_multi_head attention;
    lb_multi_head_init(&attention, params, "", (lb_multi_head_config){.embed = 6, .heads = 3});
    check_round_trip("multi_head", params);
    support_fixture *fixture = support_fixture_open("multi_head_packed");
    lb_tensor *x = support_fixture_input(fixture, tape, "query"),
              *mask = lb_mul(support_fixture_constant(fixture, tape, "mask"),
                             lb_key_mask(support_fixture_constant(fixture, tape, "key_mask")));
    check_result(fixture, lb_multi_head_forward(&attention, x, x, x, mask, NULL), params);
    support_fixture_close(fixture);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_weights_of_an_encoder_layer_load_by_name_and_go_back)
{
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_transformer_layer layer;
    lb_transformer_layer_init(&layer, params, "", false,
                              (lb_transformer_layer_config){.width = 6, .heads = 3, .feed_forward = 7});
    check_round_trip("encoder_layer", params);
    support_fixture *fixture = support_fixture_open("encoder_layer");
    lb_tensor *x = support_fixture_input(fixture, tape, "x");
    lb_transformer_context context = {.self_mask =
                                          lb_key_mask(support_fixture_constant(fixture, tape, "key_mask"))};
    lb_tensor *y = lb_transformer_layer_forward(&layer, x, &context, 0);
    support_fixture_backward(fixture, support_fixture_output(fixture, "y", y, NULL), params);
    support_fixture_close(fixture);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_weights_of_another_width_are_refused_with_both_shapes)
{
    char path[512];
    lb_error error = {0};
    lb_params *params = lb_params_new(3);
    lb_multi_head attention;
    lb_multi_head_init(&attention, params, "", (lb_multi_head_config){.embed = 9, .heads = 3});
    snprintf(path, sizeof path, "%s/tests/data/fixtures/state_dict_multi_head.safetensors", SOURCE_DIR);
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ne(lb_checkpoint_load(file, params, &error), LB_OK);
    ck_assert_msg(strstr(error.message, "[27,9]") && strstr(error.message, "[18,6]") &&
                      strstr(error.message, "in_proj_weight"),
                  "%s", error.message);
    lb_safetensors_close(file);
    lb_params_free(params);
}
END_TEST
