/* A seq2seq with LSTMs: decoding in parts, files, and attention step by step, which equals the fused op for a GRU.
 * This test runs in both precisions. */
#include "autograd/op.h"
#include "models/attention/decoder_attention.h"
#include "models/built_in.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <string.h>

enum { SOURCES = 8, TARGETS = 9 };

static const lb_seq2seq_config settings[] = {
    {.attention = LB_ATTENTION_ADDITIVE},
    {.attention = LB_ATTENTION_ADDITIVE, .layers = 2, .bidirectional = true, .tied = true},
    {.attention = LB_ATTENTION_ADDITIVE, .attention_weights = LB_SPARSEMAX},
    {.attention = LB_ATTENTION_NONE},
    {.attention = LB_ATTENTION_GENERAL, .layers = 2},
    {.attention = LB_ATTENTION_MULTI_HEAD, .heads = 2, .bidirectional = true},
    {.attention = LB_ATTENTION_MONOTONIC, .bidirectional = true},
};

typedef struct made {
    lb_params *params;
    lb_tape *tape;
    lb_seq2seq model;
} made;

static made make(lb_seq2seq_config config, lb_cell_kind cell)
{
    made m = {.params = lb_params_new(5), .tape = lb_tape_new()};
    config.source_vocab = SOURCES;
    config.target_vocab = TARGETS;
    config.embed = 6;
    config.hidden = 10;
    config.cell = cell;
    lb_seq2seq_init(&m.model, m.params, "", config);
    ck_assert_msg(lb_params_status(m.params) == LB_OK, "%s", lb_params_error(m.params));
    lb_tape_set_mode(m.tape, LB_MODE_EVALUATE);
    return m;
}

static void drop(made *m)
{
    lb_tape_free(m->tape);
    lb_params_free(m->params);
}

static lb_tokens source_of(lb_tape *tape)
{
    static const int32_t id[] = {4, 6, 5, 7, 4, 5, 7, 0, 0, 0}, lengths[] = {5, 2};
    return (lb_tokens){tape, 2, 5, id, lengths};
}

static lb_tokens target_of(lb_tape *tape, int64_t first, int64_t count)
{
    static const int32_t id[2][6] = {{1, 4, 5, 6, 8, 4}, {1, 5, 7, 7, 4, 6}};
    int32_t *part, *lengths;
    lb_tokens tokens = lb_tokens_new(tape, 2, count, &part, &lengths);
    for (int row = 0; row < 2; row++) {
        memcpy(part + row * count, id[row] + first, (size_t)count * sizeof *part);
        lengths[row] = (int32_t)count;
    }
    return tokens;
}

START_LOOP_TEST(test_lstm_model_decodes_step_by_step_what_it_decodes_at_once, LB_LENGTH(settings))
{
    made m = make(settings[_i], LB_CELL_LSTM);
    const lb_model *model = &m.model.base;
    lb_decoder_state start = model->kind->encode(model, source_of(m.tape)), state = start;
    lb_model_step whole = model->kind->decode(model, start, target_of(m.tape, 0, 6));
    const int64_t ends[] = {0, 1, 2, 5, 6};
    for (int i = 0; i < 4; i++) {
        int64_t count = ends[i + 1] - ends[i];
        lb_model_step part = model->kind->decode(model, state, target_of(m.tape, ends[i], count));
        state = part.state;
        ck_assert_msg(lb_is_sound(part.logits), "%s", lb_tape_error(m.tape));
        for (int64_t row = 0; row < 2; row++)
            for (int64_t j = 0; j < count * TARGETS; j++)
                ck_assert_double_eq_tol((double)part.logits->data[row * count * TARGETS + j],
                                        (double)whole.logits->data[(row * 6 + ends[i]) * TARGETS + j], 1e-5);
    }
    drop(&m);
}
END_TEST

START_LOOP_TEST(test_lstm_model_is_in_its_file, LB_LENGTH(settings))
{
    made m = make(settings[_i], LB_CELL_LSTM);
    lb_error error = {0};
    ck_assert_msg(lb_model_save(&m.model.base, m.params, support_path("model.safetensors"),
                                (lb_checkpoint_extra){0}, &error) == LB_OK,
                  "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(support_path("model.safetensors"), &error);
    lb_params *others = lb_params_new(99);
    const lb_model *loaded = file ? lb_model_load(file, others, NULL, &error) : NULL;
    ck_assert_msg(loaded, "%s", error.message);
    const lb_tensor *before = lb_model_forward(&m.model.base, source_of(m.tape), target_of(m.tape, 0, 6)),
                    *after = lb_model_forward(loaded, source_of(m.tape), target_of(m.tape, 0, 6));
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    ck_assert_mem_eq(before->data, after->data, (size_t)lb_count(before) * sizeof *before->data);
    ck_assert(lb_shape_equal(lb_params_find(others, "decoder.weight_hh_l0")->shape, LB_SHAPE(40, 10)));
    lb_params_free(others);
    lb_safetensors_close(file);
    drop(&m);
}
END_TEST

START_LOOP_TEST(test_lstm_model_searches_and_its_beam_of_one_is_greedy, LB_LENGTH(settings))
{
    made m = make(settings[_i], LB_CELL_LSTM);
    lb_decoded greedy = lb_greedy(&m.model.base, source_of(m.tape), 5);
    lb_beam one = lb_beam_search(&m.model.base, source_of(m.tape), (lb_beam_config){.beam = 1, .limit = 5});
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    for (int64_t row = 0; row < 2; row++) {
        ck_assert_int_eq(one.hypothesis[row].length, greedy.lengths[row]);
        for (int64_t i = 0; i < greedy.lengths[row]; i++)
            ck_assert_int_eq(one.hypothesis[row].id[i], greedy.id[row * greedy.length + i]);
    }
    drop(&m);
}
END_TEST

static void check_equal(const lb_tensor *found, const lb_tensor *expected, const char *what)
{
    ck_assert_msg(lb_is_sound(found) && lb_shape_equal(found->shape, expected->shape), "%s", what);
    for (int64_t i = 0; i < lb_count(expected); i++)
        ck_assert_msg(fabs((double)found->data[i] - (double)expected->data[i]) < 1e-5, "%s: element %d", what,
                      (int)i);
}

START_TEST(test_attention_step_by_step_with_a_gru_equals_the_fused_op)
{
    made m = make((lb_seq2seq_config){.attention = LB_ATTENTION_ADDITIVE}, LB_CELL_GRU);
    const lb_additive_attention *a = m.model.attention.own;
    const lb_gru_cell *cell = m.model.decoder.cell;
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&m.model, source_of(m.tape));
    static const int32_t lengths[] = {4, 4};
    lb_tokens target = target_of(m.tape, 0, 4);
    lb_tensor *gates = lb_affine_columns(lb_embedding_forward(&m.model.target_embedding, target),
                                         cell->weight_ih, 0, cell->bias_ih);
    const lb_attending_layer layer = {&m.model.attention, cell, &encoded.memory};
    lb_attending_result found = lb_stepwise_attend(&layer, gates, lengths, encoded.initial[0]);
    lb_tensor *fused =
        lb_attention_gru_sequence(&(lb_attention_gru_operands){.x = gates,
                                                               .initial = encoded.initial[0],
                                                               .keys = encoded.memory.keys,
                                                               .values = encoded.memory.values,
                                                               .mask = encoded.memory.mask,
                                                               .weight_query = a->query,
                                                               .v = a->v,
                                                               .weight_context = cell->weight_ih,
                                                               .weight_hh = cell->weight_hh,
                                                               .bias_hh = cell->bias_hh});
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    check_equal(found.outputs, fused, "outputs");
    check_equal(found.seen.context, lb_op_output(fused, 1), "contexts");
    check_equal(found.seen.weights, lb_op_output(fused, 2), "weights");
    check_equal(found.final, lb_op_output(fused, 3), "final state");
    drop(&m);
}
END_TEST

START_TEST(test_attention_step_by_step_keeps_the_state_of_a_row_that_has_ended)
{
    made m = make((lb_seq2seq_config){.attention = LB_ATTENTION_ADDITIVE}, LB_CELL_LSTM);
    lb_seq2seq_encoded encoded = lb_seq2seq_encode(&m.model, source_of(m.tape));
    lb_tokens whole = target_of(m.tape, 0, 4), shorter = target_of(m.tape, 0, 2), ended = whole;
    ended.lengths = (const int32_t[]){2, 4};
    lb_seq2seq_decoded two = lb_seq2seq_decode(&m.model, &encoded, encoded.initial, shorter),
                       four = lb_seq2seq_decode(&m.model, &encoded, encoded.initial, ended);
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    for (int i = 0; i < 20; i++)
        ck_assert_double_eq_tol((double)four.final[0]->data[i], (double)two.final[0]->data[i], 1e-6);
    ck_assert(fabs((double)four.final[0]->data[20] - (double)two.final[0]->data[20]) > 1e-6);
    drop(&m);
}
END_TEST
