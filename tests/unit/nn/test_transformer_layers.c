/* Positions, transformer layers and the transformer against PyTorch. This test runs in both precisions. */
#include "lookback/nn.h"
#include "nn/layers.h"
#include "support/fixture.h"
#include "support/suite.h"

#include <stdio.h>

typedef struct subject {
    support_fixture *fixture;
    lb_params *params;
    lb_tape *tape;
} subject;

static subject subject_open(const char *name)
{
    return (subject){support_fixture_open(name), lb_params_new(3), lb_tape_new()};
}

static void subject_close(subject *s)
{
    lb_tape_free(s->tape);
    lb_params_free(s->params);
    support_fixture_close(s->fixture);
}

static lb_tensor *key_mask(const subject *s, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "input.%s", name);
    return support_fixture_has(s->fixture, full)
               ? lb_key_mask(support_fixture_constant(s->fixture, s->tape, name))
               : NULL;
}

static lb_transformer_layer_config config_of(const subject *s)
{
    return (lb_transformer_layer_config){.width = 6,
                                         .heads = (int64_t)support_fixture_number(s->fixture, "heads"),
                                         .feed_forward =
                                             (int64_t)support_fixture_number(s->fixture, "dim_feedforward"),
                                         .pre_norm = support_fixture_number(s->fixture, "norm_first") != 0};
}

static void check_positions(const char *name, lb_positional_config config)
{
    subject s = subject_open(name);
    lb_positional positional;
    ck_assert_int_eq(lb_positional_init(&positional, s.params, "", config), LB_OK);
    support_fixture_fill(s.fixture, s.params);
    int64_t first = (int64_t)support_fixture_number(s.fixture, "first");
    lb_tensor *y = lb_positional_forward(&positional, support_fixture_input(s.fixture, s.tape, "x"), first);
    support_fixture_backward(s.fixture, support_fixture_output(s.fixture, "y", y, NULL), s.params);
    subject_close(&s);
}

/* What follows them in memory does not count. */
START_TEST(test_positions_of_each_token_are_those_given)
{
    static const int32_t id[] = {2, 0, 5, INT32_MAX};
    static const int32_t lengths[] = {3};
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_positional positional;
    ck_assert_int_eq(lb_positional_init(&positional, params, "", (lb_positional_config){.width = 4}), LB_OK);
    lb_tensor *zeros = lb_tensor_new(tape, LB_SHAPE(1, 6, 4), NULL), *some = lb_slice(zeros, 1, 0, 3);
    const lb_tensor *all = lb_positional_forward(&positional, zeros, 0),
                    *given =
                        lb_positional_forward_at(&positional, some, (lb_tokens){tape, 1, 3, id, lengths});
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    for (ptrdiff_t i = 0; i < 3; i++)
        ck_assert_mem_eq(given->data + 4 * i, all->data + (ptrdiff_t)4 * id[i], 4 * sizeof *all->data);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_positions_equal_pytorch)
{
    check_positions("positions_sinusoidal", (lb_positional_config){.width = 6});
    check_positions("positions_sinusoidal_odd", (lb_positional_config){.width = 7});
    check_positions("positions_learned",
                    (lb_positional_config){.kind = LB_POSITIONAL_LEARNED, .width = 6, .max_length = 9});
}
END_TEST

static void check_encoder_layer(const char *name)
{
    subject s = subject_open(name);
    lb_transformer_layer layer;
    ck_assert_int_eq(lb_transformer_layer_init(&layer, s.params, "", false, config_of(&s)), LB_OK);
    support_fixture_fill(s.fixture, s.params);
    lb_tensor *x = support_fixture_input(s.fixture, s.tape, "x");
    lb_transformer_context context = {.self_mask = key_mask(&s, "key_mask")};
    lb_tensor *y = lb_transformer_layer_forward(&layer, x, &context, 0);
    support_fixture_backward(s.fixture, support_fixture_output(s.fixture, "y", y, NULL), s.params);
    subject_close(&s);
}

START_TEST(test_encoder_layer_equals_pytorch)
{
    check_encoder_layer("encoder_layer");
    check_encoder_layer("encoder_layer_no_mask");
    check_encoder_layer("encoder_layer_norm_first");
}
END_TEST

/* The self-attention mask of a decoder: it hides the future and padding. */
static lb_tensor *own_mask(const subject *s, const lb_tensor *x)
{
    return lb_mul(lb_causal_mask(s->tape, lb_dim(x, 1)), key_mask(s, "key_mask"));
}

static void check_decoder_layer(const char *name)
{
    subject s = subject_open(name);
    lb_transformer_layer layer;
    ck_assert_int_eq(lb_transformer_layer_init(&layer, s.params, "", true, config_of(&s)), LB_OK);
    support_fixture_fill(s.fixture, s.params);
    lb_tensor *x = support_fixture_input(s.fixture, s.tape, "x"), *self_weights = NULL, *cross_weights = NULL;
    lb_transformer_context context = {.self_mask = own_mask(&s, x),
                                      .memory = support_fixture_input(s.fixture, s.tape, "memory"),
                                      .memory_mask = key_mask(&s, "memory_mask"),
                                      .self_weights = &self_weights,
                                      .cross_weights = &cross_weights};
    lb_tensor *y = lb_transformer_layer_forward(&layer, x, &context, 0);
    support_fixture_backward(s.fixture, support_fixture_output(s.fixture, "y", y, NULL), s.params);
    ck_assert(lb_shape_equal(self_weights->shape, LB_SHAPE(3, 3, 4, 4)));
    ck_assert(lb_shape_equal(cross_weights->shape, LB_SHAPE(3, 3, 4, 5)));
    subject_close(&s);
}

START_TEST(test_decoder_layer_equals_pytorch)
{
    check_decoder_layer("decoder_layer");
    check_decoder_layer("decoder_layer_norm_first");
}
END_TEST

static void check_transformer(const char *name)
{
    subject s = subject_open(name);
    lb_transformer_stack encoder, decoder;
    lb_transformer_layer_config config = config_of(&s);
    int layers = (int)support_fixture_number(s.fixture, "layers");
    ck_assert_int_eq(lb_transformer_stack_init(&encoder, s.params, "encoder", false, layers, config), LB_OK);
    ck_assert_int_eq(lb_transformer_stack_init(&decoder, s.params, "decoder", true, layers, config), LB_OK);
    support_fixture_fill(s.fixture, s.params);
    lb_tensor *source = support_fixture_input(s.fixture, s.tape, "source"),
              *x = support_fixture_input(s.fixture, s.tape, "x"), *memory_mask = key_mask(&s, "memory_mask");
    lb_transformer_context encode = {.self_mask = memory_mask};
    lb_tensor *memory = lb_transformer_stack_forward(&encoder, source, &encode);
    lb_tensor *loss = support_fixture_output(s.fixture, "memory", memory, NULL);
    lb_tensor *weights[2] = {NULL, NULL};
    lb_transformer_context decode = {
        .self_mask = own_mask(&s, x), .memory = memory, .memory_mask = memory_mask, .cross_weights = weights};
    lb_tensor *y = lb_transformer_stack_forward(&decoder, x, &decode);
    support_fixture_backward(s.fixture, support_fixture_output(s.fixture, "y", y, loss), s.params);
    ck_assert(lb_is_sound(weights[0]) && lb_is_sound(weights[1]) && weights[0] != weights[1]);
    subject_close(&s);
}

START_TEST(test_transformer_equals_pytorch)
{
    check_transformer("transformer");
    check_transformer("transformer_norm_first");
}
END_TEST
