/* The gradient of a whole model by every one of its weights. This test runs in double only, and takes seconds. */
#include "models/built_in.h"
#include "support/suite.h"

static lb_tokens tokens(lb_tape *tape, int64_t batch, int64_t length, const int32_t *id,
                        const int32_t *lengths)
{
    return (lb_tokens){tape, batch, length, id, lengths};
}

static lb_tensor *loss_of(lb_tape *tape, void *context)
{
    static const int32_t source[] = {4, 6, 5, 5, 0, 0, 7, 4, 0}, lengths[] = {3, 1, 2};
    static const int32_t in[] = {1, 4, 5, 6, 1, 5, 0, 0, 1, 4, 7, 0},
                         out[] = {4, 5, 6, 2, 5, 2, 0, 0, 4, 7, 2, 0};
    static const int32_t target_lengths[] = {4, 2, 3};
    lb_tensor *logits = lb_model_forward(context, tokens(tape, 3, 3, source, lengths),
                                         tokens(tape, 3, 4, in, target_lengths));
    return lb_cross_entropy_smoothed(logits, tokens(tape, 3, 4, out, target_lengths), LB_PAD, 0.05);
}

static void check(lb_model *model, lb_params *params)
{
    enum { MOST = 100 };
    lb_tensor *all[MOST];
    int count = (int)lb_params_count(params);
    ck_assert_msg(lb_params_status(params) == LB_OK, "%s", lb_params_error(params));
    ck_assert_int_le(count, MOST);
    for (int i = 0; i < count; i++) all[i] = lb_params_tensor(params, i);
    lb_error error = {0};
    lb_gradcheck_options tight = {.atol = 1e-8, .rtol = 1e-5, .seed = 3};
    lb_status status = lb_gradcheck(loss_of, model, all, count, tight, &error);
    ck_assert_msg(status == LB_OK, "%s (%s)", error.message, lb_params_name(params, 0));
    lb_params_free(params);
}

static void check_seq2seq(lb_seq2seq_config config)
{
    lb_params *params = lb_params_new(23);
    lb_seq2seq model;
    config.source_vocab = 8;
    config.target_vocab = 9;
    lb_seq2seq_init(&model, params, "", config);
    check(&model.base, params);
}

static void check_transformer(lb_transformer_config config)
{
    lb_params *params = lb_params_new(23);
    lb_transformer model;
    config.source_vocab = 8;
    config.target_vocab = 9;
    lb_transformer_init(&model, params, "", config);
    check(&model.base, params);
}

START_TEST(test_seq2seq_gradient_matches_differences)
{
    check_seq2seq((lb_seq2seq_config){.embed = 3, .hidden = 4});
}
END_TEST

START_TEST(test_seq2seq_two_bidirectional_layers_with_dropout_gradient_matches_differences)
{
    check_seq2seq(
        (lb_seq2seq_config){.embed = 2, .hidden = 3, .layers = 2, .bidirectional = true, .dropout = 0.25});
}
END_TEST

START_TEST(test_seq2seq_without_attention_gradient_matches_differences)
{
    check_seq2seq((lb_seq2seq_config){.embed = 2, .hidden = 3, .layers = 2, .attention = LB_ATTENTION_NONE});
}
END_TEST

START_TEST(test_seq2seq_with_lstms_gradient_matches_differences)
{
    check_seq2seq((lb_seq2seq_config){.embed = 2, .hidden = 3, .cell = LB_CELL_LSTM});
    check_seq2seq((lb_seq2seq_config){.embed = 2,
                                      .hidden = 3,
                                      .layers = 2,
                                      .bidirectional = true,
                                      .attention = LB_ATTENTION_GENERAL,
                                      .dropout = 0.25,
                                      .cell = LB_CELL_LSTM});
}
END_TEST

START_TEST(test_transformer_gradient_matches_differences)
{
    check_transformer((lb_transformer_config){.width = 4, .heads = 2, .feed_forward = 3, .dropout = 0.2});
    check_transformer((lb_transformer_config){.width = 4,
                                              .heads = 2,
                                              .feed_forward = 3,
                                              .post_norm = true,
                                              .positions = LB_POSITIONAL_LEARNED,
                                              .max_length = 5});
    check_transformer((lb_transformer_config){.width = 4, .heads = 2, .feed_forward = 3, .tied = true});
    check_transformer((lb_transformer_config){
        .width = 4, .heads = 2, .no_self_attention = true, .no_feed_forward = true, .post_norm = true});
    check_transformer((lb_transformer_config){.width = 4,
                                              .heads = 2,
                                              .feed_forward = 3,
                                              .positions = LB_POSITIONAL_RELATIVE,
                                              .kv_heads = 1,
                                              .softcap = 0.8,
                                              .dropout = 0.2});
    check_transformer((lb_transformer_config){
        .width = 4, .heads = 2, .feed_forward = 3, .positions = LB_POSITIONAL_ROTARY, .window = 2});
    check_transformer(
        (lb_transformer_config){.width = 4, .heads = 2, .feed_forward = 3, .positions = LB_POSITIONAL_FIRE});
    check_transformer((lb_transformer_config){
        .width = 4, .heads = 2, .feed_forward = 3, .positions = LB_POSITIONAL_RANDOM});
}
END_TEST
