/* A custom kind of model and a custom attention: in training, decoding, files and ensembles.
 * This test runs in both precisions, and needs a process for each test. */
#include "autograd/tape.h"
#include "lookback/ops.h"
#include "lookback/train.h"
#include "models/built_in.h"
#include "support/alloc.h"
#include "support/gather.h"
#include "support/own_kinds.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <string.h>

enum { VOCABULARY = SUPPORT_RELAY_VOCABULARY, ROWS = 2, SOURCE = 3, TARGET = 4, WIDTH = 6, LIMIT = 6 };

static const int32_t source_id[] = {4, 6, 5, 7, 5, 0}, source_lengths[] = {3, 2};
static const int32_t in_id[] = {LB_BOS, 4, 5, 6, LB_BOS, 5, 7, 0}, in_lengths[] = {4, 3};
static const int32_t out_id[] = {4, 5, 6, LB_EOS, 5, 7, LB_EOS, 0}, full_lengths[] = {4, 4};

static lb_model *add_relay(lb_params *params)
{
    lb_model *model = support_add_relay(params, WIDTH);
    ck_assert_msg(model != NULL, "%s", lb_params_error(params));
    return model;
}

static lb_model *add_attending(lb_params *params, const lb_attention_type *own, lb_attention_kind attention)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .embed = 3, .hidden = WIDTH, .bidirectional = true};
    config.own_attention = own;
    config.attention = attention;
    config.embedding_deviation = 1;
    ck_assert_msg(lb_seq2seq_init(model, params, "", config) == LB_OK, "%s", lb_params_error(params));
    return &model->base;
}

static lb_model *add_seq2seq(lb_params *params, const lb_attention_type *attention)
{
    return add_attending(params, attention, LB_ATTENTION_ADDITIVE);
}

static lb_tokens sources(lb_tape *tape)
{
    return (lb_tokens){tape, ROWS, SOURCE, source_id, source_lengths};
}

static lb_tensor *loss_of(lb_tape *tape, void *model)
{
    lb_tokens in = {tape, ROWS, TARGET, in_id, in_lengths}, out = {tape, ROWS, TARGET, out_id, in_lengths};
    return lb_cross_entropy(lb_model_forward(model, sources(tape), in), out, LB_PAD);
}

static lb_tensor *training_loss(void *model, lb_tape *tape, int64_t step, int64_t *tokens)
{
    (void)step;
    *tokens += in_lengths[0] + in_lengths[1];
    return loss_of(tape, model);
}

static lb_status measure(void *model, lb_tape *tape, lb_evaluation *found)
{
    lb_tape_reset(tape);
    found->loss = (double)lb_item(loss_of(tape, model));
    return lb_tape_status(tape);
}

/* The two sources and their targets, to be memorised. */
static void train(lb_model *model, lb_params *params)
{
    lb_train_history history = {0};
    lb_error error = {0};
    const lb_trainer_config config = {.params = params,
                                      .context = model,
                                      .loss = training_loss,
                                      .evaluate = measure,
                                      .steps = 150,
                                      .schedule.lr = 0.02};
    ck_assert_msg(lb_train(config, &history, &error) == LB_OK, "%s", error.message);
    ck_assert_double_lt(lb_train_best(&history)->dev.loss, 0.1);
    lb_release(history.points);
}

static void expect_same(const lb_model *a, const lb_model *b)
{
    lb_tape *tape = lb_tape_new();
    lb_tokens in = {tape, ROWS, TARGET, in_id, full_lengths};
    const lb_tensor *x = lb_model_forward(a, sources(tape), in), *y = lb_model_forward(b, sources(tape), in);
    ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
    ck_assert_mem_eq(x->data, y->data, (size_t)lb_count(x) * sizeof *x->data);
    lb_decoded one = lb_greedy(a, sources(tape), LIMIT), other = lb_greedy(b, sources(tape), LIMIT);
    ck_assert_int_eq(one.length, other.length);
    ck_assert_mem_eq(one.id, other.id, (size_t)(ROWS * one.length) * sizeof *one.id);
    lb_beam beam = lb_beam_search(b, sources(tape), (lb_beam_config){.beam = 2, .limit = LIMIT});
    ck_assert_int_eq(beam.batch, ROWS);
    lb_tape_free(tape);
}

static lb_safetensors *save(const lb_model *model, const lb_params *params)
{
    lb_error error = {0};
    lb_status status =
        lb_model_save(model, params, support_path("model.safetensors"), (lb_checkpoint_extra){0}, &error);
    ck_assert_msg(status == LB_OK, "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(support_path("model.safetensors"), &error);
    ck_assert_msg(file, "%s", error.message);
    return file;
}

/* A saved and loaded model gives the same results; without the extensions, the error has `name`. */
static void check_file(const lb_model *model, const lb_params *params, const char *name)
{
    lb_safetensors *file = save(model, params);
    lb_params *others = lb_params_new(99), *none = lb_params_new(99);
    lb_error error = {0}, unknown = {0};
    const lb_model *loaded = lb_model_load(file, others, &support_own, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    expect_same(model, loaded);
    ck_assert_ptr_null(lb_model_load(file, none, NULL, &unknown));
    ck_assert_int_eq(unknown.status, LB_ERROR_FORMAT);
    ck_assert_msg(strstr(unknown.message, name) && strstr(unknown.message, "lb_extensions"), "%s",
                  unknown.message);
    lb_params_free(none);
    lb_params_free(others);
    lb_safetensors_close(file);
}

START_TEST(test_own_kind_trains_and_comes_back_from_a_file)
{
    lb_params *params = lb_params_new(5);
    lb_model *model = add_relay(params);
    train(model, params);
    check_file(model, params, "unknown model kind 'a \"relay\"'");
    lb_params_free(params);
}
END_TEST

START_TEST(test_own_attention_trains_and_comes_back_from_a_file)
{
    lb_params *params = lb_params_new(5);
    lb_model *model = add_seq2seq(params, &support_paired);
    ck_assert_int_eq(model->heads, SUPPORT_PAIRED_HEADS);
    ck_assert_ptr_nonnull(lb_params_find(params, "attention.weight"));
    train(model, params);
    check_file(model, params, "unknown attention 'paired'");
    lb_params_free(params);
}
END_TEST

START_TEST(test_own_attention_takes_the_place_of_any_other)
{
    lb_params *params = lb_params_new(5), *others = lb_params_new(5);
    expect_same(add_seq2seq(params, &support_paired),
                add_attending(others, &support_paired, LB_ATTENTION_MONOTONIC));
    lb_params_free(others);
    lb_params_free(params);
}
END_TEST

START_TEST(test_ensemble_has_members_of_own_kinds)
{
    lb_params *stores[] = {lb_params_new(1), lb_params_new(2), lb_params_new(3)}, *all = lb_params_new(4);
    const lb_model *members[] = {add_relay(stores[0]), add_seq2seq(stores[1], &support_paired),
                                 add_seq2seq(stores[2], NULL)};
    lb_error error = {0};
    lb_ensemble *ensemble =
        support_gather(all, members, (const lb_params *const *)stores, 3, &support_own, &error);
    ck_assert_msg(ensemble != NULL, "%s", error.message);
    for (int i = 0; i < 3; i++) expect_same(ensemble->member[i], members[i]);
    check_file(&ensemble->base, all, "unknown model kind 'a \"relay\"'");
    lb_params_free(all);
    for (int i = 0; i < 3; i++) lb_params_free(stores[i]);
}
END_TEST

START_TEST(test_own_attention_step_by_step_equals_all_at_once)
{
    lb_params *params = lb_params_new(5);
    const lb_model *model = add_seq2seq(params, &support_paired);
    lb_tape *tape = lb_tape_new();
    lb_decoder_state state = model->kind->encode(model, sources(tape));
    lb_tokens in = {tape, ROWS, TARGET, in_id, full_lengths};
    lb_model_step whole = model->kind->decode(model, state, in);
    ck_assert(lb_shape_equal(whole.weights->shape, LB_SHAPE(ROWS, SUPPORT_PAIRED_HEADS, TARGET, SOURCE)));
    for (int64_t t = 0; t < TARGET; t++) {
        const int32_t id[] = {in_id[t], in_id[TARGET + t]}, one[] = {1, 1};
        lb_model_step step = model->kind->decode(model, state, (lb_tokens){tape, ROWS, 1, id, one});
        ck_assert_msg(lb_tape_status(tape) == LB_OK, "%s", lb_tape_error(tape));
        state = step.state;
        for (int64_t row = 0; row < ROWS; row++)
            for (int64_t i = 0; i < VOCABULARY; i++)
                ck_assert_double_eq_tol((double)step.logits->data[row * VOCABULARY + i],
                                        (double)whole.logits->data[(row * TARGET + t) * VOCABULARY + i],
                                        1e-5);
    }
    lb_tape_free(tape);
    lb_params_free(params);
}
END_TEST

/* The error of lb_model_load for these extensions. */
static void expect_refused(const lb_extensions *bad, const char *message)
{
    lb_params *params = lb_params_new(5), *others = lb_params_new(6);
    lb_safetensors *file = save(add_relay(params), params);
    lb_error error = {0};
    ck_assert_ptr_null(lb_model_load(file, others, bad, &error));
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, message);
    lb_safetensors_close(file);
    lb_params_free(others);
    lb_params_free(params);
}

START_TEST(test_names_that_are_taken_are_refused)
{
    lb_model_kind kind = support_relay, again = support_relay;
    lb_attention_type type = support_paired;
    const lb_model_kind *const kinds[] = {&kind, NULL}, *const twice[] = {&support_relay, &again, NULL};
    const lb_attention_type *const types[] = {&type, NULL};
    kind.name = "seq2seq";
    type.name = "dot";
    expect_refused(&(lb_extensions){.kinds = kinds},
                   "custom model kind cannot be named 'seq2seq': the name is taken");
    // cppcheck-suppress redundantAssignment ; `kinds` sees each
    kind.name = "memoryless";
    kind.restore = NULL;
    expect_refused(&(lb_extensions){.kinds = kinds},
                   "model kind 'memoryless' lacks config_json or restore: model files need both");
    expect_refused(&(lb_extensions){.kinds = twice},
                   "custom model kind cannot be named 'a \"relay\"': the name is taken");
    expect_refused(&(lb_extensions){.attentions = types},
                   "custom attention cannot be named 'dot': the name is taken");
    // cppcheck-suppress redundantAssignment ; `types` sees each
    type.name = "thirty-two letters make too long";
    expect_refused(&(lb_extensions){.attentions = types},
                   "the name of an attention is longer than 31 bytes: thirty-two letters make too long");
}
END_TEST

START_TEST(test_models_with_a_name_that_is_taken_are_neither_made_nor_saved)
{
    lb_model_kind kind = support_relay;
    lb_attention_type type = support_paired;
    lb_params *params = lb_params_new(5), *others = lb_params_new(6);
    lb_model *model = add_relay(params);
    lb_error error = {0};
    lb_seq2seq seq2seq;
    kind.name = "ensemble";
    type.name = "none";
    model->kind = &kind;
    ck_assert_int_eq(lb_model_save(model, params, "model.safetensors", (lb_checkpoint_extra){0}, &error),
                     LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "custom model kind cannot be named 'ensemble': the name is taken");
    lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .own_attention = &type};
    ck_assert_int_eq(lb_seq2seq_init(&seq2seq, others, "m", config), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(others),
                     "m.attention: custom attention cannot be named 'none': the name is taken");
    lb_params_free(others);
    lb_params_free(params);
}
END_TEST

static lb_beam find_nothing(const lb_model *model, lb_tokens source, lb_beam_config config)
{
    (void)model, (void)source, (void)config;
    return (lb_beam){0};
}

START_TEST(test_descriptors_that_lack_a_function_are_refused_with_its_name)
{
    lb_model_kind kind[] = {support_relay, support_relay, support_relay, support_relay, support_relay};
    lb_attention_type type[] = {support_paired, support_paired, support_paired};
    kind[0].name = type[0].name = NULL;
    kind[1].encode = NULL;
    kind[2].decode = NULL;
    kind[3].select = NULL;
    kind[4].search = find_nothing;
    type[1].init = NULL;
    type[2].ask = NULL;
    static const char *const of_kind[] = {"'' has no name", "'a \"relay\"' has no encode",
                                          "'a \"relay\"' has no decode", "'a \"relay\"' has no select",
                                          "'a \"relay\"' has no force"},
                             *const of_type[] = {"'' has no name", "'paired' has no init",
                                                 "'paired' has no ask"};
    char message[LB_MESSAGE_LENGTH];
    for (size_t i = 0; SUPPORT_ROW(i, kind); i++) {
        const lb_model_kind *const kinds[] = {&kind[i], NULL};
        snprintf(message, sizeof message, "model kind %s", of_kind[i]);
        expect_refused(&(lb_extensions){.kinds = kinds}, message);
        lb_params *params = lb_params_new(5);
        lb_tape *tape = lb_tape_new();
        lb_model *model = add_relay(params);
        model->kind = &kind[i];
        ck_assert(!lb_is_sound(lb_model_forward(model, sources(tape), sources(tape))));
        ck_assert_str_eq(lb_tape_error(tape), message);
        lb_tape_free(tape);
        lb_params_free(params);
    }
    for (size_t i = 0; SUPPORT_ROW(i, type); i++) {
        const lb_attention_type *const types[] = {&type[i], NULL};
        snprintf(message, sizeof message, "custom attention %s", of_type[i]);
        expect_refused(&(lb_extensions){.attentions = types}, message);
        lb_params *params = lb_params_new(5);
        lb_seq2seq seq2seq;
        lb_seq2seq_config config = {VOCABULARY, VOCABULARY, .own_attention = &type[i]};
        ck_assert_int_eq(lb_seq2seq_init(&seq2seq, params, "m", config), LB_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(lb_params_error(params), message));
        lb_params_free(params);
    }
}
END_TEST

static lb_attended_result ask_narrow(const lb_decoder_attention *attention, lb_tensor *query,
                                     const lb_attended_memory *memory)
{
    lb_attended_result result = support_paired.ask(attention, query, memory);
    result.weights = lb_slice(result.weights, 1, 0, 1);
    return result;
}

/* The sizes of the model are wrong. */
static void expect_shape_error(const lb_model *model, const char *message)
{
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(lb_greedy(model, sources(tape), LIMIT).batch, 0);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    ck_assert_str_eq(lb_tape_error(tape), message);
    lb_tape_clear_error(tape);
    ck_assert_int_eq(lb_beam_search(model, sources(tape), (lb_beam_config){.beam = 2}).batch, 0);
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    lb_tape_clear_error(tape);
    ck_assert(!lb_is_sound(lb_model_forward(model, sources(tape), sources(tape))));
    ck_assert_int_eq(lb_tape_status(tape), LB_ERROR_SHAPE);
    lb_tape_free(tape);
}

START_TEST(test_own_kinds_that_give_other_shapes_are_errors)
{
    lb_attention_type narrow = support_paired;
    narrow.ask = ask_narrow;
    lb_params *stores[] = {lb_params_new(1), lb_params_new(2), lb_params_new(3)};
    lb_model *blind = add_relay(stores[1]), *short_of_words = add_relay(stores[2]);
    blind->layers = blind->heads = 1;
    short_of_words->target_vocab++;
    expect_shape_error(add_seq2seq(stores[0], &narrow),
                       "model kind seq2seq did not return logits [2,1,8] with weights [2,2,1,3]");
    expect_shape_error(blind, "model kind a \"relay\" did not return logits [2,1,8] with weights [2,1,1,3]");
    expect_shape_error(short_of_words, "model kind a \"relay\" did not return logits [2,1,9]");
    for (int i = 0; i < 3; i++) lb_params_free(stores[i]);
}
END_TEST

/* Loads an ensemble of all kinds in this test. */
static lb_status load(const lb_safetensors *file)
{
    lb_error error = {0};
    lb_params *params = lb_params_new(1);
    const lb_model *loaded = params ? lb_model_load(file, params, &support_own, &error) : NULL;
    lb_params_free(params);
    return loaded ? LB_OK : params ? error.status : LB_ERROR_MEMORY;
}

START_TEST(test_load_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    lb_params *stores[] = {lb_params_new(1), lb_params_new(2)}, *both = lb_params_new(3);
    const lb_model *members[] = {add_relay(stores[0]), add_seq2seq(stores[1], &support_paired)};
    lb_ensemble *ensemble =
        support_gather(both, members, (const lb_params *const *)stores, 2, &support_own, NULL);
    ck_assert_ptr_nonnull(ensemble);
    lb_safetensors *written = save(&ensemble->base, both);
    lb_safetensors_close(written);
    lb_params_free(both);
    for (int i = 0; i < 2; i++) lb_params_free(stores[i]);

    support_watch_allocations();
    lb_safetensors *file = lb_safetensors_open(support_path("model.safetensors"), NULL);
    ck_assert_ptr_nonnull(file);
    long live = support_live_allocations(), before = support_allocation_count();
    ck_assert_int_eq(load(file), LB_OK);
    long all = support_allocation_count() - before;
    ck_assert_int_gt(all, 5);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        ck_assert_msg(load(file) == LB_ERROR_MEMORY, "allocation %ld", n);
        ck_assert_int_eq(support_live_allocations(), live);
        support_fail_allocation(n);
        lb_status status = load(file);
        ck_assert_msg(status == LB_OK || status == LB_ERROR_MEMORY, "allocation %ld alone", n);
        ck_assert_int_eq(support_live_allocations(), live);
    }
    support_fail_from_allocation(0);
    lb_safetensors_close(file);
}
END_TEST

START_TEST(test_gradient_of_own_kinds_matches_differences)
{
    for (int i = 0; i < 2; i++) {
        lb_tensor *all[32];
        lb_params *params = lb_params_new(5);
        lb_model *model = i ? add_relay(params) : add_seq2seq(params, &support_paired);
        int count = (int)lb_params_count(params);
        ck_assert_int_le(count, 32);
        for (int p = 0; p < count; p++) all[p] = lb_params_tensor(params, p);
        lb_error error = {0};
        ck_assert_msg(lb_gradcheck(loss_of, model, all, count, (lb_gradcheck_options){0}, &error) == LB_OK,
                      "%s", error.message);
        lb_params_free(params);
    }
}
END_TEST
