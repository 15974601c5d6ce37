/* Ensembles: against their members, in files, and in beam search. This test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/models.h"
#include "models/built_in.h"
#include "models/ensemble/ensemble.h"
#include "models/file/model_formats.h"
#include "support/alloc.h"
#include "support/gather.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "support/written.h"

#include <math.h>
#include <string.h>

enum { VOCABULARY = 7, ROWS = 3, SOURCE = 4, TARGET = 3, LIMIT = 6 };

#ifdef LB_REAL_IS_DOUBLE
static const double TOLERANCE = 1e-12;
#else
static const double TOLERANCE = 1e-5;
#endif

static const int32_t source_id[] = {4, 5, 6, 5, 5, 6, 4, 0, 6, 0, 0, 0}, source_lengths[] = {4, 3, 1};
static const int32_t target_id[] = {LB_BOS, 4, 5, LB_BOS, 6, 6, LB_BOS, 5, 0}, target_lengths[] = {3, 3, 2};

static lb_model *add_seq2seq(lb_params *params, const char *name, lb_attention_kind attention, int64_t hidden)
{
    lb_seq2seq_config config = {.source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .embed = 4};
    config.hidden = hidden;
    config.attention = attention;
    config.heads = 1;
    lb_seq2seq *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_seq2seq_init(model, params, name, config), LB_OK);
    return &model->base;
}

static lb_model *add_transformer(lb_params *params, const char *name, int64_t heads)
{
    lb_transformer_config config = {.source_vocab = VOCABULARY, .target_vocab = VOCABULARY, .width = 6};
    config.heads = heads;
    config.layers = 1;
    lb_transformer *model = lb_params_alloc(params, sizeof *model);
    ck_assert_int_eq(lb_transformer_init(model, params, name, config), LB_OK);
    return &model->base;
}

/* Weights so large that the models disagree. */
static void sharpen(lb_params *params)
{
    for (int64_t i = 0; i < lb_params_size(params); i++) lb_params_values(params)[i] *= 3;
}

/* Three models of two kinds, whose attention has one layer and one head. */
typedef struct trio {
    lb_params *params;
    lb_tape *tape;
    const lb_model *member[3];
    lb_ensemble ensemble;
    lb_tokens source, target;
} trio;

static trio open_trio(uint64_t seed)
{
    trio t = {.params = lb_params_new(seed), .tape = lb_tape_new()};
    t.member[0] = add_seq2seq(t.params, "member.0", LB_ATTENTION_ADDITIVE, 5);
    t.member[1] = add_transformer(t.params, "member.1", 1);
    t.member[2] = add_seq2seq(t.params, "member.2", LB_ATTENTION_GENERAL, 6);
    sharpen(t.params);
    t.source = (lb_tokens){t.tape, ROWS, SOURCE, source_id, source_lengths};
    t.target = (lb_tokens){t.tape, ROWS, TARGET, target_id, target_lengths};
    return t;
}

static void close_trio(trio *t)
{
    lb_tape_free(t->tape);
    lb_params_free(t->params);
}

static lb_model_step run(const lb_model *model, lb_tokens source, lb_tokens target)
{
    lb_model_step step = model->kind->decode(model, model->kind->encode(model, source), target);
    ck_assert_msg(lb_is_sound(step.logits), "%s", lb_tape_error(source.tape));
    return step;
}

START_TEST(test_ensemble_of_one_gives_what_its_member_gives)
{
    for (int m = 0; m < 3; m++) {
        trio t = open_trio(2);
        ck_assert_int_eq(lb_ensemble_init(&t.ensemble, &t.member[m], 1, NULL), LB_OK);
        lb_model_step own = run(t.member[m], t.source, t.target),
                      all = run(&t.ensemble.base, t.source, t.target);
        const lb_tensor *expected = lb_log_softmax(own.logits);
        ck_assert_mem_eq(all.logits->data, expected->data, (size_t)lb_count(expected) * sizeof(lb_real));
        ck_assert_mem_eq(all.weights->data, own.weights->data,
                         (size_t)lb_count(own.weights) * sizeof(lb_real));
        lb_decoded one = lb_greedy(t.member[m], t.source, LIMIT),
                   same = lb_greedy(&t.ensemble.base, t.source, LIMIT);
        ck_assert_int_eq(same.length, one.length);
        ck_assert_mem_eq(same.id, one.id, (size_t)(ROWS * one.length) * sizeof *one.id);
        close_trio(&t);
    }
}
END_TEST

START_TEST(test_ensemble_logits_and_weights_are_means_of_its_members)
{
    trio t = open_trio(3);
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, t.member, 3, NULL), LB_OK);
    ck_assert_int_eq(t.ensemble.base.layers, 1);
    ck_assert_int_eq(t.ensemble.base.heads, 1);
    lb_model_step all = run(&t.ensemble.base, t.source, t.target), own[3];
    for (int m = 0; m < 3; m++) own[m] = run(t.member[m], t.source, t.target);
    ck_assert(lb_shape_equal(all.logits->shape, LB_SHAPE(ROWS, TARGET, VOCABULARY)));
    ck_assert(lb_shape_equal(all.weights->shape, LB_SHAPE(ROWS, 1, TARGET, SOURCE)));
    for (int64_t i = 0; i < lb_count(all.logits); i++) {
        double expected = 0;
        for (int m = 0; m < 3; m++) {
            const lb_real *row = own[m].logits->data + i / VOCABULARY * VOCABULARY;
            double sum = 0;
            for (int k = 0; k < VOCABULARY; k++) sum += exp((double)row[k]);
            expected += ((double)own[m].logits->data[i] - log(sum)) / 3;
        }
        ck_assert_double_eq_tol((double)all.logits->data[i], expected, 10 * TOLERANCE);
    }
    for (int64_t i = 0; i < lb_count(all.weights); i++) {
        double expected = 0;
        for (int m = 0; m < 3; m++) expected += (double)own[m].weights->data[i] / 3;
        ck_assert_double_eq_tol((double)all.weights->data[i], expected, TOLERANCE);
    }
    close_trio(&t);
}
END_TEST

START_TEST(test_ensemble_whose_members_attend_differently_has_no_weights)
{
    trio t = open_trio(4);
    const lb_model *others[] = {add_transformer(t.params, "heads", 2),
                                add_seq2seq(t.params, "none", LB_ATTENTION_NONE, 5)};
    for (int i = 0; SUPPORT_ROW(i, others); i++) {
        const lb_model *members[] = {t.member[0], others[i], t.member[0]};
        ck_assert_int_eq(lb_ensemble_init(&t.ensemble, members, 3, NULL), LB_OK);
        ck_assert_int_eq(t.ensemble.base.layers, 0);
        ck_assert_int_eq(t.ensemble.base.heads, 0);
        ck_assert_ptr_null(run(&t.ensemble.base, t.source, t.target).weights);
        ck_assert_ptr_null(lb_greedy(&t.ensemble.base, t.source, LIMIT).weights);
        lb_beam found =
            lb_beam_search(&t.ensemble.base, t.source, (lb_beam_config){.beam = 2, .limit = LIMIT});
        ck_assert_int_eq(found.batch, ROWS);
        ck_assert_ptr_null(found.hypothesis->weights);
    }
    close_trio(&t);
}
END_TEST

START_TEST(test_ensemble_step_by_step_equals_teacher_forcing)
{
    trio t = open_trio(5);
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, t.member, 3, NULL), LB_OK);
    const lb_model *model = &t.ensemble.base;
    lb_beam found = lb_beam_search(model, t.source, (lb_beam_config){.beam = 4, .limit = LIMIT});
    ck_assert_int_eq(found.batch, ROWS);
    for (int64_t i = 0; i < ROWS * 4; i++) {
        const lb_hypothesis *h = &found.hypothesis[i];
        int32_t in[LIMIT + 1] = {LB_BOS}, length = (int32_t)h->steps;
        memcpy(in + 1, h->id, (size_t)(h->steps - 1) * sizeof *in);
        lb_tokens source = {t.tape, 1, SOURCE, source_id + i / 4 * SOURCE, source_lengths + i / 4};
        lb_model_step step = run(model, source, (lb_tokens){t.tape, 1, h->steps, in, &length});
        const lb_tensor *log_probabilities = support_log_probabilities(step.logits);
        double sum = 0;
        for (int64_t k = 0; k < h->steps; k++)
            sum += (double)log_probabilities->data[k * VOCABULARY + (k < h->length ? h->id[k] : LB_EOS)];
        ck_assert_double_eq_tol(h->score, sum / (double)h->steps, 10 * TOLERANCE);
        for (int64_t k = 0; k < h->steps * SOURCE; k++)
            ck_assert_double_eq_tol((double)h->weights[k], (double)step.weights->data[k], TOLERANCE);
    }
    close_trio(&t);
}
END_TEST

static void expect_same_outputs(const lb_model *a, const lb_model *b, lb_tape *tape)
{
    lb_tokens source = {tape, ROWS, SOURCE, source_id, source_lengths};
    lb_tokens target = {tape, ROWS, TARGET, target_id, target_lengths};
    lb_model_step one = run(a, source, target), other = run(b, source, target);
    ck_assert_mem_eq(one.logits->data, other.logits->data, (size_t)lb_count(one.logits) * sizeof(lb_real));
    ck_assert_mem_eq(one.weights->data, other.weights->data, (size_t)lb_count(one.weights) * sizeof(lb_real));
}

/* Saves the ensemble, loads it again, and compares the results. */
static void expect_round_trip(const lb_ensemble *ensemble, const lb_params *params, lb_tape *tape)
{
    lb_error error = {0};
    ck_assert_int_eq(lb_model_save(&ensemble->base, params, support_path("ensemble.safetensors"),
                                   (lb_checkpoint_extra){0}, NULL),
                     LB_OK);
    lb_safetensors *file = lb_safetensors_open(support_path("ensemble.safetensors"), NULL);
    ck_assert_ptr_nonnull(file);
    lb_params *again = lb_params_new(99);
    const lb_model *loaded = lb_model_load(file, again, NULL, &error);
    ck_assert_msg(loaded != NULL, "%s", error.message);
    ck_assert_ptr_eq(loaded->kind, &lb_ensemble_kind);
    ck_assert_int_eq(((const lb_ensemble *)loaded)->count, ensemble->count);
    ck_assert_int_eq(lb_params_count(again), lb_params_count(params));
    ck_assert_ptr_nonnull(lb_params_find(again, "member.1.output.weight"));
    expect_same_outputs(loaded, &ensemble->base, tape);
    lb_params_free(again);
    lb_safetensors_close(file);
}

START_TEST(test_ensemble_saved_and_loaded_computes_the_same_bits)
{
    trio t = open_trio(6);
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, t.member, 3, NULL), LB_OK);
    expect_round_trip(&t.ensemble, t.params, t.tape);
    close_trio(&t);
}
END_TEST

START_TEST(test_ensemble_of_ensembles_is_one)
{
    trio t = open_trio(7);
    lb_params *stores[] = {lb_params_new(1), lb_params_new(2)};
    const lb_model *pair[] = {add_seq2seq(stores[0], "", LB_ATTENTION_DOT, 5),
                              add_transformer(stores[1], "any", 1)};
    const lb_params *of_pair[] = {stores[0], stores[1]};
    lb_params *inner = lb_params_new(3), *outer = lb_params_new(4);
    lb_ensemble *both = support_gather(inner, pair, of_pair, 2, NULL, NULL);
    ck_assert_ptr_nonnull(both);
    ck_assert_ptr_nonnull(lb_params_find(inner, "member.0.output.weight"));
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, pair, 2, NULL), LB_OK);
    expect_same_outputs(&both->base, &t.ensemble.base, t.tape);
    const lb_model *members[] = {&both->base, pair[0]};
    const lb_params *of_members[] = {inner, stores[0]};
    lb_error error = {0};
    lb_ensemble *all = support_gather(outer, members, of_members, 2, NULL, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_ptr_nonnull(lb_params_find(outer, "member.0.member.1.output.weight"));
    expect_same_outputs(all->member[0], &both->base, t.tape);
    expect_same_outputs(all->member[1], pair[0], t.tape);
    lb_params_free(outer);
    lb_params_free(inner);
    lb_params_free(stores[1]);
    lb_params_free(stores[0]);
    close_trio(&t);
}
END_TEST

START_TEST(test_ensemble_impossible_members_are_errors)
{
    trio t = open_trio(8);
    lb_params *other = lb_params_new(1), *all = lb_params_new(2);
    lb_seq2seq wider;
    ck_assert_int_eq(
        lb_seq2seq_init(&wider, other, "", (lb_seq2seq_config){.source_vocab = 9, .target_vocab = 7}), LB_OK);
    const lb_model *members[] = {t.member[0], &wider.base};
    const lb_params *stores[] = {t.params, other};
    lb_error error = {0};
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, members, 0, NULL), LB_ERROR_ARGUMENT);
    ck_assert_int_eq(lb_ensemble_init(&t.ensemble, members, 2, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "model 1 has 9 and 7"));
    error = (lb_error){0};
    ck_assert_ptr_null(
        support_gather(all, members, stores, 2, NULL, &error)); /* the store holds three models */
    ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    lb_params_free(all);
    lb_params_free(other);
    close_trio(&t);
}
END_TEST

START_TEST(test_ensemble_configuration_that_makes_no_sense_is_refused)
{
    static const char *const bad[] = {
        "{}",
        "{\"members\":[]}",
        "{\"members\":3}",
        "{\"members\":[3]}",
        "{\"members\":[{\"kind\":\"oracle\",\"config\":{}}]}",
        "{\"members\":[{\"kind\":\"seq2seq\",\"config\":{}}]}",
        "{\"members\":[{\"kind\":\"transformer\"}]}",
        "{\"members\":[{\"kind\":\"ensemble\",\"config\":{\"members\":[]}}]}",
        "no JSON",
    };
    for (int i = 0; SUPPORT_ROW(i, bad); i++) {
        lb_error error = {0};
        const lb_safetensors_metadata metadata[] = {{"lookback.model", "ensemble"},
                                                    {"lookback.config", bad[i]}};
        lb_params *params = lb_params_new(1);
        lb_checkpoint_extra extra = {.metadata = metadata, .metadata_count = 2};
        ck_assert_int_eq(lb_checkpoint_save(params, support_path("bad.safetensors"), extra, NULL), LB_OK);
        lb_safetensors *file = lb_safetensors_open(support_path("bad.safetensors"), NULL);
        ck_assert_ptr_nonnull(file);
        ck_assert_ptr_null(lb_model_load(file, params, NULL, &error));
        ck_assert_msg(error.status == LB_ERROR_FORMAT, "%s: %s", bad[i], error.message);
        lb_safetensors_close(file);
        lb_params_free(params);
    }
}
END_TEST

/* Gathers, encodes, decodes, selects and saves. */
static lb_status try_all(const lb_model *const *members, const lb_params *const *stores)
{
    lb_error error = {0};
    lb_params *params = lb_params_new(1);
    lb_tape *tape = lb_tape_new();
    lb_ensemble *all = params && tape ? support_gather(params, members, stores, 2, NULL, &error) : NULL;
    lb_status status = all ? LB_OK : error.status ? error.status : LB_ERROR_MEMORY;
    if (all) {
        lb_tokens source = {tape, ROWS, SOURCE, source_id, source_lengths};
        lb_beam found = lb_beam_search(&all->base, source, (lb_beam_config){.beam = 3, .limit = LIMIT});
        status = lb_tape_status(tape);
        ck_assert_int_eq(found.batch, status ? 0 : ROWS);
    }
    if (!status)
        status = lb_model_save(&all->base, params, support_path("all.safetensors"), (lb_checkpoint_extra){0},
                               &error);
    lb_tape_free(tape);
    lb_params_free(params);
    return status;
}

START_TEST(test_ensemble_configuration_without_memory_for_a_part_is_none)
{
    lb_params *store = lb_params_new(1);
    const lb_model *members[] = {add_seq2seq(store, "a", LB_ATTENTION_ADDITIVE, 5),
                                 add_transformer(store, "b", 1)};
    lb_ensemble all;
    ck_assert_int_eq(lb_ensemble_init(&all, members, 2, NULL), LB_OK);
    char *whole = lb_model_config_json(&all.base);
    ck_assert_ptr_nonnull(whole);
    support_watch_allocations();
    for (long n = 1, used = 0; n > used; n++) {
        support_fail_allocation(n);
        long before = support_allocation_count();
        char *found = lb_model_config_json(&all.base);
        used = support_allocation_count() - before;
        ck_assert_msg(!found || strcmp(found, whole) == 0, "allocation %ld: %s", n, found);
        lb_release(found);
        if (found) break;
    }
    support_fail_allocation(0);
    ck_assert_int_eq(support_live_allocations(), 0);
    lb_release(whole);
    lb_params_free(store);
}
END_TEST

START_TEST(test_ensemble_any_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    lb_params *first = lb_params_new(1), *second = lb_params_new(2);
    const lb_model *members[] = {add_seq2seq(first, "", LB_ATTENTION_ADDITIVE, 5),
                                 add_transformer(second, "", 1)};
    const lb_params *stores[] = {first, second};
    long live = support_live_allocations(), before = support_allocation_count(), failed = 0;
    ck_assert_int_eq(try_all(members, stores), LB_OK);
    long all = support_allocation_count() - before;
    ck_assert_int_eq(support_live_allocations(), live);
    for (long n = 1; n <= all; n++) {
        support_fail_from_allocation(n);
        lb_status status = try_all(members, stores);
        ck_assert_msg(status == LB_ERROR_MEMORY, "allocation %ld: %s", n, lb_status_text(status));
        ck_assert_int_eq(support_live_allocations(), live);
        failed += status != LB_OK;
    }
    support_fail_from_allocation(0);
    ck_assert_int_eq(failed, all);
    lb_params_free(first);
    lb_params_free(second);
}
END_TEST
