/* A model's name is in the messages of its own ops, and not in those of later ones. */
#include "autograd/tape.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/built_in.h"
#include "support/suite.h"

#include <string.h>

static const int32_t source_id[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
static const int32_t target_id[] = {1, 4, 5, 6, 1, 5, 7, 0}, target_lengths[] = {4, 3};

/* An op that fails now is outside of all modules. */
static void expect_no_name(lb_tape *tape, const char *after)
{
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s: %s", after, lb_tape_error(tape));
    lb_reshape(lb_tensor_new(tape, LB_SHAPE(2), NULL), LB_SHAPE(5));
    ck_assert_msg(strncmp(lb_tape_error(tape), "lb_reshape: ", 12) == 0, "after %s: %s", after,
                  lb_tape_error(tape));
    lb_tape_clear_error(tape);
}

/* The error is one of the module, and later ones are not. */
static void expect_name(lb_tape *tape, const char *name)
{
    ck_assert_msg(strncmp(lb_tape_error(tape), name, strlen(name)) == 0, "%s", lb_tape_error(tape));
    lb_tape_clear_error(tape);
    expect_no_name(tape, name);
}

START_TEST(test_seq2seq_leaves_no_name)
{
    static const lb_attention_kind kinds[] = {
        LB_ATTENTION_ADDITIVE,   LB_ATTENTION_NONE,        LB_ATTENTION_GENERAL,
        LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_MONOTONIC_1, LB_ATTENTION_LOCAL_M,
        LB_ATTENTION_LOCAL_P,    LB_ATTENTION_COVERAGE,    LB_ATTENTION_LOCATION};
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        lb_params *params = lb_params_new(7);
        lb_tape *tape = lb_tape_new();
        lb_tokens source = {tape, 2, 3, source_id, source_lengths},
                  target = {tape, 2, 4, target_id, target_lengths};
        lb_seq2seq model;
        lb_seq2seq_config config = {.source_vocab = 8, .target_vocab = 9, .embed = 5, .hidden = 6};
        config.attention = kinds[k];
        config.heads = 2;
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "model", config), LB_OK);
        lb_seq2seq_encoded encoded = lb_seq2seq_encode(&model, source);
        expect_no_name(tape, "lb_seq2seq_encode");
        lb_seq2seq_decode(&model, &encoded, encoded.initial, target);
        expect_no_name(tape, "lb_seq2seq_decode");
        lb_seq2seq_forward(&model, source, target);
        expect_no_name(tape, "lb_seq2seq_forward");
        source.id = (const int32_t[]){4, 6, 8, 7, 5, 0};
        lb_seq2seq_encode(&model, source);
        expect_name(tape, "model.source_embedding: ");
        lb_tape_free(tape);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_transformer_leaves_no_name)
{
    lb_params *params = lb_params_new(7);
    lb_tape *tape = lb_tape_new();
    lb_tokens source = {tape, 2, 3, source_id, source_lengths},
              target = {tape, 2, 4, target_id, target_lengths};
    lb_transformer model;
    lb_transformer_config config = {.source_vocab = 8, .target_vocab = 9, .width = 8, .heads = 2};
    ck_assert_int_eq(lb_transformer_init(&model, params, "model", config), LB_OK);
    lb_transformer_memory memory = lb_transformer_encode(&model, source, NULL);
    expect_no_name(tape, "lb_transformer_encode");
    lb_transformer_decode(&model, &memory, target, NULL);
    expect_no_name(tape, "lb_transformer_decode");
    lb_transformer_forward(&model, source, target);
    expect_no_name(tape, "lb_transformer_forward");
    source.id = (const int32_t[]){4, 6, 8, 7, 5, 0};
    lb_transformer_encode(&model, source, NULL);
    expect_name(tape, "model.source_embedding: ");
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST
