/* A transformer with each kind of positions, shared keys, softcap and window: decoding in parts, files, what each
 * setting does, and errors. This test runs in both precisions. */
#include "autograd/op.h"
#include "models/built_in.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 8, TARGETS = 9, LAYERS = 2 };

static const lb_transformer_config settings[] = {
    {.positions = LB_POSITIONAL_RELATIVE},
    {.positions = LB_POSITIONAL_ALIBI},
    {.positions = LB_POSITIONAL_ROTARY},
    {.positions = LB_POSITIONAL_NONE},
    {.positions = LB_POSITIONAL_FIRE},
    {.positions = LB_POSITIONAL_FIRE, .kv_heads = 2, .window = 2},
    {.positions = LB_POSITIONAL_RANDOM},
    {.embedding_scale = 0.25},
    {.kv_heads = 2},
    {.kv_heads = 1, .positions = LB_POSITIONAL_ROTARY},
    {.softcap = 0.5},
    {.window = 1},
    {.attention_weights = LB_SPARSEMAX},
    {.attention_weights = LB_ENTMAX, .kv_heads = 2, .positions = LB_POSITIONAL_ALIBI},
    {.positions = LB_POSITIONAL_RELATIVE, .kv_heads = 2, .softcap = 2, .window = 2, .tied = true},
    {.no_self_attention = true},
    {.no_feed_forward = true, .positions = LB_POSITIONAL_RELATIVE, .post_norm = true},
    {.no_self_attention = true, .no_feed_forward = true, .positions = LB_POSITIONAL_NONE, .copy = true},
};

typedef struct made {
    lb_params *params;
    lb_tape *tape;
    lb_transformer model;
} made;

static made make(lb_transformer_config config)
{
    made m = {.params = lb_params_new(5), .tape = lb_tape_new()};
    config.source_vocab = SOURCES;
    config.target_vocab = TARGETS;
    config.width = 16;
    config.heads = 4;
    config.layers = LAYERS;
    lb_transformer_init(&m.model, m.params, "", config);
    ck_assert_msg(lb_params_status(m.params) == LB_OK, "%s", lb_params_error(m.params));
    /* Larger weights than at the start, so that attention is far from even. */
    lb_real *values = lb_params_values(m.params);
    for (int64_t i = 0; i < lb_params_size(m.params); i++) values[i] *= 3;
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

/* Other numbers of rows may go through other kernels, and the large weights enlarge what they round. */
static const double ROUNDING = sizeof(lb_real) == sizeof(double) ? 1e-9 : 1e-3;

START_LOOP_TEST(test_transformer_of_any_setting_decodes_step_by_step_what_it_decodes_at_once,
                LB_LENGTH(settings))
{
    made m = make(settings[_i]);
    lb_transformer_memory memory = lb_transformer_encode(&m.model, source_of(m.tape), NULL);
    lb_transformer_decoded whole = lb_transformer_decode(&m.model, &memory, target_of(m.tape, 0, 6), NULL);
    const int64_t ends[] = {0, 1, 2, 5, 6};
    for (int i = 0; i < 4; i++) {
        int64_t count = ends[i + 1] - ends[i];
        lb_transformer_decoded part =
            lb_transformer_decode(&m.model, &memory, target_of(m.tape, ends[i], count), NULL);
        memory = part.memory;
        ck_assert_msg(lb_is_sound(part.logits), "%s", lb_tape_error(m.tape));
        for (int64_t row = 0; row < 2; row++)
            for (int64_t j = 0; j < count * TARGETS; j++)
                ck_assert_double_eq_tol((double)part.logits->data[row * count * TARGETS + j],
                                        (double)whole.logits->data[(row * 6 + ends[i]) * TARGETS + j],
                                        ROUNDING);
    }
    drop(&m);
}
END_TEST

START_LOOP_TEST(test_transformer_of_any_setting_is_in_its_file, LB_LENGTH(settings))
{
    made m = make(settings[_i]);
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
    lb_params_free(others);
    lb_safetensors_close(file);
    drop(&m);
}
END_TEST

/* Beam search selects rows of the cached keys, which are narrower than the model if heads share them. */
START_LOOP_TEST(test_transformer_of_any_setting_searches_and_its_beam_of_one_is_greedy, LB_LENGTH(settings))
{
    made m = make(settings[_i]);
    lb_decoded greedy = lb_greedy(&m.model.base, source_of(m.tape), 5);
    lb_beam one = lb_beam_search(&m.model.base, source_of(m.tape), (lb_beam_config){.beam = 1, .limit = 5}),
            three = lb_beam_search(&m.model.base, source_of(m.tape), (lb_beam_config){.beam = 3, .limit = 5});
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    for (int64_t row = 0; row < 2; row++) {
        ck_assert_int_eq(one.hypothesis[row].length, greedy.lengths[row]);
        for (int64_t i = 0; i < greedy.lengths[row]; i++)
            ck_assert_int_eq(one.hypothesis[row].id[i], greedy.id[row * greedy.length + i]);
        const lb_hypothesis *best = &three.hypothesis[row * 3];
        ck_assert(best->finished >= one.hypothesis[row].finished);
        ck_assert(best->finished != one.hypothesis[row].finished ||
                  best->score >= one.hypothesis[row].score - 1e-5);
    }
    drop(&m);
}
END_TEST

/* The largest difference between the logits for a source and for the same source with two symbols exchanged. */
static double effect_of_order(lb_transformer_config config)
{
    static const int32_t lengths[] = {5};
    made m = make(config);
    lb_tensor *logits[2];
    for (int i = 0; i < 2; i++) {
        const int32_t there[] = {4, 6, 5, 7, 4}, back[] = {7, 6, 5, 4, 4};
        int32_t *id, *length;
        lb_tokens source = lb_tokens_new(m.tape, 1, 5, &id, &length);
        memcpy(id, i ? back : there, sizeof there);
        length[0] = lengths[0];
        lb_tokens target = target_of(m.tape, 0, 6);
        target.batch = 1;
        logits[i] = lb_model_forward(&m.model.base, source, target);
        ck_assert_msg(lb_is_sound(logits[i]), "%s", lb_tape_error(m.tape));
    }
    double most = 0;
    for (int64_t i = 0; i < lb_count(logits[0]); i++)
        most = fmax(most, fabs((double)logits[0]->data[i] - (double)logits[1]->data[i]));
    drop(&m);
    return most;
}

START_TEST(test_transformer_without_positions_does_not_see_the_order_and_with_any_kind_it_does)
{
    ck_assert_double_lt(effect_of_order((lb_transformer_config){.positions = LB_POSITIONAL_NONE}), 1e-3);
    for (int kind = LB_POSITIONAL_SINUSOIDAL; lb_positional_names[kind]; kind++)
        if (kind != LB_POSITIONAL_NONE)
            ck_assert_double_gt(
                effect_of_order((lb_transformer_config){.positions = (lb_positional_kind)kind}), 1e-2);
}
END_TEST

/* The sum of the weights of self-attention beyond a distance of 1: in the encoder, of the first source, which has no
 * padding, and in the decoder. */
static void weigh_what_is_far(lb_transformer_config config, double *encoder, double *decoder)
{
    made m = make(config);
    lb_self_attention found =
        lb_model_self_attention(&m.model.base, source_of(m.tape), target_of(m.tape, 0, 6));
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    *encoder = *decoder = 0;
    for (int map = 0; map < LAYERS * 4; map++) {
        for (int i = 0; i < 25; i++)
            if (abs(i / 5 - i % 5) > 1) *encoder += (double)found.encoder->data[map * 25 + i];
        for (int i = 0; i < 36; i++)
            if (abs(i / 6 - i % 6) > 1) *decoder += (double)found.decoder->data[map * 36 + i];
    }
    drop(&m);
}

START_TEST(test_transformer_with_a_window_attends_no_further)
{
    double encoder, decoder;
    weigh_what_is_far((lb_transformer_config){0}, &encoder, &decoder);
    ck_assert(encoder > 1 && decoder > 1);
    weigh_what_is_far((lb_transformer_config){.window = 1}, &encoder, &decoder);
    ck_assert(encoder == 0 && decoder == 0);
}
END_TEST

/* The largest weight of the self-attention of the encoder. */
static double sharpest(double softcap)
{
    made m = make((lb_transformer_config){.softcap = softcap});
    lb_self_attention found =
        lb_model_self_attention(&m.model.base, source_of(m.tape), target_of(m.tape, 0, 1));
    double most = 0;
    for (int64_t i = 0; i < lb_count(found.encoder) / 2; i++) /* the first source has five symbols */
        most = fmax(most, (double)found.encoder->data[i]);
    drop(&m);
    return most;
}

START_TEST(test_transformer_with_a_softcap_has_no_larger_score)
{
    double most = 1 / (1 + 4 * exp(-2 * 0.5)); /* one score of 0.5, four of -0.5 */
    ck_assert_double_gt(sharpest(0), most);
    ck_assert_double_le(sharpest(0.5), most + 1e-6);
}
END_TEST

/* The logits of the scaled model are those of one whose embeddings and positions are multiplied by hand. */
START_TEST(test_transformer_with_scaled_embeddings_multiplies_them_and_positions)
{
    made plain = make((lb_transformer_config){.positions = LB_POSITIONAL_LEARNED, .max_length = 9}),
         one = make((lb_transformer_config){
             .positions = LB_POSITIONAL_LEARNED, .max_length = 9, .embedding_scale = 1}),
         scaled = make((lb_transformer_config){
             .positions = LB_POSITIONAL_LEARNED, .max_length = 9, .embedding_scale = 0.25});
    lb_tensor *const multiplied[] = {plain.model.source_embedding.weight, plain.model.target_embedding.weight,
                                     plain.model.source_positions.weight,
                                     plain.model.target_positions.weight};
    for (int i = 0; SUPPORT_ROW(i, multiplied); i++)
        for (int64_t k = 0; k < lb_count(multiplied[i]); k++) multiplied[i]->data[k] *= (lb_real)0.25;
    const lb_tensor *by_hand = lb_model_forward(&plain.model.base, source_of(plain.tape),
                                                target_of(plain.tape, 0, 6)),
                    *found = lb_model_forward(&scaled.model.base, source_of(scaled.tape),
                                              target_of(scaled.tape, 0, 6)),
                    *usual =
                        lb_model_forward(&one.model.base, source_of(one.tape), target_of(one.tape, 0, 6));
    double differ = 0;
    for (int64_t i = 0; i < lb_count(found); i++) {
        ck_assert_double_eq_tol((double)found->data[i], (double)by_hand->data[i], ROUNDING);
        differ = fmax(differ, fabs((double)found->data[i] - (double)usual->data[i]));
    }
    ck_assert_double_gt(differ, 1e-2);
    drop(&plain);
    drop(&one);
    drop(&scaled);
}
END_TEST

static int64_t numbers_of(const made *m)
{
    int64_t count = 0;
    for (int i = 0; i < lb_params_count(m->params); i++) count += lb_count(lb_params_tensor(m->params, i));
    return count;
}

START_TEST(test_transformer_with_shared_keys_has_fewer_parameters)
{
    made all = make((lb_transformer_config){0}), shared = make((lb_transformer_config){.kv_heads = 1}),
         same = make((lb_transformer_config){.kv_heads = 4});
    const lb_multi_head *self = &shared.model.encoder.layer[0].self;
    ck_assert(lb_shape_equal(self->packed_weight->shape, LB_SHAPE(16 + 2 * 4, 16)));
    /* Encoder layers have one attention, decoder layers two. */
    ck_assert_int_eq(numbers_of(&all) - numbers_of(&shared), LAYERS * 3 * (2 * 12 * 16 + 2 * 12));
    ck_assert_int_eq(numbers_of(&all), numbers_of(&same));
    drop(&all);
    drop(&shared);
    drop(&same);
}
END_TEST

START_TEST(test_transformer_with_impossible_settings_is_an_error)
{
    static const struct {
        lb_transformer_config config;
        const char *message;
    } bad[] = {
        {{.heads = 4, .kv_heads = 3}, "4 heads of queries cannot share 3 heads of keys evenly"},
        {{.heads = 4, .kv_heads = 8}, "4 heads of queries cannot share 8 heads of keys evenly"},
        {{.embedding_scale = -1},
         "found 0, -1 and 0 as softcap, embedding_scale and window, expected 0 or more"},
        {{.softcap = -1}, "found -1, 0 and 0 as softcap, embedding_scale and window, expected 0 or more"},
        {{.window = -1}, "found 0, 0 and -1 as softcap, embedding_scale and window, expected 0 or more"},
        {{.width = 12, .heads = 4, .positions = LB_POSITIONAL_ROTARY},
         "rotary positions need heads of an even width, found 3"},
        {{.no_self_attention = true, .window = 1}, "m: a window needs self-attention, which the model lacks"},
        {{.no_self_attention = true, .positions = LB_POSITIONAL_RELATIVE},
         "m: relative needs self-attention"},
        {{.no_self_attention = true, .positions = LB_POSITIONAL_ALIBI}, "m: alibi needs self-attention"},
        {{.no_self_attention = true, .positions = LB_POSITIONAL_ROTARY}, "m: rotary needs self-attention"},
        {{.no_self_attention = true, .positions = LB_POSITIONAL_FIRE}, "m: fire needs self-attention"},
    };
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_params *params = lb_params_new(1);
        lb_transformer model;
        lb_transformer_config config = bad[i].config;
        config.source_vocab = config.target_vocab = 5;
        ck_assert_int_eq(lb_transformer_init(&model, params, "m", config), LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(lb_params_error(params), bad[i].message), "%s", lb_params_error(params));
        lb_params_free(params);
    }
}
END_TEST
