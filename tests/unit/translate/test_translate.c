/* Many texts at once: n-best outputs, probabilities, symbols and attention, and that texts do not affect each other.
 * It takes seconds. */
#include "support/pair_model.h"
#include "support/small_training.h"
#include "support/sort_model.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include "translate/file/text_model.h"
#include <lookback/translate.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TSH "t\xca\x83"

/* Made once, in main. */
static const char *model, *ensemble, *beginner, *plain, *sorter, *unsure;

static lb_error error;

static lb_translations *translate_all(lb_translator *translator, const char *const *texts, size_t count,
                                      lb_translate_config config)
{
    lb_translations *all = lb_translate_all(translator, texts, (int64_t)count, config, &error);
    ck_assert_msg(all != NULL, "%s", error.message);
    ck_assert_int_eq(all->count, (int64_t)count);
    return all;
}

START_TEST(test_translate_all_n_best_outputs_have_falling_scores_and_probabilities)
{
    static const char *const texts[] = {"bad", "cab"}, *const best[] = {"B A " TSH, "C A B"};
    lb_translator *translator = support_open_model(model);
    lb_translations *all = translate_all(translator, texts, 2, (lb_translate_config){.n_best = 4});
    for (int i = 0; SUPPORT_ROW(i, best); i++) {
        const lb_translation *text = &all->text[i];
        double before = 0, sum = 0;
        ck_assert_int_eq(text->count, 4);
        ck_assert_str_eq(text->output->text, best[i]);
        for (int n = 0; n < 4; n++) {
            const lb_output *output = &text->output[n];
            ck_assert(output->score <= before || !output->finished);
            ck_assert_double_eq_tol(output->probability, exp(output->score * (double)output->steps), 1e-12);
            ck_assert_int_eq(output->steps, output->length + output->finished);
            ck_assert_ptr_null(output->weights);
            before = output->score;
            sum += output->probability;
            for (int other = 0; other < n; other++) ck_assert_str_ne(output->text, text->output[other].text);
        }
        ck_assert(sum <= 1 + 1e-6);
        ck_assert_double_gt(text->output->probability, 0.5);
    }
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_all_probability_does_not_depend_on_the_length_penalty)
{
    static const double penalties[] = {-1, 0.5, 2};
    const char *text = "bad";
    lb_translator *translator = support_open_model(model);
    lb_translations *usual = translate_all(translator, &text, 1, (lb_translate_config){0});
    for (int i = 0; SUPPORT_ROW(i, penalties); i++) {
        lb_translations *other =
            translate_all(translator, &text, 1, (lb_translate_config){.length_penalty = penalties[i]});
        ck_assert_str_eq(other->text->output->text, usual->text->output->text);
        ck_assert_double_ne(other->text->output->score, usual->text->output->score);
        ck_assert_double_eq_tol(other->text->output->probability, usual->text->output->probability, 1e-9);
        lb_translations_free(other);
    }
    lb_translations_free(usual);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_all_gives_symbols_and_those_that_are_unknown)
{
    const char *text = "bx\xc3\xa9yx";
    lb_translator *translator = support_open_model(model);
    lb_translations *all = translate_all(translator, &text, 1, (lb_translate_config){0});
    static const char *const symbols[] = {"b", "x", "e", "\xcc\x81", "y", "x"}, *const unknown[] = {"x", "y",
                                                                                                    "x"};
    ck_assert_int_eq(all->text->length, 6);
    for (int i = 0; SUPPORT_ROW(i, symbols); i++) ck_assert_str_eq(all->text->symbol[i], symbols[i]);
    ck_assert_int_eq(all->text->unknown_count, 3);
    for (int i = 0; SUPPORT_ROW(i, unknown); i++) ck_assert_str_eq(all->text->unknown[i], unknown[i]);
    lb_translations_free(all);
    text = "bad";
    all = translate_all(translator, &text, 1, (lb_translate_config){0});
    lb_translator_close(translator); /* the result does not depend on the translator */
    ck_assert_int_eq(all->text->unknown_count, 0);
    ck_assert_int_eq(all->text->output->length, 3);
    ck_assert_str_eq(all->text->output->symbol[2], TSH);
    lb_translations_free(all);
}
END_TEST

/* Each row of weights sums to 1, also if shorter texts were padded. */
static void expect_rows_of_one(const lb_translations *all, int64_t n_best)
{
    for (int64_t i = 0; i < all->count; i++)
        for (int64_t n = 0; n < n_best; n++) {
            const lb_output *output = &all->text[i].output[n];
            int64_t rows = all->layers * all->heads * output->steps, width = all->text[i].length;
            ck_assert_int_gt(rows, 0);
            ck_assert_ptr_nonnull(output->weights);
            for (int64_t row = 0; row < rows; row++) {
                double sum = 0;
                for (int64_t k = 0; k < width; k++) {
                    SUPPORT_CHECK(output->weights[row * width + k] >= 0, "a negative weight");
                    sum += (double)output->weights[row * width + k];
                }
                SUPPORT_CHECK(fabs(sum - 1) < 1e-5, "text %lld, row %lld: %g", (long long)i, (long long)row,
                              sum);
            }
        }
}

START_TEST(test_translate_all_attention_of_each_step_sums_to_1)
{
    static const char *const texts[] = {"a", "abcabc", "bad"}, *const lists[] = {"7", "3 1 2 9", "5 5"};
    const lb_translate_config config = {.attention = true, .n_best = 2};
    const char *const paths[] = {model, ensemble, sorter};
    for (int i = 0; SUPPORT_ROW(i, paths); i++) {
        lb_translator *translator = support_open_model(paths[i]);
        lb_translations *all = translate_all(translator, i == 2 ? lists : texts, 3, config);
        ck_assert_int_eq(all->layers, 1);
        ck_assert_int_eq(all->heads, 1);
        expect_rows_of_one(all, 2);
        lb_translations_free(all);
        lb_translator_close(translator);
    }
    lb_translator *translator = support_open_model(plain);
    lb_translations *all = translate_all(translator, texts, 3, config);
    ck_assert_int_eq(all->heads, 0);
    ck_assert_ptr_null(all->text->output->weights);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

enum { MANY = 500, WORD = 12 };

static void make_words(char words[MANY][WORD], const char *texts[MANY])
{
    for (int i = 0; i < MANY; i++) {
        lb_rng rng = {.seed = 4};
        uint64_t at = (uint64_t)i * 16, length = 1 + lb_rng_below(rng, at, 9);
        for (uint64_t n = 0; n < length; n++)
            words[i][n] = (char)('a' + (int)lb_rng_below(rng, at + n + 1, 5));
        words[i][length] = '\0';
        texts[i] = words[i];
    }
}

/* The two outputs of a text in a batch are those of the text alone. They may change places if rounding decides which is
 * the best: alone, the sums have another order. */
static void expect_same_outputs(const char *text, const lb_output *batch, const lb_output *alone)
{
    bool tie = fabs(alone[0].score - alone[1].score) < 1e-6;
    bool swapped = tie && strcmp(batch[0].text, alone[0].text) != 0;
    for (int n = 0; n < 2; n++) {
        const lb_output *a = &batch[n], *b = &alone[swapped ? 1 - n : n];
        SUPPORT_CHECK(strcmp(a->text, b->text) == 0 && fabs(a->score - b->score) < 1e-4,
                      "%s: %s %g, alone %s %g", text, a->text, a->score, b->text, b->score);
    }
}

START_TEST(test_translate_all_equals_texts_one_by_one)
{
    static char words[MANY][WORD];
    const char *texts[MANY];
    const struct {
        const char *path;
        int limit;
    } cases[] = {{model, 0}, {ensemble, 0}, {unsure, 0}, {unsure, 3}};
    make_words(words, texts);
    for (int c = 0; c < 4; c++) {
        const lb_translate_config config = {.n_best = 2, .limit = cases[c].limit};
        lb_translator *translator = support_open_model(cases[c].path);
        lb_translations *all = translate_all(translator, texts, MANY, config);
        for (int i = 0; i < MANY; i++) {
            lb_translations *one = translate_all(translator, &texts[i], 1, config);
            expect_same_outputs(texts[i], all->text[i].output, one->text->output);
            lb_translations_free(one);
        }
        lb_translations_free(all);
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_translate_all_of_no_texts_is_empty)
{
    lb_translator *translator = support_open_model(model);
    lb_translations *none = translate_all(translator, NULL, 0, (lb_translate_config){0});
    ck_assert_int_eq(none->layers, 1);
    lb_translations_free(none);
    lb_translations_free(NULL);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_all_limit_cuts_outputs_off)
{
    const char *text = "abc";
    lb_translator *translator = support_open_model(beginner);
    lb_translations *usual = translate_all(translator, &text, 1, (lb_translate_config){.beam = 1});
    ck_assert(!usual->text->output->finished);
    ck_assert_int_eq(usual->text->output->length, 20); /* twice the longest training text, 6, plus 8 */
    lb_translations *cut = translate_all(translator, &text, 1, (lb_translate_config){.beam = 1, .limit = 3});
    ck_assert(!cut->text->output->finished);
    ck_assert_int_eq(cut->text->output->length, 3);
    ck_assert_int_eq(cut->text->output->steps, 3);
    lb_translations_free(usual);
    lb_translations_free(cut);
    lb_translator_close(translator);
}
END_TEST

/* The best score of a beam for each of 216 words, and their sum. */
static double scores(lb_translator *translator, int beam, double score[216])
{
    char word[216][4];
    const char *texts[216];
    double sum = 0;
    for (int i = 0; i < 216; i++) {
        const char letters[] = {(char)('a' + i % 5), (char)('a' + i / 6 % 5), (char)('a' + i / 36 % 5)};
        snprintf(word[i], sizeof word[i], "%.*s", 1 + i % 3, letters);
        texts[i] = word[i];
    }
    lb_translations *all = translate_all(translator, texts, 216, (lb_translate_config){.beam = beam});
    for (int i = 0; i < 216; i++) {
        const lb_output *output = all->text[i].output;
        score[i] = output->finished ? output->score : -INFINITY;
        sum += output->finished ? output->score : -10;
    }
    lb_translations_free(all);
    return sum;
}

START_TEST(test_translate_all_no_beam_scores_below_greedy_decoding)
{
    const char *const models[] = {model, plain, ensemble, unsure};
    for (int m = 0; SUPPORT_ROW(m, models); m++) {
        double greedy[216], found[216];
        lb_translator *translator = support_open_model(models[m]);
        double before = scores(translator, 1, greedy);
        for (int beam = 2; beam <= 8; beam += 3) {
            double sum = scores(translator, beam, found);
            for (int i = 0; i < 216; i++) ck_assert_double_ge(found[i], greedy[i] - 1e-5);
            ck_assert_double_ge(sum, before - 1e-3);
            before = sum;
        }
        lb_translator_close(translator);
    }
}
END_TEST

START_TEST(test_translate_all_prefix_is_kept_and_shorter_than_the_limit)
{
    static const char *const texts[] = {"bad", "cab"}, *const prefixes[] = {"C B", NULL};
    lb_translator *translator = support_open_model(model);
    lb_translate_config config = {.beam = 2, .limit = 3, .prefixes = prefixes};
    lb_translations *all = translate_all(translator, texts, 2, config);
    ck_assert_int_eq(strncmp(all->text[0].output->text, "C B", 3), 0);
    ck_assert_int_eq(strncmp(all->text[1].output->text, "C A", 3), 0);
    lb_translations_free(all);
    config.limit = 2;
    ck_assert_ptr_null(lb_translate_all(translator, texts, 2, config, &error));
    ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
    ck_assert_str_eq(error.message,
                     "text 0: the beginning of the output has 2 symbols, expected fewer than 2");
    config.skip_bad_texts = true;
    all = translate_all(translator, texts, 2, config);
    ck_assert_str_eq(all->text[0].error, "the beginning of the output has 2 symbols, expected fewer than 2");
    ck_assert_int_eq(all->text[0].count, 0);
    ck_assert_int_gt(all->text[1].count, 0);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

/* As many texts as fill the least room of a tape, and one that the model is not given beside them. */
START_TEST(test_translate_all_prefix_is_that_of_its_text)
{
    enum { TEXTS = 9 };
    static const char *const starts[] = {"A", "B", "C", "A B"};
    const char *texts[TEXTS], *prefixes[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        texts[i] = i < TEXTS - 1 ? "bad" : "\xff";
        prefixes[i] = starts[i % 4];
    }
    lb_translator *translator = support_open_model(model);
    lb_translate_config config = {.beam = 2, .limit = 4, .prefixes = prefixes, .skip_bad_texts = true};
    lb_translations *all = translate_all(translator, texts, TEXTS, config);
    for (int i = 0; i < TEXTS - 1; i++) {
        config.prefixes = prefixes + i;
        lb_translations *alone = translate_all(translator, texts + i, 1, config);
        ck_assert_int_eq(strncmp(all->text[i].output->text, prefixes[i], strlen(prefixes[i])), 0);
        ck_assert_str_eq(all->text[i].output->text, alone->text->output->text);
        lb_translations_free(alone);
    }
    ck_assert_ptr_nonnull(all->text[TEXTS - 1].error);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_all_impossible_configuration_is_refused)
{
    const char *text = "bad";
    static const char *const prefix[] = {"B"};
    static const lb_translate_config wrong[] = {{.beam = -1},
                                                {.n_best = -1},
                                                {.prefixes = prefix, .sample = true},
                                                {.beam = LB_MOST_BEAM + 1},
                                                {.n_best = LB_MOST_BEAM + 1},
                                                {.limit = LB_MOST_LIMIT + 1},
                                                {.limit = INT64_MAX},
                                                {.length_penalty = INFINITY},
                                                {.length_penalty = -INFINITY},
                                                {.length_penalty = NAN},
                                                {.length_penalty = 10.5},
                                                {.temperature = INFINITY, .sample = true},
                                                {.limit = -1}};
    lb_translator *translator = support_open_model(model);
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        error = (lb_error){0};
        ck_assert_ptr_null(lb_translate_all(translator, &text, 1, wrong[i], &error));
        ck_assert_int_eq(error.status, LB_ERROR_ARGUMENT);
    }
    ck_assert_str_eq(error.message, "limit: found -1, expected 0 to 65535");
    ck_assert_ptr_null(lb_translate_all(translator, &text, 1, wrong[0], NULL));
    error = (lb_error){0};
    ck_assert_ptr_null(lb_translate_all(translator, &text, -1, (lb_translate_config){0}, &error));
    ck_assert_str_eq(error.message, "found -1 texts, expected 0 or more");
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_translate_all_more_outputs_than_the_model_has_symbols_can_be_asked_for)
{
    enum { OUTPUTS = 30 }; /* of 10 symbols */
    const char *text = "bad";
    error = (lb_error){0};
    lb_translator *translator = support_open_model(model);
    lb_translations *found =
        lb_translate_all(translator, &text, 1, (lb_translate_config){.n_best = OUTPUTS}, &error);
    ck_assert_msg(found != NULL, "%s", error.message);
    ck_assert_int_eq(found->text->count, OUTPUTS);
    for (int i = 1; i < OUTPUTS; i++)
        ck_assert_str_ne(found->text->output[i].text, found->text->output[i - 1].text);
    lb_translations_free(found);
    lb_translator_close(translator);
}
END_TEST

/* Weights that are numbers, but so large that what follows from them is none. */
START_TEST(test_translate_all_scores_that_are_not_finite_are_an_error)
{
    static const char *const text[] = {"bad"}, *const target[] = {"B A"};
    lb_text_model loaded;
    lb_safetensors *file = lb_safetensors_open(model, &error);
    ck_assert_int_eq(lb_text_model_load(file, NULL, &loaded, &error), LB_OK);
    lb_tensor *weight = lb_params_find(loaded.params, "output.weight");
    for (int64_t i = 0; i < lb_count(weight); i++) weight->data[i] = weight->data[i] > 0 ? FLT_MAX : -FLT_MAX;
    ck_assert_int_eq(lb_text_model_save(support_path("huge.safetensors"), &loaded, &error), LB_OK);
    lb_text_model_free(&loaded);
    lb_safetensors_close(file);
    lb_translator *translator = support_open_model(support_path("huge.safetensors"));
    for (int beam = 1; beam <= 5; beam += 4) {
        const lb_translate_config config = {.beam = beam};
        ck_assert_ptr_null(lb_translate_all(translator, text, 1, config, &error));
        ck_assert_int_eq(error.status, LB_ERROR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.message, "not finite"));
    }
    error = (lb_error){0};
    ck_assert_ptr_null(lb_translator_score(translator, text, target, 1, (lb_score_config){0}, &error));
    ck_assert_ptr_nonnull(strstr(error.message, "not finite"));
    lb_translator_close(translator);
}
END_TEST

int main(void)
{
    model = support_train_pair_model("model.safetensors", 600, LB_ATTENTION_ADDITIVE);
    plain = support_train_pair_model("plain.safetensors", 600, LB_ATTENTION_NONE);
    ensemble = support_train_pair_model("ensemble.safetensors", 600, SUPPORT_ENSEMBLE);
    beginner = support_train_pair_model("beginner.safetensors", 0, LB_ATTENTION_ADDITIVE);
    unsure = support_train_pair_model("unsure.safetensors", 60, LB_ATTENTION_ADDITIVE);
    sorter = support_train_model("sort.safetensors", 500, LB_ATTENTION_ADDITIVE);
    return support_run_tests();
}
