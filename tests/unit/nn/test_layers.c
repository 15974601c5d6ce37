/* Linear, embedding, layer norm and cross-entropy against PyTorch. This test runs in both precisions. */
#include "lookback/nn.h"
#include "nn/layers.h"
#include "support/fixture.h"
#include "support/suite.h"

typedef struct bench {
    support_fixture *fixture;
    lb_params *params;
    lb_tape *tape;
} bench;

static bench open_bench(const char *name)
{
    return (bench){support_fixture_open(name), lb_params_new(3), lb_tape_new()};
}

static void close_bench(bench b)
{
    lb_tape_free(b.tape);
    lb_params_free(b.params);
    support_fixture_close(b.fixture);
}

static void check_linear(const char *name, bool no_bias)
{
    bench b = open_bench(name);
    lb_linear linear;
    lb_linear_config config = {.inputs = 4, .outputs = 7, .no_bias = no_bias};
    ck_assert_int_eq(lb_linear_init(&linear, b.params, "", config), LB_OK);
    ck_assert_int_eq(linear.bias == NULL, no_bias);
    support_fixture_fill(b.fixture, b.params);
    lb_tensor *y = lb_linear_forward(&linear, support_fixture_input(b.fixture, b.tape, "x"));
    support_fixture_backward(b.fixture, support_fixture_output(b.fixture, "y", y, NULL), b.params);
    close_bench(b);
}

START_TEST(test_linear_forward_and_gradients_equal_pytorch)
{
    check_linear("linear", false);
}
END_TEST

START_TEST(test_linear_of_a_pair_equals_the_layer_of_what_is_joined)
{
    support_fixture *fixture = support_fixture_open("linear");
    lb_params *params = lb_params_new(3);
    lb_tape *tape = lb_tape_new();
    lb_linear linear;
    ck_assert_int_eq(lb_linear_init(&linear, params, "", (lb_linear_config){.inputs = 4, .outputs = 7}),
                     LB_OK);
    support_fixture_fill(fixture, params);
    lb_tensor *x = support_fixture_input(fixture, tape, "x");
    lb_tensor *y = lb_linear_forward_pair(&linear, lb_slice(x, 2, 0, 1), lb_slice(x, 2, 1, 3));
    support_fixture_backward(fixture, support_fixture_output(fixture, "y", y, NULL), params);
    ck_assert(!lb_is_sound(lb_linear_forward_pair(&linear, x, x)));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    lb_tape_free(tape);
    lb_params_free(params);
    support_fixture_close(fixture);
}
END_TEST

START_TEST(test_linear_without_bias_equals_pytorch)
{
    check_linear("linear_no_bias", true);
}
END_TEST

START_TEST(test_embedding_forward_and_gradients_equal_pytorch)
{
    bench b = open_bench("embedding");
    lb_embedding embedding;
    ck_assert_int_eq(lb_embedding_init(&embedding, b.params, "", 9, 6, 0), LB_OK);
    support_fixture_fill(b.fixture, b.params);
    lb_tokens ids = support_fixture_tokens(b.fixture, b.tape, "input.ids", NULL, 0);
    lb_tensor *loss = support_fixture_output(b.fixture, "y", lb_embedding_forward(&embedding, ids), NULL);
    support_fixture_backward(b.fixture, loss, b.params);
    /* Ids that never occur. */
    for (int i = 0; i < 6; i++) {
        ck_assert(embedding.weight->grad[4 * 6 + i] == 0);
        ck_assert(embedding.weight->grad[7 * 6 + i] == 0);
    }
    close_bench(b);
}
END_TEST

START_TEST(test_layer_norm_forward_and_gradients_equal_pytorch)
{
    bench b = open_bench("layer_norm");
    lb_layer_norm norm;
    ck_assert_int_eq(lb_layer_norm_init(&norm, b.params, "", 7, 0), LB_OK);
    ck_assert_float_eq_tol((float)norm.epsilon, (float)support_fixture_number(b.fixture, "eps"), 1e-12F);
    support_fixture_fill(b.fixture, b.params);
    lb_tensor *x = support_fixture_input(b.fixture, b.tape, "x"), *y = lb_layer_norm_forward(&norm, x);
    support_fixture_backward(b.fixture, support_fixture_output(b.fixture, "y", y, NULL), b.params);
    close_bench(b);
}
END_TEST

static void check_cross_entropy(const char *name, bool smoothed)
{
    bench b = open_bench(name);
    lb_real smoothing = (lb_real)support_fixture_number(b.fixture, "label_smoothing");
    int32_t ignored = (int32_t)support_fixture_number(b.fixture, "ignore_index");
    ck_assert_int_eq(smoothing > 0, smoothed);
    lb_tensor *logits = support_fixture_input(b.fixture, b.tape, "logits");
    lb_tokens targets = support_fixture_tokens(b.fixture, b.tape, "input.targets", NULL, 0);
    lb_tensor *loss = smoothed ? lb_cross_entropy_smoothed(logits, targets, ignored, smoothing)
                               : lb_cross_entropy(logits, targets, ignored);
    support_fixture_backward(b.fixture, support_fixture_output(b.fixture, "loss", loss, NULL), NULL);
    close_bench(b);
}

START_TEST(test_cross_entropy_with_ignored_targets_equals_pytorch)
{
    check_cross_entropy("cross_entropy", false);
}
END_TEST

START_TEST(test_cross_entropy_smoothed_equals_pytorch)
{
    check_cross_entropy("cross_entropy_smoothed", true);
}
END_TEST
