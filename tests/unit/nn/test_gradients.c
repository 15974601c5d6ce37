/* The gradient of every module by every parameter and input. This test runs in double only. */
#include "lookback/nn.h"
#include "nn/layers.h"
#include "support/leaf.h"
#include "support/suite.h"

#include <string.h>

enum { BATCH = 3, TIME = 4, INPUT = 2, HIDDEN = 3, MOST = 24 };

/* A module with its inputs; `forward` runs it. */
typedef struct subject {
    lb_params *params;
    lb_tensor *input[4];
    int inputs;
    union {
        lb_linear linear;
        lb_embedding embedding;
        lb_layer_norm norm;
        lb_gru_cell cell;
        lb_gru gru;
        lb_additive_attention attention;
    } module;
} subject;

static const int32_t lengths[BATCH] = {2, 4, 1};
static const int32_t ids[BATCH * TIME] = {3, 1, 0, 0, 2, 4, 3, 3, 1, 0, 0, 0};

static subject subject_new(void)
{
    return (subject){.params = lb_params_new(8)};
}

static void add_input(subject *s, lb_shape shape)
{
    s->input[s->inputs] = support_leaf(shape, -1, 1.3, 60 + (uint64_t)s->inputs);
    s->inputs++;
}

/* Redraws the parameters: biases of zero and weights of one are too regular. */
static void check(subject *s, lb_gradcheck_fn forward)
{
    lb_tensor *all[MOST];
    int count = 0;
    ck_assert_msg(lb_params_status(s->params) == LB_OK, "%s", lb_params_error(s->params));
    for (; count < lb_params_count(s->params); count++) {
        all[count] = lb_params_tensor(s->params, count);
        lb_tensor *drawn = support_leaf(all[count]->shape, -0.9, 1, 80 + (uint64_t)count);
        memcpy(all[count]->data, drawn->data, (size_t)lb_count(drawn) * sizeof *drawn->data);
        support_leaf_free(drawn);
    }
    for (int i = 0; i < s->inputs; i++) all[count++] = s->input[i];
    ck_assert_int_le(count, MOST);
    lb_error error = {0};
    lb_gradcheck_options tight = {.atol = 1e-7, .rtol = 1e-5};
    lb_status status = lb_gradcheck(forward, s, all, count, tight, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    for (int i = 0; i < s->inputs; i++) support_leaf_free(s->input[i]);
    lb_params_free(s->params);
}

static lb_tensor *flat(lb_tensor *x)
{
    return lb_reshape(x, LB_SHAPE(-1));
}

static lb_tensor *run_linear(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_linear_forward(&s->module.linear, lb_on_tape(tape, s->input[0]));
}

START_TEST(test_linear_gradient_matches_differences)
{
    for (int no_bias = 0; no_bias < 2; no_bias++) {
        subject s = subject_new();
        lb_linear_init(&s.module.linear, s.params, "l",
                       (lb_linear_config){.inputs = 4, .outputs = 5, .no_bias = no_bias});
        add_input(&s, LB_SHAPE(2, 3, 4));
        check(&s, run_linear);
    }
}
END_TEST

static lb_tokens example_tokens(lb_tape *tape)
{
    return (lb_tokens){tape, BATCH, TIME, ids, lengths};
}

static lb_tensor *run_embedding(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_embedding_forward(&s->module.embedding, example_tokens(tape));
}

START_TEST(test_embedding_gradient_matches_differences)
{
    subject s = subject_new();
    lb_embedding_init(&s.module.embedding, s.params, "e", 5, 3, 0);
    check(&s, run_embedding);
}
END_TEST

static lb_tensor *run_norm(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_layer_norm_forward(&s->module.norm, lb_on_tape(tape, s->input[0]));
}

START_TEST(test_layer_norm_gradient_matches_differences)
{
    subject s = subject_new();
    lb_layer_norm_init(&s.module.norm, s.params, "n", 5, 0);
    add_input(&s, LB_SHAPE(2, 3, 5));
    check(&s, run_norm);
}
END_TEST

static lb_tensor *run_cell(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_gru_cell_forward(&s->module.cell, lb_on_tape(tape, s->input[0]), s->input[1]);
}

START_TEST(test_gru_cell_gradient_matches_differences)
{
    subject s = subject_new();
    lb_gru_cell_init(&s.module.cell, s.params, "c", "", INPUT, HIDDEN);
    add_input(&s, LB_SHAPE(BATCH, INPUT));
    add_input(&s, LB_SHAPE(BATCH, HIDDEN));
    check(&s, run_cell);
}
END_TEST

static lb_tensor *run_cell_that_resets_first(lb_tape *tape, void *context)
{
    const subject *s = context;
    return lb_gru_cell_forward_reset_first(&s->module.cell, lb_on_tape(tape, s->input[0]), s->input[1]);
}

START_TEST(test_gradient_of_a_gru_cell_that_resets_first_matches_differences)
{
    subject s = subject_new();
    lb_gru_cell_init(&s.module.cell, s.params, "c", "", INPUT, HIDDEN);
    add_input(&s, LB_SHAPE(BATCH, INPUT));
    add_input(&s, LB_SHAPE(BATCH, HIDDEN));
    check(&s, run_cell_that_resets_first);
}
END_TEST

/* All outputs and final states in one row. */
static lb_tensor *join(lb_gru_result result, int states)
{
    lb_tensor *parts[5] = {flat(result.outputs)};
    if (!lb_is_sound(result.outputs)) return result.outputs;
    for (int i = 0; i < states; i++) parts[i + 1] = flat(result.final[i]);
    return lb_concat(parts, states + 1, 0);
}

static lb_tensor *run_gru(lb_tape *tape, void *context)
{
    const subject *s = context;
    const lb_gru *gru = &s->module.gru;
    return join(
        lb_gru_forward(gru, lb_on_tape(tape, s->input[0]), s->inputs > 1 ? s->input + 1 : NULL, lengths),
        (int)(gru->config.layers * gru->directions));
}

START_TEST(test_gru_gradient_matches_differences)
{
    subject s = subject_new();
    lb_gru_init(&s.module.gru, s.params, "g", (lb_gru_config){.input = INPUT, .hidden = HIDDEN});
    add_input(&s, LB_SHAPE(BATCH, TIME, INPUT));
    add_input(&s, LB_SHAPE(BATCH, HIDDEN));
    check(&s, run_gru);
}
END_TEST

START_TEST(test_gru_two_bidirectional_layers_with_dropout_gradient_matches_differences)
{
    subject s = subject_new();
    lb_gru_init(&s.module.gru, s.params, "g",
                (lb_gru_config){
                    .input = INPUT, .hidden = HIDDEN, .layers = 2, .bidirectional = true, .dropout = 0.3});
    add_input(&s, LB_SHAPE(BATCH, TIME, INPUT));
    check(&s, run_gru);
}
END_TEST

START_TEST(test_lstm_two_bidirectional_layers_with_dropout_gradient_matches_differences)
{
    subject s = subject_new();
    lb_lstm_init(&s.module.gru, s.params, "l",
                 (lb_lstm_config){
                     .input = INPUT, .hidden = HIDDEN, .layers = 2, .bidirectional = true, .dropout = 0.3});
    add_input(&s, LB_SHAPE(BATCH, TIME, INPUT));
    check(&s, run_gru);
}
END_TEST

/* An embedding before the GRU; its weight is a parameter, too. */
static lb_embedding symbols;

static lb_tensor *run_gru_tokens(lb_tape *tape, void *context)
{
    const subject *s = context;
    return join(lb_gru_forward_tokens(&s->module.gru, &symbols, example_tokens(tape), NULL), 2);
}

START_TEST(test_gru_on_tokens_gradient_matches_differences_either_way)
{
    /* 5 symbols are fewer than 12 tokens: the table is mapped; 30 are more. */
    for (int64_t vocabulary = 5; vocabulary <= 30; vocabulary += 25) {
        subject s = subject_new();
        lb_embedding_init(&symbols, s.params, "e", vocabulary, INPUT, 0);
        lb_gru_init(&s.module.gru, s.params, "g",
                    (lb_gru_config){.input = INPUT, .hidden = HIDDEN, .bidirectional = true});
        check(&s, run_gru_tokens);
    }
}
END_TEST

static lb_tensor *run_attention(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tensor *query = lb_on_tape(tape, s->input[0]), *keys = lb_on_tape(tape, s->input[1]);
    lb_tensor *mask = lb_length_mask(tape, (const int32_t[]){2, TIME, 0}, BATCH, TIME);
    lb_attended_result r = lb_additive_attention_forward(&s->module.attention, query, keys,
                                                         s->inputs > 2 ? s->input[2] : keys, mask);
    return lb_concat((lb_tensor *[]){flat(r.context), flat(r.weights)}, 2, 0);
}

START_TEST(test_additive_attention_gradient_matches_differences)
{
    for (int own_values = 0; own_values < 2; own_values++) {
        subject s = subject_new();
        lb_additive_attention_config config = {.query = 3, .key = 4, .width = 5};
        lb_additive_attention_init(&s.module.attention, s.params, "a", config);
        add_input(&s, LB_SHAPE(BATCH, 2, 3));
        add_input(&s, LB_SHAPE(BATCH, TIME, 4));
        if (own_values) add_input(&s, LB_SHAPE(BATCH, TIME, 2));
        check(&s, run_attention);
    }
}
END_TEST
