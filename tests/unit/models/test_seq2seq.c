/* The model against PyTorch: teacher forcing, its gradients, and greedy decoding. This test runs in both precisions. */
#include "lookback/models.h"
#include "models/built_in.h"
#include "support/fixture.h"
#include "support/model.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const fixtures[] = {"seq2seq_unidirectional", "seq2seq_bidirectional_2_layers"};

START_TEST(test_forward_outputs_and_gradients_equal_pytorch)
{
    for (int f = 0; f < 2; f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_tokens target_in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
        lb_tokens target_out = support_fixture_tokens(m.fixture, m.tape, "input.target_out", NULL, 0);
        lb_seq2seq_encoded encoded = lb_seq2seq_encode(m.seq2seq, source);
        lb_seq2seq_decoded decoded = lb_seq2seq_decode(m.seq2seq, &encoded, encoded.initial, target_in);
        lb_tensor *initial = lb_stack(encoded.initial, (int)m.seq2seq->config.layers, 0);
        ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
        support_fixture_compare(m.fixture, "output.encoder", encoded.memory.values->data);
        support_fixture_compare(m.fixture, "output.initial_state", initial->data);
        support_fixture_compare(m.fixture, "output.logits", decoded.logits->data);
        support_fixture_compare(m.fixture, "output.weights", decoded.weights->data);
        lb_tensor *loss = lb_cross_entropy(decoded.logits, target_out, LB_PAD);
        support_fixture_backward(m.fixture, support_fixture_output(m.fixture, "loss", loss, NULL), m.params);
        support_model_close(m);
    }
}
END_TEST

START_TEST(test_forward_equals_encode_and_decode)
{
    support_model m = support_model_open(fixtures[1]);
    lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
    lb_tokens target_in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
    lb_tensor *logits = lb_seq2seq_forward(m.seq2seq, source, target_in);
    ck_assert(lb_is_sound(logits));
    support_fixture_compare(m.fixture, "output.logits", logits->data);
    support_model_close(m);
}
END_TEST

START_TEST(test_decode_in_two_parts_equals_decode_at_once)
{
    for (int f = 0; f < 2; f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_tokens target = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
        int32_t *id[2], *lengths[2];
        int64_t first = 2, rest = target.length - first;
        lb_tokens part[2] = {lb_tokens_new(m.tape, target.batch, first, &id[0], &lengths[0]),
                             lb_tokens_new(m.tape, target.batch, rest, &id[1], &lengths[1])};
        for (int64_t row = 0; row < target.batch; row++) {
            lengths[0][row] = (int32_t)first;
            lengths[1][row] = (int32_t)rest;
            memcpy(id[0] + row * first, target.id + row * target.length, (size_t)first * sizeof(int32_t));
            memcpy(id[1] + row * rest, target.id + row * target.length + first,
                   (size_t)rest * sizeof(int32_t));
        }
        lb_seq2seq_encoded encoded = lb_seq2seq_encode(m.seq2seq, source);
        lb_seq2seq_decoded begun = lb_seq2seq_decode(m.seq2seq, &encoded, encoded.initial, part[0]);
        lb_seq2seq_decoded ended = lb_seq2seq_decode(m.seq2seq, &encoded, begun.final, part[1]);
        lb_tensor *logits = lb_concat((lb_tensor *[]){begun.logits, ended.logits}, 2, 1);
        lb_tensor *weights = lb_concat((lb_tensor *[]){begun.weights, ended.weights}, 2, 2);
        ck_assert_msg(lb_is_sound(logits), "%s", lb_tape_error(m.tape));
        support_fixture_compare(m.fixture, "output.logits", logits->data);
        support_fixture_compare(m.fixture, "output.weights", weights->data);
        support_model_close(m);
    }
}
END_TEST

/* Steps of PyTorch that hold for a row: these fixtures are from when it also chose LB_PAD and LB_BOS, which are never
 * written, and what follows such a choice is another output. */
static int64_t steps_in_common(const double *ids, int64_t limit)
{
    int64_t steps = 0;
    while (steps < limit && ids[steps] >= LB_EOS) steps += ids[steps] == LB_EOS ? limit : 1;
    return steps > limit ? limit : steps;
}

START_TEST(test_greedy_ids_and_weights_equal_pytorch)
{
    int ended = 0, steps = 0;
    for (int f = 0; SUPPORT_ROW(f, fixtures); f++) {
        support_model m = support_model_open(fixtures[f]);
        int64_t limit = (int64_t)support_fixture_number(m.fixture, "max_steps");
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_decoded found = lb_greedy(m.model, source, limit);
        ck_assert_int_eq(found.batch, 3);
        const double *weights = support_fixture_values(m.fixture, "output.greedy_weights");
        for (int64_t row = 0; row < 3; row++) {
            const double *ids = support_fixture_values(m.fixture, "output.greedy_ids") + row * limit;
            int64_t common = steps_in_common(ids, limit), length = 0;
            while (length < common && ids[length] != LB_EOS) length++;
            bool ends = length < common;
            ck_assert_int_ge(found.length, length);
            ck_assert(ends ? found.lengths[row] == length && found.finished[row]
                           : found.lengths[row] >= length);
            ended += ends;
            for (int64_t t = 0; t < (ends ? found.length : length); t++)
                ck_assert_int_eq(found.id[row * found.length + t], t < length ? (int32_t)ids[t] : LB_PAD);
            /* The step that wrote LB_EOS has weights, too; those after it are meaningless. */
            for (int64_t i = 0; i < (length + ends) * 5; i++, steps++)
                ck_assert_double_eq_tol((double)found.weights[row * found.length * 5 + i],
                                        weights[row * limit * 5 + i], SUPPORT_TOLERANCE);
        }
        support_model_close(m);
    }
    ck_assert_int_gt(ended, 0);
    ck_assert_int_gt(steps / 5, 20);
}
END_TEST

START_TEST(test_forward_token_out_of_vocabulary_names_place_and_module)
{
    support_model m = support_model_open(fixtures[0]);
    lb_tokens target = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
    int32_t *id, *lengths;
    lb_tokens source = lb_tokens_new(m.tape, 3, 2, &id, &lengths);
    id[3] = 13; /* row 1, position 1; the vocabulary has 0..12 */
    lengths[0] = lengths[1] = lengths[2] = 2;
    lb_tensor *logits = lb_seq2seq_forward(m.seq2seq, source, target);
    ck_assert(!lb_is_sound(logits));
    ck_assert_int_eq(lb_tape_status(m.tape), LB_ERROR_INDEX);
    ck_assert_str_eq(lb_tape_error(m.tape),
                     "source_embedding: lb_embedding_lookup: token id 13 in row 1, position 1: "
                     "the table has 13 rows");
    ck_assert_int_eq(lb_greedy(m.model, source, 4).batch, 0);
    support_model_close(m);
}
END_TEST

START_TEST(test_forward_batches_that_differ_is_an_error_of_shape)
{
    support_model m = support_model_open(fixtures[1]);
    lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
    int32_t *id, *lengths;
    lb_tokens target = lb_tokens_new(m.tape, 2, 4, &id, &lengths);
    ck_assert(!lb_is_sound(lb_seq2seq_forward(m.seq2seq, source, target)));
    ck_assert_int_eq(lb_tape_status(m.tape), LB_ERROR_SHAPE);
    support_model_close(m);
}
END_TEST

START_TEST(test_init_impossible_sizes_are_errors)
{
    const lb_seq2seq_config good = {
        .source_vocab = 7, .target_vocab = 9, .embed = 3, .hidden = 5, .layers = 2};
    lb_seq2seq_config bad[] = {good, good, good, good, good, good, good};
    bad[0].source_vocab = 0;
    bad[1].target_vocab = 0;
    bad[2].target_vocab = -3;
    bad[3].embed = -1;
    bad[4].hidden = -8;
    bad[5].layers = -1;
    bad[6].source_vocab = -1;
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_params *params = lb_params_new(1);
        lb_seq2seq model;
        ck_assert_msg(lb_seq2seq_init(&model, params, "m", bad[i]) == LB_ERROR_ARGUMENT, "case %d: %d, %s", i,
                      lb_params_status(params), lb_params_error(params));
        ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_init_scoped_twice_gives_two_models)
{
    lb_params *params = lb_params_new(1);
    lb_seq2seq_config config = {.source_vocab = 7, .target_vocab = 9, .embed = 3, .hidden = 5};
    lb_seq2seq first, second;
    ck_assert_int_eq(lb_seq2seq_init(&first, params, "a", config), LB_OK);
    ck_assert_int_eq(lb_seq2seq_init(&second, params, "b.c", config), LB_OK);
    ck_assert_ptr_nonnull(lb_params_find(params, "a.decoder.weight_ih_l0"));
    ck_assert_ptr_nonnull(lb_params_find(params, "b.c.bridge.0.weight"));
    ck_assert_int_eq(lb_seq2seq_init(&second, params, "a", config), LB_ERROR_ARGUMENT);
    lb_params_free(params);
}
END_TEST

START_TEST(test_forward_without_attention_ignores_all_but_the_final_state)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_seq2seq model;
    lb_seq2seq_config config = {.source_vocab = 7,
                                .target_vocab = 9,
                                .embed = 3,
                                .hidden = 5,
                                .layers = 2,
                                .attention = LB_ATTENTION_NONE};
    ck_assert_int_eq(lb_seq2seq_init(&model, params, "", config), LB_OK);
    ck_assert_ptr_null(lb_params_find(params, "attention.W_q.weight"));
    ck_assert_int_eq(lb_dim(lb_params_find(params, "decoder.weight_ih_l0"), 1), 3);
    int32_t *id, *lengths;
    lb_tokens source = lb_tokens_new(tape, 2, 3, &id, &lengths), target = {0};
    memcpy(id, (int32_t[]){4, 5, 6, 5, 0, 0}, 6 * sizeof *id);
    memcpy(lengths, (int32_t[]){3, 1}, 2 * sizeof *lengths);
    target = lb_tokens_new(tape, 2, 4, &id, &lengths);
    for (int i = 0; i < 8; i++) id[i] = 1 + i;
    lb_tensor *logits = lb_seq2seq_forward(&model, source, target);
    ck_assert_msg(lb_is_sound(logits), "%s", lb_tape_error(tape));
    ck_assert(lb_shape_equal(logits->shape, LB_SHAPE(2, 4, 9)));
    lb_decoded found = lb_greedy(&model.base, source, 3);
    ck_assert_int_eq(found.batch, 2);
    ck_assert_ptr_null(found.weights);
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST
