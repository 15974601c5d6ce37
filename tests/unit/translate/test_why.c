/* What outputs depend on: erasure and gradients against models whose embeddings are changed by hand, and patching. This
 * test runs in both precisions. */
#include "autograd/op.h"
#include "lookback/lookback.h"
#include "models/built_in.h"
#include "support/every_model.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VOCABULARY = SUPPORT_VOCABULARY, MOST = 64 };

static const char text[] = "dabce", other[] = "bcade";

static const double ROUNDING = sizeof(lb_real) == sizeof(double) ? 1e-12 : 2e-6;
/* Of differences, and how far they are from a gradient at most. */
static const double NUDGE = sizeof(lb_real) == sizeof(double) ? 1e-5 : 1e-2;
static const double SLOPE = sizeof(lb_real) == sizeof(double) ? 1e-8 : 1e-3;

/* ---- Models with weights as they are initialised, in files. ---- */

static const char *save(const lb_model *model, const lb_params *params, const char *name)
{
    lb_error error = {0};
    lb_vocabulary *symbols = lb_vocabulary_new_reserved(NULL);
    ck_assert_int_eq(lb_vocabulary_add(symbols, (const char *const[]){"a", "b", "c", "d", "e"}, 5, NULL),
                     LB_OK);
    ck_assert_int_eq(lb_vocabulary_size(symbols), VOCABULARY);
    const char *path = support_path(name);
    lb_translator_texts texts = {
        .source = symbols, .target = symbols, .longest_source = 5, .longest_target = 4};
    ck_assert_msg(lb_translator_save(model, params, path, texts, &error) == LB_OK, "%s", error.message);
    lb_vocabulary_free(symbols);
    return path;
}

static const char *make_seq2seq(lb_seq2seq_config config, bool backward, uint64_t seed, const char *name)
{
    lb_seq2seq model;
    lb_params *params = lb_params_new(seed);
    config.source_vocab = config.target_vocab = VOCABULARY;
    config.embed = 6;
    config.hidden = 8;
    config.heads = 2;
    config.embedding_deviation = 1;
    ck_assert_msg(lb_seq2seq_init(&model, params, "", config) == LB_OK, "%s", lb_params_error(params));
    model.base.from_end = backward;
    for (int64_t i = 0; config.output != LB_SOFTMAX && i < lb_params_size(params); i++)
        lb_params_values(params)[i] *= 4; /* some symbols are impossible */
    if (config.copy)
        ck_assert_int_eq(
            lb_model_set_copies(&model.base, (const int32_t[VOCABULARY]){0, 0, 0, 3, 4, 5, 6, 7, 8}, NULL),
            LB_OK);
    const char *path = save(&model.base, params, name);
    lb_params_free(params);
    return path;
}

static const char *make_transformer(lb_transformer_config config, uint64_t seed, const char *name)
{
    lb_transformer model;
    lb_params *params = lb_params_new(seed);
    config.source_vocab = config.target_vocab = VOCABULARY;
    config.width = 8;
    config.heads = 2;
    ck_assert_msg(lb_transformer_init(&model, params, "", config) == LB_OK, "%s", lb_params_error(params));
    if (config.feature_positions) model.source_features->data[LB_FIRST_TOKEN] = 1;
    const char *path = save(&model.base, params, name);
    lb_params_free(params);
    return path;
}

/* Calls it with the file of each model of a list. */
static void for_each_model(void (*check)(const char *path))
{
    static const lb_transformer_config transformers[] = {
        {.layers = 2, .dropout = 0.5F},
        {.layers = 1, .positions = LB_POSITIONAL_ROTARY},
        {.layers = 1, .feature_positions = true},
        {.layers = 1, .no_self_attention = true, .no_feed_forward = true}};
    for (int kind = 0; lb_attention_names[kind]; kind++)
        for (int variant = 0; variant < 2; variant++) {
            lb_seq2seq_config config = {.attention = (lb_attention_kind)kind,
                                        .cell = variant ? LB_CELL_LSTM : LB_CELL_GRU,
                                        .dropout = (lb_real)0.3 * (lb_real)variant,
                                        .copy = variant && !lb_built_in_attentions[kind]->copying_needs};
            check(make_seq2seq(config, variant == 1, 3, "model.safetensors"));
        }
    for (int i = 0; SUPPORT_ROW(i, transformers); i++)
        check(make_transformer(transformers[i], 3, "model.safetensors"));
}

/* ---- A model, and what it says of an output. ---- */

static lb_translations *translate(const lb_translator *translator, lb_translate_config config)
{
    static const char *const texts[] = {text};
    lb_error error = {0};
    config.limit = 4;
    lb_translations *all = lb_translate_all(translator, texts, 1, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    return all;
}

/* The row of a symbol in the embedding of the source. */
static lb_real *embedding_of(const lb_translator *translator, char symbol, int64_t *width)
{
    const lb_model *model = lb_translator_about(translator).model;
    bool transformer = strcmp(model->kind->name, "transformer") == 0;
    lb_tensor *weight = transformer ? ((const lb_transformer *)model)->source_embedding.weight
                                    : ((const lb_seq2seq *)model)->source_embedding.weight;
    *width = lb_dim(weight, 1);
    return weight->data + (LB_FIRST_TOKEN + symbol - 'a') * *width;
}

static int impossible; /* symbols, so far */

/* The log-probability of each symbol of an output, with the embedding of one symbol of the text multiplied. */
static void force_with(const lb_translator *translator, const lb_output *output, char symbol, double factor,
                       double log_probability[MOST])
{
    int64_t width;
    const char *const sources[] = {text}, *const targets[] = {output->text};
    lb_real kept[16], *row = embedding_of(translator, symbol, &width);
    memcpy(kept, row, (size_t)width * sizeof *row);
    for (int64_t k = 0; k < width; k++) row[k] *= (lb_real)factor;
    lb_translations *all = lb_translator_score(translator, sources, targets, 1, (lb_score_config){0}, NULL);
    memcpy(row, kept, (size_t)width * sizeof *row);
    ck_assert_ptr_nonnull(all);
    ck_assert_int_eq(all->text->output->length, output->length);
    for (int64_t t = 0; t < output->steps; t++) { /* the end is there, too, whether it was written or not */
        log_probability[t] = fmax(log(all->text->output->symbol_probability[t]), -1000);
        impossible += log_probability[t] == -1000;
    }
    lb_translations_free(all);
}

static int64_t text_length(void)
{
    return (int64_t)strlen(text);
}

static void check_erasure(const char *path)
{
    lb_translator *translator = support_open_model(path);
    lb_translations *all = translate(translator, (lb_translate_config){.erasure = true});
    const lb_output *output = all->text->output;
    double whole[MOST], without[MOST], most = 0;
    ck_assert_ptr_nonnull(output->erasure);
    ck_assert_ptr_null(output->gradient);
    ck_assert_ptr_null(output->patched);
    force_with(translator, output, 'a', 1, whole);
    for (int64_t i = 0; i < text_length(); i++) {
        force_with(translator, output, text[i], 0, without);
        for (int64_t t = 0; t < output->steps; t++) {
            double found = (double)output->erasure[t * text_length() + i];
            ck_assert_double_eq_tol(found, whole[t] - without[t], ROUNDING);
            most = fmax(most, fabs(found));
        }
    }
    ck_assert_double_gt(most, 1e-4);
    lb_translations_free(all);
    lb_translator_close(translator);
}

START_TEST(test_erasure_is_what_is_lost_with_an_embedding_of_zeros)
{
    for_each_model(check_erasure);
}
END_TEST

/* A factor of the embedding has the derivative that the gradient times the embedding is. */
static double check_gradient_of(const lb_translator *translator, const lb_output *output, double nudge,
                                double tolerance, const char *name)
{
    double above[MOST], below[MOST], most = 0;
    ck_assert_ptr_nonnull(output->gradient);
    for (int64_t i = 0; i < text_length(); i++) {
        force_with(translator, output, text[i], 1 + nudge, above);
        force_with(translator, output, text[i], 1 - nudge, below);
        for (int64_t t = 0; t < output->steps; t++) {
            double found = (double)output->gradient[t * text_length() + i];
            double expected = (above[t] - below[t]) / (2 * nudge);
            SUPPORT_CHECK(isfinite(found) && fabs(found - expected) <= tolerance,
                          "%s: step %d, symbol %d: found %g, expected %g", name, (int)t, (int)i, found,
                          expected);
            most = fmax(most, fabs(found));
        }
    }
    return most;
}

static void check_gradient(const char *path)
{
    lb_translator *translator = support_open_model(path);
    lb_translations *all = translate(translator, (lb_translate_config){.gradient = true});
    ck_assert_double_gt(check_gradient_of(translator, all->text->output, NUDGE, SLOPE, path), 1e-3);
    lb_translations_free(all);
    lb_translator_close(translator);
}

START_TEST(test_gradient_is_that_of_a_factor_of_the_embedding)
{
    for_each_model(check_gradient);
}
END_TEST

static int moved;

/* Small, because sparse probabilities and ReLUs have corners. In float, differences would be too coarse for that. */
static void check_gradient_of_every(const support_every_model *m)
{
    const double SMALL = 1e-7, tolerance = sizeof(lb_real) == sizeof(double) ? 1e-4 : (double)INFINITY;
    lb_translator *translator = support_open_model(save(m->model, m->params, "every.safetensors"));
    lb_translations *all = translate(translator, (lb_translate_config){.gradient = true});
    moved += check_gradient_of(translator, all->text->output, SMALL, tolerance, m->config) > 1e-3;
    lb_translations_free(all);
    lb_translator_close(translator);
}

START_TEST(test_gradient_of_every_model_is_finite_and_that_of_a_factor)
{
    int count = support_for_every_model(false, check_gradient_of_every);
    ck_assert_int_gt(count, 200);
    ck_assert_int_gt(moved, count * 3 / 4);
}
END_TEST

/* ---- Patching. ---- */

static const lb_patched *patched_at(const lb_output *output, const char *name, int64_t layer, int64_t head)
{
    for (int64_t i = 0; i < output->patched_count; i++)
        if (strcmp(output->patched[i].name, name) == 0 && output->patched[i].layer == layer &&
            output->patched[i].head == head)
            return &output->patched[i];
    ck_abort_msg("found no %s", name);
}

/* The embeddings are all that a model knows of a text, unless it copies, or knows what is a feature. */
static void check_patching(const char *path)
{
    const char *const others[] = {other}, *const same[] = {text};
    lb_translator *translator = support_open_model(path);
    const lb_model *model = lb_translator_about(translator).model;
    bool types =
        model->kind == &lb_transformer_kind && ((const lb_transformer *)model)->config.feature_positions;
    lb_translations *all = translate(translator, (lb_translate_config){.patch = others});
    const lb_output *output = all->text->output;
    const lb_patched *embedding = patched_at(output, "encoder.embedding", -1, -1);
    double most = 0;
    for (int64_t t = 0; t < output->steps; t++) {
        if (!model->copies && !types)
            ck_assert_double_eq_tol(embedding->returned[t], output->lost[t], ROUNDING);
        most = fmax(most, fabs(output->lost[t]));
    }
    ck_assert_double_gt(most, 1e-4);
    lb_translations_free(all);
    all = translate(translator, (lb_translate_config){.patch = same});
    output = all->text->output;
    for (int64_t i = 0; i < output->steps * output->patched_count; i++)
        ck_assert_double_eq_tol(output->patched->returned[i], 0, ROUNDING);
    lb_translations_free(all);
    lb_translator_close(translator);
}

START_TEST(test_patching_the_embeddings_returns_all_that_is_lost)
{
    for_each_model(check_patching);
}
END_TEST

/* The value of a point in a run, and its place in another one. */
typedef struct carrier {
    bool plays;
    lb_real value[256];
} carrier;

static lb_tensor *carry(void *context, const lb_watch_point *point, lb_tensor *value)
{
    carrier *c = context;
    if (strcmp(point->name, "cross.context") != 0 || point->layer != 1 || point->head != 1) return NULL;
    ck_assert_int_le(lb_count(value), LB_LENGTH(c->value));
    if (c->plays) return lb_tensor_new(value->tape, value->shape, c->value);
    memcpy(c->value, value->data, (size_t)lb_count(value) * sizeof *value->data);
    return NULL;
}

static void score_with(const lb_translator *translator, const char *source, const char *target,
                       lb_watcher watch, double log_probability[MOST])
{
    lb_score_config config = {.watch = watch};
    lb_translations *all = lb_translator_score(translator, &source, &target, 1, config, NULL);
    for (int64_t t = 0; t < all->text->output->steps; t++)
        log_probability[t] = log(all->text->output->symbol_probability[t]);
    lb_translations_free(all);
}

START_TEST(test_patching_a_head_is_what_a_watcher_does_by_hand)
{
    const char *const others[] = {other};
    lb_translator *translator =
        support_open_model(make_transformer((lb_transformer_config){.layers = 2}, 3, "t.safetensors"));
    lb_translations *all = translate(translator, (lb_translate_config){.patch = others});
    const lb_output *output = all->text->output;
    double clean[MOST], corrupted[MOST], patched[MOST], most = 0;
    carrier c = {.plays = false};
    score_with(translator, text, output->text, (lb_watcher){carry, &c}, clean);
    score_with(translator, other, output->text, (lb_watcher){0}, corrupted);
    c.plays = true;
    score_with(translator, other, output->text, (lb_watcher){carry, &c}, patched);
    const double *returned = patched_at(output, "cross.context", 1, 1)->returned;
    for (int64_t t = 0; t < output->steps; t++) {
        ck_assert_double_eq_tol(output->lost[t], clean[t] - corrupted[t], ROUNDING);
        ck_assert_double_eq_tol(returned[t], patched[t] - corrupted[t], ROUNDING);
        most = fmax(most, fabs(returned[t]));
    }
    ck_assert_double_gt(most, 1e-6);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

/* ---- Ensembles, and members that vote. ---- */

static void check_ensemble(bool votes, lb_normalizer output_of_one)
{
    const char *joined;
    lb_error error = {0};
    lb_seq2seq_config config = {.attention = LB_ATTENTION_GENERAL};
    const char *models[2] = {NULL, make_seq2seq(config, votes, 4, "two.safetensors")};
    config.output = output_of_one;
    models[0] = make_seq2seq(config, false, 3, "one.safetensors");
    lb_join_config join = {
        .models = models, .count = 2, .out = joined = support_path(votes ? "votes" : "both")};
    ck_assert_msg(lb_translator_join(join, NULL, &error) == LB_OK, "%s", error.message);
    lb_translator *both = support_open_model(joined);
    const char *const others[] = {other};
    lb_translations *all =
        translate(both, (lb_translate_config){.erasure = true, .gradient = true, .patch = others});
    const lb_output *output = all->text->output;
    double expected[MOST][5] = {{0}}, slope[MOST][5] = {{0}}, lost[MOST] = {0}, whole[MOST], changed[MOST];
    for (int m = 0; m < 2; m++) {
        lb_translator *one = support_open_model(models[m]);
        force_with(one, output, 'a', 1, whole);
        for (int64_t i = 0; i < text_length(); i++) {
            force_with(one, output, text[i], 0, changed);
            for (int64_t t = 0; t < output->steps; t++) expected[t][i] += (whole[t] - changed[t]) / 2;
            for (int side = -1; side <= 1; side += 2) {
                force_with(one, output, text[i], 1 + side * NUDGE, changed);
                for (int64_t t = 0; t < output->steps; t++) slope[t][i] += side * changed[t] / (4 * NUDGE);
            }
        }
        score_with(one, other, output->text, (lb_watcher){0}, changed);
        for (int64_t t = 0; t < output->steps; t++) changed[t] = fmax(changed[t], -1000);
        for (int64_t t = 0; t < output->steps; t++) lost[t] += (whole[t] - changed[t]) / 2;
        lb_translator_close(one);
    }
    for (int64_t t = 0; t < output->steps; t++) {
        ck_assert_double_eq_tol(output->lost[t], lost[t], ROUNDING * fmax(1, fabs(lost[t])));
        for (int64_t i = 0; i < text_length(); i++) {
            int64_t at = t * text_length() + i;
            ck_assert_double_eq_tol((double)output->erasure[at], expected[t][i],
                                    ROUNDING * fmax(1, fabs(expected[t][i])));
            ck_assert_double_eq_tol((double)output->gradient[at], slope[t][i], SLOPE);
        }
    }
    lb_translations_free(all);
    lb_translator_close(both);
}

START_TEST(test_why_of_an_ensemble_is_the_mean_of_its_members)
{
    check_ensemble(false, LB_SOFTMAX);
    check_ensemble(true, LB_SOFTMAX);
    ck_assert_int_eq(impossible, 0);
}
END_TEST

/* Its log-probability counts as -1000, which does not change. */
START_TEST(test_why_of_a_symbol_that_is_impossible_for_a_member_is_that_of_the_other)
{
    check_ensemble(false, LB_SPARSEMAX);
    ck_assert_int_gt(impossible, 0);
}
END_TEST

/* ---- What has none, and what is refused. ---- */

static bool stop_at_once(void *context)
{
    return ++*(int *)context > 40; /* it has written by then */
}

START_TEST(test_why_of_one_symbol_has_a_gradient_and_no_erasure)
{
    static const char *const short_text[] = {"a"};
    lb_translator *translator = support_open_model(
        make_seq2seq((lb_seq2seq_config){.attention = LB_ATTENTION_DOT}, false, 3, "s.safetensors"));
    lb_translations *all = lb_translate_all(translator, short_text, 1,
                                            (lb_translate_config){.erasure = true, .gradient = true}, NULL);
    ck_assert_ptr_null(all->text->output->erasure);
    ck_assert_ptr_nonnull(all->text->output->gradient);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_why_measures_as_many_outputs_as_asked)
{
    static const char *const texts[] = {text}, *const others[] = {other};
    lb_translator *translator = support_open_model(
        make_seq2seq((lb_seq2seq_config){.attention = LB_ATTENTION_DOT}, false, 3, "m.safetensors"));
    lb_translate_config config = {
        .beam = 3, .n_best = 3, .limit = 4, .erasure = true, .gradient = true, .patch = others};
    lb_translations *all = lb_translate_all(translator, texts, 1, config, NULL);
    config.measured = 1;
    lb_translations *best = lb_translate_all(translator, texts, 1, config, NULL);
    ck_assert_int_eq(best->text->count, 3);
    const lb_output *measured = best->text->output, *expected = all->text->output;
    size_t cells = (size_t)(expected->steps * best->text->length) * sizeof *expected->erasure;
    ck_assert_int_eq(memcmp(measured->erasure, expected->erasure, cells), 0);
    ck_assert_int_eq(memcmp(measured->gradient, expected->gradient, cells), 0);
    for (int i = 1; i < 3; i++) {
        ck_assert_str_eq(measured[i].text, expected[i].text);
        ck_assert(expected[i].erasure && expected[i].gradient && expected[i].patched);
        ck_assert(!measured[i].erasure && !measured[i].gradient && !measured[i].patched);
    }
    lb_translations_free(best);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_why_refuses_a_text_of_another_length_and_can_be_interrupted)
{
    lb_error error = {0};
    int asked = 0;
    static const char *const texts[] = {text}, *const others[] = {"ab"};
    lb_translator *translator =
        support_open_model(make_transformer((lb_transformer_config){.layers = 1}, 3, "s.safetensors"));
    ck_assert_ptr_null(
        lb_translate_all(translator, texts, 1, (lb_translate_config){.patch = others}, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message, "text 0 to patch: found 2 symbols, expected 5, as the text has");
    error = (lb_error){0};
    lb_translate_config config = {
        .erasure = true, .gradient = true, .n_best = 50, .beam = 50, .stop = stop_at_once, .context = &asked};
    ck_assert_ptr_null(lb_translate_all(translator, texts, 1, config, &error));
    ck_assert_int_eq(error.status, LB_ERROR_INTERRUPTED);
    lb_translator_close(translator);
}
END_TEST
