/* Initial values have the same distributions as in PyTorch. The fixture `initialisers` describes them; its script has
 * checked them against PyTorch. */
#include "lookback/nn.h"
#include "models/built_in.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* Uniform on (-bound, bound): within the bounds, close to them, and with the mean and variance of the distribution. */
static void check_uniform(const lb_tensor *p, double bound)
{
    double sum = 0, squares = 0, largest = 0, count = (double)lb_count(p);
    for (int64_t i = 0; i < lb_count(p); i++) {
        double x = (double)p->data[i];
        sum += x;
        squares += x * x;
        largest = fmax(largest, fabs(x));
    }
    ck_assert_double_le(largest, bound * (1 + 1e-6));
    ck_assert_double_gt(largest, bound * (1 - 20 / count));
    ck_assert_double_eq_tol(sum / count, 0, 5 * bound / sqrt(3 * count));
    ck_assert_double_eq_tol(squares / count, bound * bound / 3, 5 * bound * bound * sqrt(4.0 / 45 / count));
}

static void check_normal(const lb_tensor *p)
{
    double sum = 0, squares = 0, largest = 0, count = (double)lb_count(p);
    for (int64_t i = 0; i < lb_count(p); i++) {
        double x = (double)p->data[i];
        sum += x;
        squares += x * x;
        largest = fmax(largest, fabs(x));
    }
    ck_assert_double_gt(largest, 3);
    ck_assert_double_eq_tol(sum / count, 0, 5 / sqrt(count));
    ck_assert_double_eq_tol(squares / count, 1, 5 * sqrt(2 / count));
}

START_TEST(test_linear_init_is_uniform_by_its_inputs)
{
    lb_params *params = lb_params_new(4);
    lb_linear linear;
    lb_linear_init(&linear, params, "l", (lb_linear_config){.inputs = 100, .outputs = 300});
    check_uniform(linear.weight, 1 / sqrt(100));
    check_uniform(linear.bias, 1 / sqrt(100));
    lb_params_free(params);
}
END_TEST

START_TEST(test_gru_init_is_uniform_by_its_hidden_width)
{
    lb_params *params = lb_params_new(4);
    lb_gru gru;
    lb_gru_init(&gru, params, "g",
                (lb_gru_config){.input = 100, .hidden = 64, .layers = 2, .bidirectional = true});
    ck_assert_int_eq(lb_params_count(params), 16);
    for (int i = 0; i < 16; i++) check_uniform(lb_params_tensor(params, i), 1 / sqrt(64));
    ck_assert(lb_shape_equal(lb_params_find(params, "g.weight_ih_l1_reverse")->shape, LB_SHAPE(192, 128)));
    lb_params_free(params);
}
END_TEST

START_TEST(test_lstm_init_is_uniform_by_its_hidden_width)
{
    lb_params *params = lb_params_new(4);
    lb_lstm lstm;
    lb_lstm_init(&lstm, params, "l", (lb_lstm_config){.input = 100, .hidden = 64, .layers = 2});
    ck_assert_int_eq(lb_params_count(params), 8);
    for (int i = 0; i < 8; i++) check_uniform(lb_params_tensor(params, i), 1 / sqrt(64));
    ck_assert(lb_shape_equal(lb_params_find(params, "l.weight_ih_l0")->shape, LB_SHAPE(256, 100)));
    lb_params_free(params);
}
END_TEST

START_TEST(test_gru_and_lstm_init_make_their_own_cells)
{
    lb_params *params = lb_params_new(3);
    lb_gru gru;
    lb_lstm lstm;
    ck_assert_int_eq(
        lb_gru_init(&gru, params, "a", (lb_gru_config){.kind = LB_CELL_LSTM, .input = 2, .hidden = 4}),
        LB_OK);
    ck_assert_int_eq(
        lb_lstm_init(&lstm, params, "b", (lb_lstm_config){.kind = LB_CELL_GRU, .input = 2, .hidden = 4}),
        LB_OK);
    ck_assert_int_eq(lb_dim(lb_params_find(params, "a.weight_ih_l0"), 0), 3 * 4);
    ck_assert_int_eq(lb_dim(lb_params_find(params, "b.weight_ih_l0"), 0), 4 * 4);
    lb_params_free(params);
}
END_TEST

START_TEST(test_embedding_init_is_standard_normal)
{
    lb_params *params = lb_params_new(4);
    lb_embedding embedding;
    lb_embedding_init(&embedding, params, "e", 200, 50, 0);
    check_normal(embedding.weight);
    lb_params_free(params);
}
END_TEST

START_TEST(test_layer_norm_init_changes_nothing)
{
    lb_params *params = lb_params_new(4);
    lb_layer_norm norm;
    lb_layer_norm_init(&norm, params, "n", 30, (lb_real)1e-3);
    for (int i = 0; i < 30; i++) ck_assert(norm.weight->data[i] == 1 && norm.bias->data[i] == 0);
    ck_assert(norm.epsilon == (lb_real)1e-3);
    lb_params_free(params);
}
END_TEST

START_TEST(test_attention_init_is_that_of_linear_layers)
{
    lb_params *params = lb_params_new(4);
    lb_additive_attention attention;
    lb_additive_attention_init(&attention, params, "a",
                               (lb_additive_attention_config){.query = 60, .key = 90, .width = 120});
    check_uniform(attention.query, 1 / sqrt(60));
    check_uniform(attention.key, 1 / sqrt(90));
    check_uniform(attention.v, 1 / sqrt(120));
    ck_assert(lb_shape_equal(attention.key->shape, LB_SHAPE(120, 90)));
    lb_params_free(params);
}
END_TEST

static void check_constant(const lb_tensor *p, double value)
{
    for (int64_t i = 0; i < lb_count(p); i++) ck_assert((double)p->data[i] == value);
}

START_TEST(test_multi_head_init_is_that_of_pytorch)
{
    lb_params *params = lb_params_new(4);
    lb_multi_head heads;
    lb_multi_head_init(&heads, params, "h", (lb_multi_head_config){.embed = 48, .heads = 4});
    check_uniform(lb_params_find(params, "h.in_proj_weight"), sqrt(6.0 / (48 + 144)));
    check_constant(lb_params_find(params, "h.in_proj_bias"), 0);
    check_uniform(lb_params_find(params, "h.out_proj.weight"), 1 / sqrt(48));
    check_constant(lb_params_find(params, "h.out_proj.bias"), 0);
    lb_params_free(params);
}
END_TEST

/* nn.Transformer would draw the matrices from sqrt(6 / (inputs + outputs)). */
START_TEST(test_transformer_stack_init_is_that_of_the_layers_of_pytorch)
{
    lb_params *params = lb_params_new(4);
    lb_transformer_stack stack;
    lb_transformer_layer_config config = {.width = 48, .heads = 4, .feed_forward = 80};
    ck_assert_int_eq(lb_transformer_stack_init(&stack, params, "s", true, 2, config), LB_OK);
    check_uniform(lb_params_find(params, "s.layers.0.self_attn.in_proj_weight"), sqrt(6.0 / (48 + 144)));
    check_uniform(lb_params_find(params, "s.layers.1.multihead_attn.out_proj.weight"), 1 / sqrt(48));
    check_constant(lb_params_find(params, "s.layers.1.multihead_attn.out_proj.bias"), 0);
    check_uniform(lb_params_find(params, "s.layers.0.linear1.weight"), 1 / sqrt(48));
    check_uniform(lb_params_find(params, "s.layers.1.linear2.weight"), 1 / sqrt(80));
    check_uniform(lb_params_find(params, "s.layers.1.linear2.bias"), 1 / sqrt(80));
    ck_assert_mem_ne(lb_params_find(params, "s.layers.0.linear1.weight")->data,
                     lb_params_find(params, "s.layers.1.linear1.weight")->data, 48 * sizeof(lb_real));
    lb_params_free(params);
}
END_TEST

/* As a convolution of one channel. */
START_TEST(test_location_init_is_uniform_by_the_width_of_its_filters)
{
    lb_params *params = lb_params_new(3);
    lb_seq2seq model;
    const lb_seq2seq_config config = {.source_vocab = 8,
                                      .target_vocab = 8,
                                      .embed = 4,
                                      .hidden = 4,
                                      .attention = LB_ATTENTION_LOCATION,
                                      .window = 12};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    check_uniform(lb_params_find(params, "attention.F.weight"), 1 / sqrt(2 * 12 + 1));
    lb_params_free(params);
}
END_TEST

START_TEST(test_seq2seq_init_no_two_parameters_start_alike)
{
    lb_params *params = lb_params_new(4);
    lb_seq2seq model;
    lb_seq2seq_init(&model, params, "m",
                    (lb_seq2seq_config){.source_vocab = 20, .target_vocab = 20, .layers = 2});
    int count = (int)lb_params_count(params);
    ck_assert_int_eq(count, 2 + 8 + 4 + 3 + 8 + 2);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            ck_assert_msg(memcmp(lb_params_tensor(params, i)->data, lb_params_tensor(params, j)->data,
                                 8 * sizeof(lb_real)) != 0,
                          "%s and %s", lb_params_name(params, i), lb_params_name(params, j));
    ck_assert_int_eq(lb_dim(lb_params_find(params, "m.decoder.weight_hh_l1"), 1), 128);
    ck_assert_int_eq(lb_dim(lb_params_find(params, "m.source_embedding.weight"), 1), 64);
    lb_params_free(params);
}
END_TEST
