/* A number that is no kind is an error of the parameters, with the name of the field, and not a read beyond a table. */
#include "models/attention/decoder_attention.h"
#include "models/built_in.h"
#include "support/suite.h"

enum { NONE = 99, NEGATIVE = -1 };

static const lb_seq2seq_config seq2seq = {.source_vocab = 6, .target_vocab = 6, .embed = 4, .hidden = 4};
static const lb_transformer_config transformer = {.source_vocab = 6, .target_vocab = 6, .width = 8};

static void expect_error(lb_params *params, const char *message)
{
    ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), message);
    lb_params_free(params);
}

START_TEST(test_seq2seq_init_a_kind_that_there_is_not_is_an_error)
{
#define REFUSED(field, value, message)                                                                       \
    do {                                                                                                     \
        lb_params *params = lb_params_new(1);                                                                \
        lb_seq2seq_config config = seq2seq;                                                                  \
        lb_seq2seq model;                                                                                    \
        config.field = (value);                                                                              \
        ck_assert_int_eq(lb_seq2seq_init(&model, params, "model", config), LB_ERROR_ARGUMENT);               \
        expect_error(params, message);                                                                       \
    } while (0)
    REFUSED(attention, (lb_attention_kind)(LB_ATTENTION_LOCATION + 1),
            "model: attention is 13, expected 0 to 12");
    REFUSED(attention, (lb_attention_kind)NEGATIVE, "model: attention is -1, expected 0 to 12");
    REFUSED(cell, (lb_cell_kind)2, "model: cell is 2, expected 0 to 1");
    REFUSED(attention_weights, (lb_normalizer)NONE, "model: attention_weights is 99, expected 0 to 2");
    REFUSED(output, (lb_normalizer)3, "model: output is 3, expected 0 to 2");
#undef REFUSED
}
END_TEST

START_TEST(test_transformer_init_a_kind_that_there_is_not_is_an_error)
{
#define REFUSED(field, value, message)                                                                       \
    do {                                                                                                     \
        lb_params *params = lb_params_new(1);                                                                \
        lb_transformer_config config = transformer;                                                          \
        lb_transformer model;                                                                                \
        config.field = (value);                                                                              \
        ck_assert_int_eq(lb_transformer_init(&model, params, "model", config), LB_ERROR_ARGUMENT);           \
        expect_error(params, message);                                                                       \
    } while (0)
    REFUSED(positions, (lb_positional_kind)(LB_POSITIONAL_RANDOM + 1),
            "model: positions is 8, expected 0 to 7");
    REFUSED(attention_weights, (lb_normalizer)NEGATIVE, "model: attention_weights is -1, expected 0 to 2");
    REFUSED(output, (lb_normalizer)NONE, "model: output is 99, expected 0 to 2");
#undef REFUSED
}
END_TEST

START_TEST(test_init_of_a_module_a_kind_that_there_is_not_is_an_error)
{
#define REFUSED(type, call, message)                                                                         \
    do {                                                                                                     \
        lb_params *params = lb_params_new(1);                                                                \
        type module;                                                                                         \
        ck_assert_int_eq(call, LB_ERROR_ARGUMENT);                                                           \
        expect_error(params, message);                                                                       \
    } while (0)
    const lb_recurrent_config cells = {.kind = (lb_cell_kind)2, .input = 3, .hidden = 3};
    REFUSED(lb_recurrent, lb_recurrent_init(&module, params, "rnn", cells),
            "rnn: kind is 2, expected 0 to 1");
    const lb_positional_config positions = {.kind = (lb_positional_kind)NONE, .width = 4};
    REFUSED(lb_positional, lb_positional_init(&module, params, "at", positions),
            "at: kind is 99, expected 0 to 7");
    const lb_multi_head_config heads = {.embed = 4, .heads = 2, .normalizer = (lb_normalizer)3};
    REFUSED(lb_multi_head, lb_multi_head_init(&module, params, "heads", heads),
            "heads: normalizer is 3, expected 0 to 2");
    const lb_additive_attention_config additive = {
        .query = 4, .key = 4, .normalizer = (lb_normalizer)NEGATIVE};
    REFUSED(lb_additive_attention, lb_additive_attention_init(&module, params, "sum", additive),
            "sum: normalizer is -1, expected 0 to 2");
    REFUSED(lb_multiplicative_attention,
            lb_multiplicative_attention_init(&module, params, "dot", (lb_score)3, 4, 4),
            "dot: score is 3, expected 0 to 2");
#undef REFUSED
}
END_TEST

/* A kind is found by its descriptor: one of another table is none of them, whatever its name and its place. */
START_TEST(test_attention_is_only_the_built_in_type_of_its_kind)
{
    for (int kind = 0; lb_attention_names[kind]; kind++) {
        lb_attention_type twin = lb_built_in_attentions[kind]->type;
        lb_decoder_attention own = {.type = &twin}, built_in = {.type = &lb_built_in_attentions[kind]->type};
        for (int other = 0; lb_attention_names[other]; other++) {
            ck_assert_int_eq(lb_attention_is(&built_in, (lb_attention_kind)other), other == kind);
            ck_assert(!lb_attention_is(&own, (lb_attention_kind)other));
        }
    }
}
END_TEST
