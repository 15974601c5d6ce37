/* A module's name is in the messages of its own ops, and not in those of later ones. */
#include "autograd/tape.h"
#include "lookback/nn.h"
#include "lookback/op.h"
#include "nn/layers.h"
#include "support/suite.h"

#include <string.h>

enum { WIDTH = 4 };

static lb_params *params;
static lb_tape *tape;
static lb_tensor *x, *mask; /* [2, 3, WIDTH], [2, 3] */

static void set_up(void)
{
    lb_real values[2 * 3 * WIDTH];
    for (int i = 0; i < 2 * 3 * WIDTH; i++) values[i] = (lb_real)i / 8 - 1;
    params = lb_params_new(5);
    tape = lb_tape_new();
    x = lb_tensor_new(tape, LB_SHAPE(2, 3, WIDTH), values);
    mask = lb_length_mask(tape, (const int32_t[]){3, 2}, 2, 3);
}

static void tear_down(void)
{
    lb_tape_free(tape);
    lb_params_free(params);
}

/* An op that fails now is outside of all modules. */
static void expect_no_name(const char *after)
{
    ck_assert_msg(lb_params_status(params) == LB_OK, "%s", lb_params_error(params));
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s: %s", after, lb_tape_error(tape));
    lb_reshape(x, LB_SHAPE(5));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_msg(strncmp(lb_tape_error(tape), "lb_reshape: ", 12) == 0, "after %s: %s", after,
                  lb_tape_error(tape));
    lb_tape_clear_error(tape);
}

/* The error is one of the module, and later ones are not. */
static void expect_name(const lb_tensor *result, const char *name)
{
    ck_assert(!lb_is_sound(result));
    ck_assert_msg(strncmp(lb_tape_error(tape), name, strlen(name)) == 0, "%s", lb_tape_error(tape));
    lb_tape_clear_error(tape);
    expect_no_name(name);
}

START_TEST(test_linear_embedding_and_layer_norm_leave_no_name)
{
    static const int32_t id[] = {1, 2, 0, 2, 1, 0}, lengths[] = {3, 2};
    lb_linear linear, wide;
    lb_layer_norm norm;
    lb_embedding embedding;
    set_up();
    lb_tokens tokens = {tape, 2, 3, id, lengths};
    lb_linear_init(&linear, params, "linear", (lb_linear_config){.inputs = WIDTH, .outputs = 5});
    lb_linear_init(&wide, params, "wide", (lb_linear_config){.inputs = 2 * WIDTH, .outputs = 12});
    lb_layer_norm_init(&norm, params, "norm", WIDTH, 0);
    lb_embedding_init(&embedding, params, "embedding", 3, WIDTH, 0);
    lb_linear_forward(&linear, x);
    expect_no_name("lb_linear_forward");
    lb_linear_forward_pair(&wide, x, x);
    expect_no_name("lb_linear_forward_pair");
    lb_layer_norm_forward(&norm, x);
    expect_no_name("lb_layer_norm_forward");
    lb_embedding_forward(&embedding, tokens);
    expect_no_name("lb_embedding_forward");
    ck_assert(lb_is_sound(lb_embedding_table(&embedding, tape, 100, wide.weight, wide.bias)));
    expect_no_name("lb_embedding_table");
    expect_name(lb_linear_forward(&wide, x), "wide: lb_affine: ");
    expect_name(lb_layer_norm_forward(&norm, lb_linear_forward(&linear, x)), "norm: lb_standardize: ");
    tear_down();
}
END_TEST

START_TEST(test_gru_and_positions_leave_no_name)
{
    static const int32_t id[] = {1, 2, 0, 2, 1, 0}, lengths[] = {3, 2};
    lb_gru gru;
    lb_gru_cell cell;
    lb_embedding embedding;
    lb_positional positions, relative;
    set_up();
    lb_tokens tokens = {tape, 2, 3, id, lengths};
    lb_gru_init(&gru, params, "gru", (lb_gru_config){.input = WIDTH, .hidden = 3, .layers = 2});
    lb_gru_cell_init(&cell, params, "cell", "", WIDTH, WIDTH);
    lb_embedding_init(&embedding, params, "embedding", 3, WIDTH, 0);
    lb_positional_init(&positions, params, "positions", (lb_positional_config){.width = WIDTH});
    lb_positional_init(&relative, params, "relative",
                       (lb_positional_config){.kind = LB_POSITIONAL_RELATIVE, .width = 4, .heads = 2});
    lb_tensor *flat = lb_reshape(x, LB_SHAPE(6, WIDTH));
    lb_gru_cell_forward(&cell, flat, flat);
    expect_no_name("lb_gru_cell_forward");
    lb_gru_forward(&gru, x, NULL, lengths);
    expect_no_name("lb_gru_forward");
    lb_gru_forward_tokens(&gru, &embedding, tokens, NULL);
    expect_no_name("lb_gru_forward_tokens");
    lb_positional_forward(&positions, x, 0);
    expect_no_name("lb_positional_forward");
    ck_assert(lb_is_sound(lb_positional_bias(&relative, tape, 0, 3)));
    expect_no_name("lb_positional_bias");
    expect_name(lb_gru_cell_forward(&cell, lb_slice(flat, -1, 0, 2), flat), "cell: ");
    expect_name(lb_gru_forward(&gru, lb_slice(x, -1, 0, 2), NULL, lengths).outputs, "gru: ");
    tear_down();
}
END_TEST

START_TEST(test_attention_leaves_no_name)
{
    lb_additive_attention additive;
    lb_multiplicative_attention general;
    lb_multi_head heads;
    lb_multi_head_block block;
    set_up();
    lb_multi_head_config config = {.embed = WIDTH, .heads = 2};
    lb_additive_attention_init(&additive, params, "additive",
                               (lb_additive_attention_config){.query = WIDTH, .key = WIDTH});
    lb_multiplicative_attention_init(&general, params, "general", LB_SCORE_GENERAL, WIDTH, WIDTH);
    lb_multi_head_init(&heads, params, "heads", config);
    lb_multi_head_block_init(&block, params, "block", config, 0, 0);
    lb_additive_attention_project_keys(&additive, x);
    expect_no_name("lb_additive_attention_project_keys");
    lb_additive_attention_forward(&additive, x, x, x, mask);
    expect_no_name("lb_additive_attention_forward");
    lb_multiplicative_attention_forward(&general, x, x, x, mask);
    expect_no_name("lb_multiplicative_attention_forward");
    lb_key_values seen = lb_multi_head_project(&heads, x, x);
    expect_no_name("lb_multi_head_project");
    lb_multi_head_ask(&heads, x, seen, lb_key_mask(mask), NULL, true);
    expect_no_name("lb_multi_head_ask");
    lb_multi_head_forward(&heads, x, x, x, lb_key_mask(mask), NULL);
    expect_no_name("lb_multi_head_forward");
    lb_multi_head_block_forward(&block, x, x, x, lb_key_mask(mask));
    expect_no_name("lb_multi_head_block_forward");
    lb_tensor *narrow = lb_slice(x, -1, 0, 2);
    expect_name(lb_multi_head_project(&heads, narrow, narrow).keys, "heads: ");
    expect_name(lb_multi_head_ask(&heads, narrow, seen, NULL, NULL, false).context, "heads: ");
    tear_down();
}
END_TEST

START_TEST(test_transformer_layers_leave_no_name)
{
    lb_transformer_stack stack;
    lb_key_values projected[2];
    set_up();
    lb_transformer_layer_config config = {.width = WIDTH, .heads = 2};
    lb_transformer_stack_init(&stack, params, "stack", true, 2, config);
    lb_transformer_stack_project(&stack, x, projected);
    expect_no_name("lb_transformer_stack_project");
    lb_transformer_context context = {.memory_projected = projected};
    lb_transformer_layer_forward(&stack.layer[0], x, &context, 0);
    expect_no_name("lb_transformer_layer_forward");
    lb_transformer_stack_forward(&stack, x, &context);
    expect_no_name("lb_transformer_stack_forward");
    tear_down();
}
END_TEST
