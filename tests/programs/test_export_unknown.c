/* Exports name what they do not know: a kind of model, attention, cells or positions that is in no list of theirs. */
#include "export/export.h"
#include "models/built_in.h"
#include "support/own_kinds.h"
#include "support/suite.h"

#include <string.h>

enum { VOCABULARY = 8 };

static void expect_refusal(const lb_text_model *text, const char *found)
{
    lb_error c = {0}, onnx = {0};
    ck_assert_int_eq(app_exportable("FILE", text, 1, &c), LB_ERROR_FORMAT);
    ck_assert_msg(strncmp(c.message, found, strlen(found)) == 0, "%s", c.message);
    ck_assert_int_eq(app_exportable_as_onnx("FILE", text, &onnx), LB_ERROR_FORMAT);
    ck_assert_msg(strncmp(onnx.message, found, strlen(found)) == 0, "%s", onnx.message);
}

static void expect_none(const lb_text_model *text)
{
    ck_assert_int_eq(app_exportable("FILE", text, 1, NULL), LB_OK);
    ck_assert_int_eq(app_exportable_as_onnx("FILE", text, NULL), LB_OK);
}

static lb_seq2seq *add_seq2seq(lb_text_model *text, const lb_attention_type *own)
{
    lb_seq2seq *model = lb_params_alloc(text->params, sizeof *model);
    lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .embed = 4, .hidden = 4, .own_attention = own};
    ck_assert_int_eq(lb_seq2seq_init(model, text->params, "", config), LB_OK);
    text->model = &model->base;
    return model;
}

START_TEST(test_exportable_a_custom_kind_is_refused_by_its_name)
{
    lb_text_model text = {.params = lb_params_new(1)};
    text.model = support_add_relay(text.params, 4);
    expect_refusal(&text,
                   "FILE: found a \"relay\" as the kind of the model, expected a single model of texts");
    lb_params_free(text.params);
    text.params = lb_params_new(1);
    add_seq2seq(&text, &support_paired);
    expect_refusal(&text, "FILE: found paired attention, expected a single model of texts");
    lb_params_free(text.params);
}
END_TEST

/* What the library could have one day: the next number of an enum, and its descriptor. */
START_TEST(test_exportable_the_next_kind_is_refused_by_its_name)
{
    static const lb_attention_type next = {.name = "next"};
    lb_text_model text = {.params = lb_params_new(1)};
    lb_seq2seq *model = add_seq2seq(&text, NULL);
    expect_none(&text);
    lb_decoder_attention attention = model->attention;
    model->config.attention = (lb_attention_kind)(LB_ATTENTION_LOCATION + 1);
    model->attention.type = &next;
    expect_refusal(&text, "FILE: found next attention, expected");
    model->attention = attention;
    model->config.cell = (lb_cell_kind)(LB_CELL_LSTM + 1);
    expect_refusal(&text, "FILE: found unknown cells, expected");
    model->config.cell = LB_CELL_LSTM;
    model->config.attention_weights = (lb_normalizer)(LB_ENTMAX + 1);
    lb_error error = {0};
    ck_assert_int_eq(app_exportable("FILE", &text, 1, &error), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "found unknown attention weights, expected"));
    lb_params_free(text.params);
}
END_TEST

START_TEST(test_exportable_the_next_positions_are_refused)
{
    lb_text_model text = {.params = lb_params_new(1)};
    lb_transformer *model = lb_params_alloc(text.params, sizeof *model);
    lb_transformer_config config = {VOCABULARY, VOCABULARY, .width = 8, .heads = 2};
    ck_assert_int_eq(lb_transformer_init(model, text.params, "", config), LB_OK);
    text.model = &model->base;
    expect_none(&text);
    model->config.embedding_scale = 0.5;
    expect_refusal(&text, "FILE: found an embedding_scale, expected");
    model->config.embedding_scale = 0;
    model->config.no_self_attention = true;
    expect_refusal(&text, "FILE: found no_self_attention, expected");
    model->config.no_self_attention = false;
    model->config.no_feed_forward = true;
    expect_refusal(&text, "FILE: found no_feed_forward, expected");
    model->config.no_feed_forward = false;
    model->config.positions = LB_POSITIONAL_FIRE;
    expect_refusal(&text, "FILE: found fire positions, expected");
    model->config.positions = (lb_positional_kind)(LB_POSITIONAL_RANDOM + 1);
    expect_refusal(&text, "FILE: found unknown positions, expected");
    lb_params_free(text.params);
}
END_TEST
