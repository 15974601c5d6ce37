/* The gradients of attention modules and transformer layers by every parameter and input, dropout included. This test
 * runs in double only. */
#include "lookback/nn.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <string.h>

enum { BATCH = 2, QUERIES = 3, KEYS = 4, WIDTH = 6, HEADS = 3, MOST = 64 };

/* A module with its inputs: one for self-attention; query, keys and values otherwise. */
typedef struct subject {
    lb_params *params;
    lb_tensor *input[3];
    int inputs;
    lb_multi_head attention;
    lb_multi_head_block block;
    lb_multiplicative_attention multiplicative;
    lb_transformer_stack stack;
    lb_positional positional;
} subject;

static subject subject_new(int inputs)
{
    subject s = {.params = lb_params_new(8), .inputs = inputs};
    for (int i = 0; i < inputs; i++)
        s.input[i] = support_leaf(LB_SHAPE(BATCH, i ? KEYS : QUERIES, WIDTH), -1, 1.3, 60 + (uint64_t)i);
    return s;
}

/* Redraws the parameters: biases of zero and weights of one are too regular. */
static void check(subject *s, lb_gradcheck_fn forward)
{
    lb_tensor *all[MOST];
    int count = 0;
    ck_assert_msg(lb_params_status(s->params) == LB_OK, "%s", lb_params_error(s->params));
    ck_assert_int_le(lb_params_count(s->params) + s->inputs, MOST);
    for (; count < lb_params_count(s->params); count++) {
        all[count] = lb_params_tensor(s->params, count);
        lb_tensor *drawn = support_leaf(all[count]->shape, -0.9, 1, 80 + (uint64_t)count);
        memcpy(all[count]->data, drawn->data, (size_t)lb_count(drawn) * sizeof *drawn->data);
        support_leaf_free(drawn);
    }
    for (int i = 0; i < s->inputs; i++) all[count++] = s->input[i];
    lb_error error = {0};
    lb_gradcheck_options tight = {.atol = 1e-6, .rtol = 1e-5};
    lb_status status = lb_gradcheck(forward, s, all, count, tight, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    for (int i = 0; i < s->inputs; i++) support_leaf_free(s->input[i]);
    lb_params_free(s->params);
}

/* Query, keys and values; a single input is used for all three. */
static void operands(const subject *s, lb_tape *tape, lb_tensor *out[3])
{
    out[0] = lb_on_tape(tape, s->input[0]);
    for (int i = 1; i < 3; i++) out[i] = s->inputs > i ? lb_on_tape(tape, s->input[i]) : out[i - 1];
}

/* Context and weights in one row. */
static lb_tensor *both(lb_attended_result result)
{
    if (!lb_is_sound(result.context)) return result.context;
    lb_tensor *parts[] = {lb_reshape(result.context, LB_SHAPE(-1)), lb_reshape(result.weights, LB_SHAPE(-1))};
    return lb_concat(parts, 2, 0);
}

/* The second list is empty. */
static lb_tensor *mask_for(lb_tape *tape, const lb_tensor *keys)
{
    return lb_length_mask(tape, (const int32_t[]){2, 0}, BATCH, lb_dim(keys, 1));
}

static lb_tensor *run_multi_head(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tensor *in[3];
    operands(s, tape, in);
    return both(
        lb_multi_head_forward(&s->attention, in[0], in[1], in[2], lb_key_mask(mask_for(tape, in[1])), NULL));
}

static void check_multi_head(lb_multi_head_config config)
{
    config.embed = WIDTH;
    config.heads = HEADS;
    for (int inputs = 1; inputs <= 3; inputs++) {
        subject s = subject_new(inputs);
        lb_multi_head_init(&s.attention, s.params, "m", config);
        check(&s, run_multi_head);
    }
}

static const char *const names[] = {"w_qs", "w_ks", "w_vs", "fc"};

START_TEST(test_multi_head_gradient_matches_differences)
{
    check_multi_head((lb_multi_head_config){0});
    check_multi_head((lb_multi_head_config){.no_bias = true});
    check_multi_head((lb_multi_head_config){.names = names});
    check_multi_head((lb_multi_head_config){.names = names, .key_width = 1, .value_width = 3});
}
END_TEST

START_TEST(test_multi_head_with_dropout_gradient_matches_differences)
{
    check_multi_head((lb_multi_head_config){.dropout = 0.4});
}
END_TEST

static lb_tensor *run_block(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tensor *in[3];
    operands(s, tape, in);
    return both(
        lb_multi_head_block_forward(&s->block, in[0], in[1], in[2], lb_key_mask(mask_for(tape, in[1]))));
}

START_TEST(test_multi_head_block_gradient_matches_differences)
{
    for (int inputs = 1; inputs <= 3; inputs += 2) {
        subject s = subject_new(inputs);
        lb_multi_head_config config = {.embed = WIDTH,
                                       .heads = 2,
                                       .key_width = 2,
                                       .value_width = 4,
                                       .no_bias = true,
                                       .dropout = 0.2,
                                       .names = names};
        lb_multi_head_block_init(&s.block, s.params, "b", config, 0.3, 1e-6);
        check(&s, run_block);
    }
}
END_TEST

static lb_tensor *run_multiplicative(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tensor *in[3];
    operands(s, tape, in);
    return both(
        lb_multiplicative_attention_forward(&s->multiplicative, in[0], in[1], in[2], mask_for(tape, in[1])));
}

START_TEST(test_multiplicative_attention_gradient_matches_differences)
{
    static const lb_score scores[] = {LB_SCORE_DOT, LB_SCORE_SCALED_DOT, LB_SCORE_GENERAL};
    for (int i = 0; i < 3; i++)
        for (int inputs = 1; inputs <= 3; inputs++) {
            subject s = subject_new(inputs);
            lb_multiplicative_attention_init(&s.multiplicative, s.params, "a", scores[i], WIDTH, WIDTH);
            check(&s, run_multiplicative);
        }
}
END_TEST

static lb_tensor *run_stack(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tensor *in[3];
    operands(s, tape, in);
    lb_transformer_context around = {.self_mask = lb_causal_mask(tape, lb_dim(in[0], 1)),
                                     .memory = in[1],
                                     .memory_mask = lb_key_mask(mask_for(tape, in[1]))};
    return lb_transformer_stack_forward(&s->stack, in[0], &around);
}

static void check_stack(int inputs, lb_transformer_layer_config config)
{
    subject s = subject_new(inputs);
    config.width = WIDTH;
    config.heads = HEADS;
    config.feed_forward = 5;
    lb_transformer_stack_init(&s.stack, s.params, "t", inputs > 1, 2, config);
    check(&s, run_stack);
}

START_TEST(test_encoder_gradient_matches_differences)
{
    check_stack(1, (lb_transformer_layer_config){.pre_norm = false});
    check_stack(1, (lb_transformer_layer_config){.pre_norm = true, .dropout = 0.2});
}
END_TEST

START_TEST(test_decoder_gradient_matches_differences)
{
    check_stack(2, (lb_transformer_layer_config){.dropout = 0.2});
    check_stack(2, (lb_transformer_layer_config){.pre_norm = true});
}
END_TEST

static lb_tensor *run_positional(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_positional_forward(&s->positional, lb_on_tape(tape, s->input[0]), 2);
}

START_TEST(test_positional_gradient_matches_differences)
{
    for (int kind = LB_POSITIONAL_SINUSOIDAL; kind <= LB_POSITIONAL_LEARNED; kind++) {
        subject s = subject_new(1);
        lb_positional_init(
            &s.positional, s.params, "p",
            (lb_positional_config){.kind = (lb_positional_kind)kind, .width = WIDTH, .max_length = 7});
        check(&s, run_positional);
    }
}
END_TEST
