/* The transformer against PyTorch, and decoding step by step against all at once. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/ensemble/ensemble.h"
#include "support/model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const char *const fixtures[] = {"transformer_model", "transformer_model_post_norm",
                                       "transformer_model_tied"};

static lb_tokens part_of(lb_tokens whole, int64_t first, int64_t count)
{
    int32_t *id, *lengths;
    lb_tokens part = lb_tokens_new(whole.tape, whole.batch, count, &id, &lengths);
    for (int64_t row = 0; row < whole.batch; row++) {
        memcpy(id + row * count, whole.id + row * whole.length + first, (size_t)count * sizeof *id);
        lengths[row] = (int32_t)count;
    }
    return part;
}

START_TEST(test_transformer_outputs_and_gradients_equal_pytorch)
{
    for (int f = 0; SUPPORT_ROW(f, fixtures); f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_tokens target_in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
        lb_tokens target_out = support_fixture_tokens(m.fixture, m.tape, "input.target_out", NULL, 0);
        lb_tensor *logits = lb_transformer_forward(m.transformer, source, target_in);
        ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
        support_fixture_compare(m.fixture, "output.logits", logits->data);
        lb_tensor *loss = lb_cross_entropy(logits, target_out, LB_PAD);
        support_fixture_backward(m.fixture, support_fixture_output(m.fixture, "loss", loss, NULL), m.params);
        support_model_close(m);
    }
}
END_TEST

START_TEST(test_transformer_decode_in_parts_equals_decode_at_once)
{
    for (int f = 0; SUPPORT_ROW(f, fixtures); f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_tokens target = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
        lb_transformer_memory memory = lb_transformer_encode(m.transformer, source, NULL);
        lb_transformer_decoded whole = lb_transformer_decode(m.transformer, &memory, target, NULL);
        /* One token, then three, then the others. */
        const int64_t ends[] = {0, 1, 4, target.length};
        lb_tensor *logits[3], *weights[3];
        for (int i = 0; i < 3; i++) {
            lb_transformer_decoded part = lb_transformer_decode(
                m.transformer, &memory, part_of(target, ends[i], ends[i + 1] - ends[i]), NULL);
            memory = part.memory;
            logits[i] = part.logits;
            weights[i] = part.weights;
        }
        const lb_tensor *joined = lb_concat(weights, 3, 2);
        ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
        support_fixture_compare(m.fixture, "output.logits", lb_concat(logits, 3, 1)->data);
        ck_assert(lb_shape_equal(joined->shape, LB_SHAPE(3, 2 * 3, target.length, source.length)));
        for (int64_t i = 0; i < lb_count(joined); i++)
            ck_assert_double_eq_tol((double)joined->data[i], (double)whole.weights->data[i], 1e-5);
        support_model_close(m);
    }
}
END_TEST

/* The weights of the first layer of the encoder by their definition, in plain loops: softmax of q k / sqrt(width of a
 * head), without padding. */
static void check_first_layer(const support_model *m, lb_tokens source, const lb_tensor *found)
{
    const lb_transformer *t = m->transformer;
    const lb_multi_head *self = &t->encoder.layer[0].self;
    int64_t width = t->config.width, heads = t->config.heads, each = width / heads, length = source.length;
    lb_tensor *x = lb_scale(lb_embedding_forward(&t->source_embedding, source), (lb_real)sqrt((double)width));
    x = lb_positional_forward(&t->source_positions, x, 0);
    if (!t->config.post_norm) x = lb_layer_norm_forward(&t->encoder.layer[0].norm[0], x);
    lb_tensor *all =
        lb_affine(x, lb_on_tape(m->tape, self->packed_weight), lb_on_tape(m->tape, self->packed_bias));
    for (int64_t row = 0; row < source.batch; row++)
        for (int64_t head = 0; head < heads; head++)
            for (int64_t q = 0; q < source.lengths[row]; q++) {
                double score[16] = {0}, sum = 0;
                const lb_real *query = all->data + (row * length + q) * 3 * width + head * each;
                for (int64_t k = 0; k < source.lengths[row]; k++) {
                    const lb_real *key = all->data + (row * length + k) * 3 * width + width + head * each;
                    double dot = 0;
                    for (int64_t i = 0; i < each; i++) dot += (double)query[i] * (double)key[i];
                    sum += score[k] = exp(dot / sqrt((double)each));
                }
                const lb_real *weights = found->data + ((row * 2 * heads + head) * length + q) * length;
                for (int64_t k = 0; k < length; k++)
                    ck_assert_double_eq_tol((double)weights[k], score[k] / sum, 1e-5);
            }
}

START_TEST(test_self_attention_of_a_transformer_follows_its_definition)
{
    for (int f = 0; SUPPORT_ROW(f, fixtures); f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tape_set_mode(m.tape, LB_MODE_EVALUATE);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_tokens target = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
        lb_self_attention found = lb_model_self_attention(m.model, source, target);
        int64_t s = source.length, t = target.length, heads = found.heads;
        ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
        ck_assert(found.layers == 2 && heads == 3);
        ck_assert(lb_shape_equal(found.encoder->shape, LB_SHAPE(3, 2 * heads, s, s)));
        ck_assert(lb_shape_equal(found.decoder->shape, LB_SHAPE(3, 2 * heads, t, t)));
        check_first_layer(&m, source, found.encoder);
        for (int64_t row = 0; row < 3 * 2 * heads * t; row++) {
            double sum = 0;
            for (int64_t k = 0; k < t; k++) {
                double weight = (double)found.decoder->data[row * t + k];
                ck_assert(k <= row % t || weight == 0); /* nothing after itself */
                sum += weight;
            }
            ck_assert_double_eq_tol(sum, 1, 1e-5);
        }
        support_model_close(m);
    }
}
END_TEST

START_TEST(test_self_attention_of_a_seq2seq_is_none)
{
    support_model m = support_model_open("seq2seq_unidirectional");
    lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
    lb_self_attention found = lb_model_self_attention(m.model, source, source);
    ck_assert(found.layers == 0 && found.heads == 0 && !found.encoder && !found.decoder);
    support_model_close(m);
}
END_TEST

START_TEST(test_transformer_greedy_takes_the_likeliest_of_teacher_forcing)
{
    for (int f = 0; SUPPORT_ROW(f, fixtures); f++) {
        support_model m = support_model_open(fixtures[f]);
        lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
        lb_decoded found = lb_greedy(m.model, source, 6);
        ck_assert_int_eq(found.batch, 3);
        ck_assert_int_eq(found.layers, 2);
        ck_assert_int_eq(found.heads, 3);
        for (int64_t row = 0; row < found.batch; row++) {
            int32_t id[8] = {LB_BOS}, length = found.lengths[row] + 1;
            memcpy(id + 1, found.id + row * found.length, (size_t)(length - 1) * sizeof *id);
            lb_tokens one = {m.tape, 1, source.length, source.id + row * source.length, source.lengths + row};
            const lb_tensor *logits =
                lb_model_forward(m.model, one, (lb_tokens){m.tape, 1, length, id, &length});
            ck_assert_msg(lb_is_sound(logits), "%s", lb_tape_error(m.tape));
            for (int32_t t = 0; t < length - 1; t++)
                ck_assert_int_eq(lb_argmax(logits->data + t * 11, 11), id[t + 1]);
            bool ends = lb_argmax(logits->data + (length - 1) * 11, 11) == LB_EOS;
            if (found.lengths[row] < found.length) ck_assert(ends && found.finished[row]);
        }
        support_model_close(m);
    }
}
END_TEST

START_TEST(test_transformer_impossible_sizes_are_errors)
{
    const lb_transformer_config bad[] = {
        {.source_vocab = 0, .target_vocab = 5},
        {.source_vocab = 5, .target_vocab = 5, .width = 6, .heads = 4},
        {.source_vocab = 5, .target_vocab = 5, .layers = -1},
        {.source_vocab = 5, .target_vocab = 5, .width = -8},
        {.source_vocab = 5, .target_vocab = 5, .max_length = -1},
    };
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_params *params = lb_params_new(1);
        lb_tape *tape = lb_tape_new();
        lb_transformer model;
        ck_assert_msg(lb_transformer_init(&model, params, "m", bad[i]) == LB_ERROR_ARGUMENT, "case %d", i);
        const int32_t id[] = {1, 2}, length = 2;
        lb_tokens tokens = {tape, 1, 2, id, &length};
        ck_assert(!lb_is_sound(lb_transformer_forward(&model, tokens, tokens)));
        lb_tape_free(tape);
        lb_params_free(params);
    }
}
END_TEST

START_TEST(test_transformer_learned_positions_end_at_the_longest)
{
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_transformer model;
    lb_transformer_config config = {.source_vocab = 7, .target_vocab = 7, .width = 8, .heads = 2};
    config.positions = LB_POSITIONAL_LEARNED;
    config.max_length = 3;
    ck_assert_int_eq(lb_transformer_init(&model, params, "m", config), LB_OK);
    ck_assert_ptr_nonnull(lb_params_find(params, "m.source_positions.weight"));
    const int32_t id[] = {1, 4, 5, 6}, three = 3, four = 4;
    ck_assert(lb_is_sound(lb_transformer_forward(&model, (lb_tokens){tape, 1, 3, id, &three},
                                                 (lb_tokens){tape, 1, 3, id, &three})));
    ck_assert(!lb_is_sound(lb_transformer_forward(&model, (lb_tokens){tape, 1, 4, id, &four},
                                                  (lb_tokens){tape, 1, 3, id, &three})));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_INDEX);
    ck_assert_str_eq(lb_tape_error(tape),
                     "m.source_positions: position 3 is out of range: there are 3 learned positions");
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_decoding_stops_where_the_learned_positions_end)
{
    enum { POSITIONS = 5, LIMIT = 20 };
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_transformer model, longer;
    lb_ensemble both;
    lb_transformer_config config = {.source_vocab = 7, .target_vocab = 7, .width = 8, .heads = 2};
    config.positions = LB_POSITIONAL_LEARNED;
    config.max_length = LIMIT;
    ck_assert_int_eq(lb_transformer_init(&longer, params, "longer", config), LB_OK);
    config.max_length = POSITIONS;
    ck_assert_int_eq(lb_transformer_init(&model, params, "m", config), LB_OK);
    const lb_model *members[] = {&longer.base, &model.base}, *models[] = {&model.base, &both.base};
    ck_assert_int_eq(lb_ensemble_init(&both, members, 2, NULL), LB_OK);
    /* A model that never ends. */
    model.output.bias->data[LB_EOS] = longer.output.bias->data[LB_EOS] = -100;
    const int32_t id[] = {1, 4, 5}, three = 3;
    lb_tokens source = {tape, 1, 3, id, &three};
    for (int m = 0; SUPPORT_ROW(m, models); m++) {
        lb_decoded greedy = lb_greedy(models[m], source, LIMIT);
        lb_beam beam = lb_beam_search(models[m], source, (lb_beam_config){.beam = 2, .limit = LIMIT});
        lb_beam sample = lb_sample(models[m], source, (lb_sample_config){.limit = LIMIT});
        ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
        ck_assert_int_eq(greedy.lengths[0], POSITIONS);
        ck_assert_int_eq(beam.hypothesis->length, POSITIONS);
        ck_assert_int_eq(sample.hypothesis->length, POSITIONS);
        ck_assert(!greedy.finished[0] && !beam.hypothesis->finished && !sample.hypothesis->finished);
    }
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

START_TEST(test_transformer_batches_that_differ_are_an_error)
{
    support_model m = support_model_open(fixtures[0]);
    const int32_t id[] = {4, 5, 6, 7}, lengths[] = {2, 2};
    const lb_tensor *logits = lb_transformer_forward(m.transformer, (lb_tokens){m.tape, 2, 2, id, lengths},
                                                     (lb_tokens){m.tape, 1, 2, id, lengths});
    ck_assert(!lb_is_sound(logits));
    ck_assert_int_eq(lb_tape_status(m.tape), LB_ERROR_SHAPE);
    support_model_close(m);
}
END_TEST
