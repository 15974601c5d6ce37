/* Models that copy from their source. This test runs in both precisions. */
#include "lookback/models.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "models/attention/copying.h"
#include "models/built_in.h"
#include "models/ensemble/ensemble.h"
#include "support/fixture.h"
#include "support/gather.h"
#include "support/model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "train/optimizer.h"

#include <math.h>
#include <string.h>

enum { SOURCE = 9, TARGET = 8, TRANSFORMER = LB_ATTENTION_LOCATION + 1 };

static const int kinds[] = {LB_ATTENTION_ADDITIVE,   LB_ATTENTION_DOT,        LB_ATTENTION_GENERAL,
                            LB_ATTENTION_SCALED_DOT, LB_ATTENTION_MULTI_HEAD, LB_ATTENTION_LOCAL_M,
                            LB_ATTENTION_COVERAGE,   LB_ATTENTION_LOCATION,   TRANSFORMER};
enum { KINDS = LB_LENGTH(kinds) };

/* Two source symbols are copied as the same one, two as the unknown symbol, one never. */
static const int32_t copied_as[SOURCE] = {0, 0, 0, LB_UNK, 4, 6, 6, LB_UNK, 0};
static const int32_t source_id[] = {4, 7, 5, 6, 8, 3, 0, 0}, source_lengths[] = {4, 2};
static const int32_t in_id[] = {LB_BOS, 4, LB_UNK, 6, LB_BOS, LB_UNK, 7, 0},
                     out_id[] = {4, LB_UNK, 6, LB_EOS, LB_UNK, 7, LB_EOS, 0};
static const int32_t target_lengths[] = {4, 3}, full_lengths[] = {4, 4};

typedef struct subject {
    lb_params *params;
    lb_model *model;
    lb_tape *tape;
} subject;

static int32_t symbol_of(const lb_model *model, int32_t source)
{
    const lb_copying *copying = lb_copying_of(model);
    return copying ? lb_copying_symbol(copying, source) : LB_PAD;
}

static lb_model *make_seq2seq(lb_params *params, lb_seq2seq_config config)
{
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    config.source_vocab = SOURCE;
    config.target_vocab = TARGET;
    config.embed = 3;
    config.hidden = 4;
    config.heads = 2;
    config.embedding_deviation = 1;
    lb_seq2seq_init(model, params, "", config);
    return &model->base;
}

static lb_model *make_transformer(lb_params *params, lb_transformer_config config)
{
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    config.source_vocab = SOURCE;
    config.target_vocab = TARGET;
    config.width = 6;
    config.heads = 2;
    config.feed_forward = 5;
    lb_transformer_init(model, params, "", config);
    return &model->base;
}

static lb_model *make_kind(lb_params *params, int kind)
{
    if (kind == TRANSFORMER) return make_transformer(params, (lb_transformer_config){.copy = true});
    return make_seq2seq(params,
                        (lb_seq2seq_config){.attention = (lb_attention_kind)kind, .copy = true, .layers = 2});
}

static subject make(int kind)
{
    lb_error error = {0};
    subject s = {.params = lb_params_new(5), .tape = lb_tape_new()};
    s.model = make_kind(s.params, kind);
    ck_assert_msg(lb_params_status(s.params) == LB_OK, "%s", lb_params_error(s.params));
    ck_assert_msg(lb_model_set_copies(s.model, copied_as, &error) == LB_OK, "%s", error.message);
    return s;
}

static void discard(subject s)
{
    lb_tape_free(s.tape);
    lb_params_free(s.params);
}

static lb_tokens source_of(lb_tape *tape)
{
    return (lb_tokens){tape, 2, 4, source_id, source_lengths};
}

static lb_tensor *loss_of(lb_tape *tape, void *context)
{
    const subject *s = context;
    lb_tokens in = {tape, 2, 4, in_id, target_lengths}, out = {tape, 2, 4, out_id, target_lengths};
    return lb_cross_entropy(lb_model_forward(s->model, source_of(tape), in), out, LB_PAD);
}

static void compare_with_pytorch(const char *name)
{
    support_model m = support_model_open(name);
    support_fixture_loosen(m.fixture, 4);
    lb_tokens source = support_fixture_tokens(m.fixture, m.tape, "input.source", "input.lengths", 0);
    lb_tokens in = support_fixture_tokens(m.fixture, m.tape, "input.target_in", NULL, 0);
    lb_tokens out = support_fixture_tokens(m.fixture, m.tape, "input.target_out", NULL, 0);
    lb_model_step step = m.model->kind->decode(m.model, m.model->kind->encode(m.model, source), in);
    ck_assert_msg(lb_tape_status(m.tape) == LB_OK, "%s", lb_tape_error(m.tape));
    support_fixture_compare(m.fixture, "output.logits", step.logits->data);
    if (m.seq2seq) support_fixture_compare(m.fixture, "output.weights", step.weights->data);
    lb_tensor *loss = lb_cross_entropy(step.logits, out, LB_PAD);
    support_fixture_backward(m.fixture, support_fixture_output(m.fixture, "loss", loss, NULL), m.params);
    support_model_close(m);
}

START_TEST(test_outputs_and_gradients_of_models_that_copy_equal_pytorch)
{
    compare_with_pytorch("seq2seq_copy");
    compare_with_pytorch("seq2seq_copy_multi_head");
    compare_with_pytorch("transformer_copy");
}
END_TEST

START_TEST(test_probabilities_of_a_model_that_copies_sum_to_one)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        subject s = make(kinds[k]);
        lb_tokens in = {s.tape, 2, 4, in_id, full_lengths};
        const lb_tensor *logits = lb_model_forward(s.model, source_of(s.tape), in);
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        for (int64_t row = 0; row < 8; row++) {
            double sum = 0;
            for (int64_t v = 0; v < TARGET; v++) sum += exp((double)logits->data[row * TARGET + v]);
            ck_assert_double_eq_tol(sum, 1, 1e-5);
        }
        discard(s);
    }
}
END_TEST

/* The gate is shut by its bias: the probabilities are the attention of the positions. */
START_TEST(test_a_model_that_only_copies_gives_symbols_the_attention_of_their_positions)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        subject s = make(kinds[k]);
        const lb_copying *copying = lb_copying_of(s.model);
        memset(copying->gate.weight->data, 0, (size_t)lb_count(copying->gate.weight) * sizeof(lb_real));
        copying->gate.bias->data[0] = -40;
        lb_tokens in = {s.tape, 2, 4, in_id, full_lengths};
        lb_model_step step =
            s.model->kind->decode(s.model, s.model->kind->encode(s.model, source_of(s.tape)), in);
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        int64_t maps = s.model->layers * s.model->heads, heads = s.model->heads;
        for (int64_t t = 0; t < 8; t++) {
            double expected[TARGET] = {0};
            for (int64_t head = 0; head < heads; head++)
                for (int64_t i = 0; i < 4; i++) {
                    int64_t map = t / 4 * maps + maps - heads + head;
                    int32_t symbol = source_id[t / 4 * 4 + i];
                    expected[copied_as[symbol]] +=
                        (double)step.weights->data[(map * 4 + t % 4) * 4 + i] / (double)heads;
                }
            for (int64_t v = 0; SUPPORT_ROW(v, expected); v++)
                ck_assert_double_eq_tol(exp((double)step.logits->data[t * TARGET + v]), expected[v], 1e-5);
        }
        discard(s);
    }
}
END_TEST

START_TEST(test_decoding_of_a_model_that_copies_step_by_step_equals_all_at_once)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        subject s = make(kinds[k]);
        lb_tokens in = {s.tape, 2, 4, in_id, full_lengths};
        const lb_tensor *whole = lb_model_forward(s.model, source_of(s.tape), in);
        static const int64_t turned[] = {1, 0};
        lb_decoder_state state = s.model->kind->encode(s.model, source_of(s.tape));
        state = s.model->kind->select(s.model, s.tape, state, turned, 2);
        for (int64_t t = 0; t < 4; t++) {
            const int32_t id[] = {in_id[4 + t], in_id[t]}, one[] = {1, 1};
            lb_model_step step = s.model->kind->decode(s.model, state, (lb_tokens){s.tape, 2, 1, id, one});
            ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
            state = step.state;
            for (int64_t row = 0; row < 2; row++)
                for (int64_t v = 0; v < TARGET; v++)
                    ck_assert_double_eq_tol((double)step.logits->data[row * TARGET + v],
                                            (double)whole->data[((1 - row) * 4 + t) * TARGET + v], 1e-5);
        }
        discard(s);
    }
}
END_TEST

START_TEST(test_beam_of_one_finds_what_greedy_decoding_of_a_model_that_copies_finds)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        subject s = make(kinds[k]);
        lb_decoded greedy = lb_greedy(s.model, source_of(s.tape), 6);
        lb_beam one = lb_beam_search(s.model, source_of(s.tape), (lb_beam_config){.limit = 6});
        lb_beam wide = lb_beam_search(s.model, source_of(s.tape), (lb_beam_config){.beam = 4, .limit = 6});
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        for (int64_t row = 0; row < 2; row++) {
            ck_assert_int_eq(one.hypothesis[row].length, greedy.lengths[row]);
            for (int64_t t = 0; t < greedy.lengths[row]; t++)
                ck_assert_int_eq(one.hypothesis[row].id[t], greedy.id[row * greedy.length + t]);
            if (one.hypothesis[row].finished)
                ck_assert_double_ge(wide.hypothesis[row * wide.n_best].score,
                                    one.hypothesis[row].score - 1e-5);
        }
        discard(s);
    }
}
END_TEST

START_TEST(test_training_leaves_the_symbols_as_they_are)
{
    subject s = make(LB_ATTENTION_ADDITIVE);
    lb_optimizer *adam = lb_optimizer_new(
        s.params, (lb_optimizer_config){.lr = (lb_real)0.02, .weight_decay = (lb_real)0.001});
    double first = 0, last = 0;
    for (int step = 0; step < 200; step++) {
        lb_tape_reset(s.tape);
        lb_tensor *loss = loss_of(s.tape, &s);
        ck_assert_int_eq(lb_backward(loss, NULL), LB_OK);
        last = (double)lb_item(loss);
        if (step == 0) first = last;
        ck_assert_int_eq(lb_optimizer_step(adam, NULL), LB_OK);
    }
    ck_assert_double_lt(last, first / 2);
    for (int32_t i = 0; i < SOURCE; i++) ck_assert_int_eq(symbol_of(s.model, i), copied_as[i]);
    lb_optimizer_free(adam);
    discard(s);
}
END_TEST

START_TEST(test_set_copies_refuses_symbols_that_the_target_does_not_have_and_models_that_do_not_copy)
{
    lb_error error = {0};
    subject s = make(TRANSFORMER);
    int32_t wrong[SOURCE] = {0};
    wrong[5] = TARGET;
    ck_assert_int_eq(lb_model_set_copies(s.model, wrong, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message,
                     "the source symbol 5 is copied as 8, expected a target symbol from 0 to 7");
    ck_assert_int_eq(symbol_of(s.model, 4), 4);
    ck_assert_int_eq(symbol_of(s.model, -1), LB_PAD);
    ck_assert_int_eq(symbol_of(s.model, SOURCE), LB_PAD);
    lb_params *params = lb_params_new(1);
    lb_model *plain = make_seq2seq(params, (lb_seq2seq_config){0});
    ck_assert(!plain->copies);
    error = (lb_error){0};
    ck_assert_int_eq(symbol_of(plain, 4), LB_PAD);
    ck_assert_int_eq(lb_model_set_copies(plain, copied_as, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found a model that does not copy, expected one that does");
    lb_params_free(params);
    discard(s);
}
END_TEST

static void expect_refusal(lb_seq2seq_config config, const char *message)
{
    lb_params *params = lb_params_new(1);
    config.copy = true;
    make_seq2seq(params, config);
    ck_assert_int_eq(lb_params_status(params), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(lb_params_error(params), message);
    lb_params_free(params);
}

START_TEST(test_copying_without_soft_attention_or_with_sparse_outputs_is_an_error)
{
    expect_refusal((lb_seq2seq_config){.attention = LB_ATTENTION_NONE},
                   ": found the attention none, expected a soft one for copying");
    expect_refusal((lb_seq2seq_config){.attention = LB_ATTENTION_MONOTONIC},
                   ": found the attention monotonic, expected a soft one for copying");
    expect_refusal((lb_seq2seq_config){.attention = LB_ATTENTION_LOCAL_P},
                   ": found the attention local-p, expected one whose weights sum to 1 for copying");
    expect_refusal((lb_seq2seq_config){.output = LB_ENTMAX},
                   ": found the loss entmax, expected cross-entropy for copying");
    lb_params *params = lb_params_new(1);
    make_transformer(params, (lb_transformer_config){.copy = true, .output = LB_SPARSEMAX});
    ck_assert_str_eq(lb_params_error(params),
                     ": found the loss sparsemax, expected cross-entropy for copying");
    lb_params_free(params);
}
END_TEST

static const lb_model *load(const char *path, lb_params *params, lb_error *error)
{
    lb_safetensors *file = lb_safetensors_open(path, error);
    ck_assert_msg(file, "%s", error->message);
    const lb_model *loaded = lb_model_load(file, params, NULL, error);
    lb_safetensors_close(file);
    return loaded;
}

/* What follows the symbols in memory is not one. */
START_TEST(test_symbols_that_the_source_does_not_have_are_not_copied)
{
    enum { ALIGNED = 16 };
    lb_params *params = lb_params_new(1);
    lb_copying copying;
    ck_assert_int_eq(lb_copying_init(&copying, params, "copy", &(lb_model){.source_vocab = ALIGNED}, 4),
                     LB_OK);
    lb_params_add(params, "", "next", LB_SHAPE(ALIGNED), (lb_init){LB_INIT_CONSTANT, 7});
    for (int i = 0; i < ALIGNED; i++) lb_params_find(params, "copy.symbols")->data[i] = 5;
    ck_assert_int_eq(lb_copying_symbol(&copying, ALIGNED - 1), 5);
    ck_assert_int_eq(lb_copying_symbol(&copying, ALIGNED), LB_PAD);
    ck_assert_int_eq(lb_copying_symbol(&copying, -1), LB_PAD);
    lb_params_free(params);
}
END_TEST

START_TEST(test_model_that_copies_is_loaded_as_it_was_saved)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        lb_error error = {0};
        subject s = make(kinds[k]);
        ck_assert_msg(lb_model_save(s.model, s.params, support_path("model.safetensors"),
                                    (lb_checkpoint_extra){0}, &error) == LB_OK,
                      "%s", error.message);
        lb_params *params = lb_params_new(9);
        const lb_model *loaded = load(support_path("model.safetensors"), params, &error);
        ck_assert_msg(loaded, "%s", error.message);
        lb_tokens in = {s.tape, 2, 4, in_id, target_lengths};
        const lb_tensor *before = lb_model_forward(s.model, source_of(s.tape), in),
                        *after = lb_model_forward(loaded, source_of(s.tape), in);
        ck_assert_msg(lb_tape_status(s.tape) == LB_OK, "%s", lb_tape_error(s.tape));
        ck_assert_mem_eq(before->data, after->data, (size_t)lb_count(before) * sizeof *before->data);
        for (int32_t i = 0; i < SOURCE; i++) ck_assert_int_eq(symbol_of(loaded, i), copied_as[i]);
        lb_params_free(params);
        discard(s);
    }
}
END_TEST

START_TEST(test_model_file_with_impossible_symbols_is_an_error_of_format)
{
    static const lb_real damaged[] = {-1, TARGET, (lb_real)2.5, (lb_real)3e9};
    for (int i = 0; SUPPORT_ROW(i, damaged); i++) {
        lb_error error = {0};
        subject s = make(LB_ATTENTION_ADDITIVE);
        lb_copying_of(s.model)->symbols->data[4] = damaged[i];
        ck_assert_int_eq(lb_model_save(s.model, s.params, support_path("model.safetensors"),
                                       (lb_checkpoint_extra){0}, &error),
                         LB_OK);
        lb_params *params = lb_params_new(9);
        ck_assert_ptr_null(load(support_path("model.safetensors"), params, &error));
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        ck_assert_msg(strstr(error.message, "the source symbol 4 is copied as "), "%s", error.message);
        ck_assert_msg(strstr(error.message, "expected a target symbol from 0 to 7"), "%s", error.message);
        lb_params_free(params);
        discard(s);
    }
}
END_TEST

/* A member that copies has its symbols in the file of the ensemble, too. */
START_TEST(test_ensemble_with_a_member_that_copies_keeps_its_symbols)
{
    lb_error error = {0};
    subject s = make(LB_ATTENTION_ADDITIVE);
    lb_params *plain_params = lb_params_new(3), *both = lb_params_new(0), *read = lb_params_new(0);
    const lb_model *members[] = {make_seq2seq(plain_params, (lb_seq2seq_config){0}), s.model};
    const lb_params *stores[] = {plain_params, s.params};
    lb_ensemble *all = support_gather(both, members, stores, 2, NULL, &error);
    ck_assert_msg(all, "%s", error.message);
    ck_assert(all->base.copies);
    const char *path = support_path("model.safetensors");
    ck_assert_int_eq(lb_model_save(&all->base, both, path, (lb_checkpoint_extra){0}, &error), LB_OK);
    const lb_model *loaded = load(path, read, &error);
    ck_assert_msg(loaded, "%s", error.message);
    for (int32_t i = 0; i < SOURCE; i++) ck_assert_int_eq(symbol_of(loaded, i), copied_as[i]);
    lb_copying_of(&all->base)->symbols->data[4] = -3;
    ck_assert_int_eq(lb_model_save(&all->base, both, path, (lb_checkpoint_extra){0}, &error), LB_OK);
    lb_params *again = lb_params_new(0);
    ck_assert_ptr_null(load(path, again, &error));
    ck_assert_msg(strstr(error.message, "is copied as -3"), "%s", error.message);
    lb_params_free(again);
    lb_params_free(read);
    lb_params_free(both);
    lb_params_free(plain_params);
    discard(s);
}
END_TEST

/* The common map is the mean of those of the members, each by the mean over the heads of its last layer. */
static void expect_last_layer(const lb_ensemble *all, lb_tape *tape)
{
    lb_tokens source = source_of(tape), target = {tape, 2, 4, in_id, full_lengths};
    const lb_model *model = &all->base;
    const lb_tensor *found = model->kind->decode(model, model->kind->encode(model, source), target).weights;
    for (int64_t i = 0; i < lb_count(found); i++) {
        int64_t row = i / 16, cell = i % 16;
        double expected = 0;
        for (int m = 0; m < all->count; m++) {
            const lb_model *member = all->member[m];
            const lb_tensor *own =
                member->kind->decode(member, member->kind->encode(member, source), target).weights;
            int64_t maps = member->layers * member->heads;
            for (int64_t map = maps - member->heads; map < maps; map++)
                expected += (double)own->data[(row * maps + map) * 16 + cell] / (double)(2 * member->heads);
        }
        ck_assert_double_eq_tol((double)found->data[i], expected, 1e-5);
    }
}

/* Members with other numbers of heads: one map, and the same step by step as all at once. */
START_TEST(test_ensemble_of_different_kinds_that_copy_has_one_map_in_common)
{
    lb_error error = {0};
    subject gru = make(LB_ATTENTION_ADDITIVE), transformer = make(TRANSFORMER);
    const lb_model *members[] = {gru.model, transformer.model};
    lb_ensemble all;
    ck_assert_int_eq(lb_ensemble_init(&all, members, 2, &error), LB_OK);
    ck_assert_int_eq(all.base.layers * all.base.heads, 1);
    lb_beam found = lb_beam_search(&all.base, source_of(gru.tape), (lb_beam_config){.beam = 3, .limit = 5});
    ck_assert_msg(found.batch == 2, "%s", lb_tape_error(gru.tape));
    for (int64_t i = 0; i < found.batch * found.n_best; i++)
        for (int64_t step = 0; step < found.hypothesis[i].steps; step++) {
            double sum = 0;
            for (int64_t k = 0; k < 4; k++) sum += (double)found.hypothesis[i].weights[step * 4 + k];
            ck_assert_double_eq_tol(sum, 1, 1e-5);
        }
    expect_last_layer(&all, gru.tape);
    discard(gru);
    discard(transformer);
}
END_TEST

START_TEST(test_ensemble_of_different_kinds_that_do_not_copy_has_no_attention)
{
    lb_error error = {0};
    lb_params *params = lb_params_new(1), *others = lb_params_new(2);
    const lb_model *members[] = {make_seq2seq(params, (lb_seq2seq_config){0}),
                                 make_transformer(others, (lb_transformer_config){0})};
    lb_ensemble all;
    ck_assert_int_eq(lb_ensemble_init(&all, members, 2, &error), LB_OK);
    ck_assert_int_eq(all.base.layers * all.base.heads, 0);
    lb_params_free(params);
    lb_params_free(others);
}
END_TEST

#ifdef LB_REAL_IS_DOUBLE
START_TEST(test_gradient_of_models_that_copy_matches_differences)
{
    for (int k = 0; SUPPORT_ROW(k, kinds); k++) {
        subject s = make(kinds[k]);
        lb_tensor *all[128];
        int count = 0;
        for (int i = 0; i < lb_params_count(s.params); i++)
            if (lb_params_tensor(s.params, i)->requires_grad) all[count++] = lb_params_tensor(s.params, i);
        lb_error error = {0};
        ck_assert_int_lt(count, LB_LENGTH(all));
        ck_assert_int_eq(count, lb_params_count(s.params) - 1);
        ck_assert_msg(lb_gradcheck(loss_of, &s, all, count, (lb_gradcheck_options){0}, &error) == LB_OK,
                      "kind %d: %s", kinds[k], error.message);
        discard(s);
    }
}
END_TEST
#endif
