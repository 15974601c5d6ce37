/* Models that copy, from training to outputs: words to reverse, half of whose letters become capitals, and with
 * letters that the training does not have.
 * It takes seconds. */
#include "models/attention/copying.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 400, TESTED = 40, LETTERS = 16 };

static lb_error error;
static int64_t stop_after; /* steps; 0: never */
static const char *train_file, *dev_file, *out;

static int32_t symbol_of(const lb_model *model, int32_t source)
{
    const lb_copying *copying = lb_copying_of(model);
    return copying ? lb_copying_symbol(copying, source) : LB_PAD;
}

static bool stop(void *context)
{
    (void)context;
    return stop_after > 0 && stop_after-- == 1;
}

/* A word of three to six letters from a to p. With `strange`, one or two of them are from Q to Z. */
static void make_word(char word[8], uint32_t number, bool strange)
{
    lb_rng rng = {.seed = strange ? 12 : 11, .step = number};
    int length = 3 + (int)lb_rng_below(rng, 0, 4);
    for (int i = 0; i < length; i++) word[i] = (char)('a' + lb_rng_below(rng, 1 + (uint64_t)i, LETTERS));
    word[length] = '\0';
    for (uint64_t i = 0; strange && i < 1 + number % 2; i++)
        word[lb_rng_below(rng, 20 + 2 * i, (uint64_t)length)] =
            (char)('Q' + lb_rng_below(rng, 21 + 2 * i, 10));
}

/* Of the letters a to h in capitals. */
static void reverse(const char *word, char reversed[8])
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++) {
        char letter = word[length - 1 - i];
        reversed[i] = (char)(letter >= 'a' && letter <= 'h' ? letter - 'a' + 'A' : letter);
    }
    reversed[length] = '\0';
}

static void write_words(const char *path, int count, uint32_t first, bool strange)
{
    char *text = malloc((size_t)count * 24), word[8], reversed[8];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        make_word(word, first + (uint32_t)i, strange);
        reverse(word, reversed);
        used += (size_t)sprintf(text + used, "%s\t%s\n", word, reversed);
    }
    support_write_file(path, text, used);
    free(text);
}

static lb_training_config usual(void)
{
    lb_set_threads(1);
    write_words(train_file = support_path("train.tsv"), PAIRS, 0, false);
    write_words(dev_file = support_path("dev.tsv"), TESTED, 5000, true);
    return (lb_training_config){.train = train_file,
                                .dev = dev_file,
                                .embed = 16,
                                .hidden = 32,
                                .heads = 2,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = 0.015,
                                .batch = 16,
                                .evaluate_every = 100,
                                .steps = 500,
                                .patience = -1,
                                .film = -1,
                                .copy = true,
                                .seed = 1,
                                .out = out = support_path("out"),
                                .stop = stop};
}

/* How many words with strange letters the model reverses. */
static int count_right(lb_translator *t, lb_translate_config config)
{
    char words[TESTED][8], reversed[8];
    const char *texts[TESTED];
    int right = 0;
    for (uint32_t i = 0; i < TESTED; i++) {
        make_word(words[i], 9000 + i, true);
        texts[i] = words[i];
    }
    lb_translations *all = lb_translate_all(t, texts, TESTED, config, &error);
    ck_assert_msg(all, "%s", error.message);
    for (int i = 0; i < TESTED; i++) {
        reverse(words[i], reversed);
        right += strcmp(all->text[i].output[0].text, reversed) == 0;
    }
    lb_translations_free(all);
    return right;
}

static int count_of(const char *path, lb_translate_config config)
{
    lb_translator *t = support_open_model(path);
    int right = count_right(t, config);
    lb_translator_close(t);
    return right;
}

START_TEST(test_a_model_that_copies_writes_letters_that_the_training_does_not_have)
{
    lb_training_config config = usual();
    lb_training_result with = support_small_train(&config);
    ck_assert_double_ge(with.dev.exact_match, 0.8);
    ck_assert_int_ge(count_of(out, (lb_translate_config){0}), TESTED * 8 / 10);
    ck_assert_int_ge(count_of(out, (lb_translate_config){.beam = 1}), TESTED * 8 / 10);
    ck_assert_int_ge(count_of(out, (lb_translate_config){.sample = true, .temperature = 0.1}),
                     TESTED * 7 / 10);
    config.copy = false;
    config.fresh = true;
    lb_training_result without = support_small_train(&config);
    ck_assert_double_eq(without.dev.exact_match, 0);
    ck_assert_int_eq(count_of(out, (lb_translate_config){0}), 0);
}
END_TEST

static const struct {
    const char *model, *direction;
    lb_attention_kind attention;
    lb_normalizer weights;
    lb_cell_kind cell;
    double lr;
    int steps;
} kinds[] = {
    {NULL, "backward", LB_ATTENTION_GENERAL, LB_SOFTMAX, LB_CELL_GRU, 0.01, 500},
    {NULL, NULL, LB_ATTENTION_MULTI_HEAD, LB_ENTMAX, LB_CELL_LSTM, 0.01, 700},
    {"transformer", NULL, LB_ATTENTION_ADDITIVE, LB_SOFTMAX, LB_CELL_GRU, 0.003, 1500},
};

START_LOOP_TEST(test_every_kind_of_model_learns_to_copy, sizeof kinds / sizeof *kinds)
{
    lb_training_config config = usual();
    config.model = kinds[_i].model;
    config.direction = kinds[_i].direction;
    config.attention = kinds[_i].attention;
    config.attention_weights = kinds[_i].weights;
    config.cell = kinds[_i].cell;
    config.lr = kinds[_i].lr;
    config.steps = kinds[_i].steps;
    if (config.model) config.embed = 0;
    support_small_train(&config);
    int right = count_of(out, (lb_translate_config){0});
    ck_assert_msg(right >= TESTED * 6 / 10, "kind %d: %d of %d", _i, right, (int)TESTED);
}
END_TEST

START_TEST(test_training_that_copies_resumes_with_the_same_bits_on_any_number_of_threads)
{
    static const char *const models[] = {NULL, "transformer"};
    for (int i = 0; SUPPORT_ROW(i, models); i++) {
        lb_training_config config = usual();
        config.model = models[i];
        config.embed = i ? 0 : 16;
        config.dropout = 0.2;
        config.steps = 90;
        config.evaluate_every = 30;
        config.fresh = true;
        support_small_train(&config);
        config.out = support_path("stopped");
        stop_after = 40;
        lb_set_threads(2);
        ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
        config.fresh = false;
        lb_set_threads(4);
        support_small_train(&config);
        support_assert_same_weights("out/model.safetensors", "stopped/model.safetensors");
    }
}
END_TEST

static int32_t copied_as(lb_translator *t, const char *symbol)
{
    lb_translator_facts facts = lb_translator_about(t);
    return symbol_of(facts.model, lb_vocabulary_id(facts.source, symbol));
}

START_TEST(test_copying_belongs_to_the_run_and_to_a_model_that_starts_from_it)
{
    lb_training_config config = usual();
    config.copy = false;
    config.steps = 20;
    support_small_train(&config);
    config.copy = true;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "copy"), "%s", error.message);
    config.fresh = true;
    support_small_train(&config);
    lb_translator *t = support_open_model(out);
    ck_assert_int_gt(copied_as(t, "k"), LB_UNK);
    ck_assert_int_eq(copied_as(t, "k"), lb_vocabulary_id(lb_translator_about(t).target, "k"));
    ck_assert_int_eq(copied_as(t, "a"), LB_UNK);
    ck_assert_int_eq(copied_as(t, "Q"), LB_UNK);
    lb_translator_close(t);
    /* Z is new, and then known to both sides; Y is only in sources. */
    static const char pairs[] = "kbZ\tZBk\ncdY\tDC\nefp\tpFE\nabc\tCBA\n";
    support_write_file(support_path("more.tsv"), pairs, sizeof pairs - 1);
    lb_training_config next = {.from = out,
                               .train = support_path("more.tsv"),
                               .dev = dev_file,
                               .steps = 10,
                               .out = support_path("second")};
    support_small_train(&next);
    t = support_open_model(support_path("second"));
    ck_assert(lb_translator_about(t).model->copies);
    ck_assert_int_gt(copied_as(t, "Z"), LB_UNK);
    ck_assert_int_eq(copied_as(t, "Z"), lb_vocabulary_id(lb_translator_about(t).target, "Z"));
    ck_assert_int_ne(lb_vocabulary_id(lb_translator_about(t).source, "Y"), LB_UNK);
    ck_assert_int_eq(copied_as(t, "Y"), LB_UNK);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_copying_with_what_it_cannot_have_is_an_error)
{
    lb_training_config config = usual();
    config.attention = LB_ATTENTION_HARD;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "copy: found the attention hard, expected a soft one");
    error = (lb_error){0};
    config.attention = LB_ATTENTION_NONE;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "copy: found the attention none, expected a soft one");
    error = (lb_error){0};
    config.attention = LB_ATTENTION_LOCAL_P;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "copy: found the attention local-p, expected one whose weights sum to 1");
    error = (lb_error){0};
    config.attention = LB_ATTENTION_GENERAL;
    config.loss = LB_ENTMAX;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "copy: found the loss entmax, expected cross-entropy");
}
END_TEST

/* Two that copy decode together; one that writes from the end votes with them. */
START_TEST(test_ensembles_and_votes_copy)
{
    lb_training_config config = usual();
    config.seeds = 2;
    support_small_train(&config);
    ck_assert_int_ge(count_of(out, (lb_translate_config){0}), TESTED * 8 / 10);
    ck_assert_int_ge(count_of(out, (lb_translate_config){.member = 2}), TESTED * 7 / 10);
    config.seeds = 1;
    config.direction = "backward";
    config.out = support_path("backward");
    support_small_train(&config);
    const char *const models[] = {out, support_path("backward")};
    lb_join_config join = {.models = models, .count = 2, .out = support_path("both"), .data = &config};
    lb_join_result result;
    ck_assert_msg(lb_translator_join(join, &result, &error) == LB_OK, "%s", error.message);
    ck_assert_str_eq(result.member[0].label, "additive-copy");
    ck_assert_str_eq(result.member[2].label, "additive-copy-backward");
    ck_assert_double_ge(result.dev.exact_match, 0.8);
    ck_assert_int_ge(count_of(support_path("both"), (lb_translate_config){0}), TESTED * 8 / 10);
}
END_TEST

/* Members with other numbers of heads. */
START_TEST(test_ensemble_of_different_kinds_copies)
{
    lb_training_config config = usual();
    support_small_train(&config);
    config.attention = LB_ATTENTION_MULTI_HEAD;
    config.out = support_path("heads");
    support_small_train(&config);
    const char *const models[] = {out, support_path("heads")};
    lb_join_config join = {.models = models, .count = 2, .out = support_path("both")};
    ck_assert_msg(lb_translator_join(join, NULL, &error) == LB_OK, "%s", error.message);
    ck_assert_int_ge(count_of(support_path("both"), (lb_translate_config){0}), TESTED * 8 / 10);
}
END_TEST

/* The unknown letter of a target is the one that the model points at. */
START_TEST(test_score_of_a_copied_letter_is_the_probability_of_the_output)
{
    static const char *const text = "abQd";
    lb_training_config config = usual();
    support_small_train(&config);
    lb_translator *t = support_open_model(out);
    lb_translate_config search = {.n_best = 3, .attention = true};
    lb_translations *all = lb_translate_all(t, &text, 1, search, &error);
    ck_assert_msg(all, "%s", error.message);
    const lb_output *output = all->text->output;
    ck_assert_str_eq(output->text, "DQBA");
    lb_translations *scored =
        lb_translator_score(t, &text, &(const char *){output->text}, 1, (lb_score_config){0}, &error);
    ck_assert_msg(scored, "%s", error.message);
    ck_assert_double_eq_tol(exp(scored->text->output->score), output->probability, 1e-5);
    lb_likeliest *l = lb_translate_likeliest(t, all->text, output, 2, &error);
    ck_assert_msg(l, "%s", error.message);
    ck_assert_double_eq_tol(l->probability[2], output->symbol_probability[1], 1e-5);
    lb_likeliest_free(l);
    lb_translations_free(scored);
    lb_translations_free(all);
    lb_translator_close(t);
}
END_TEST

/* Also where an unlikely output looks elsewhere while it copies: the letters i to p are symbols of the targets. */
START_TEST(test_only_letters_that_targets_do_not_have_are_pointed_at)
{
    static const char *const texts[] = {"abQp", "Xponm", "iljkR", "mfSgT"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    lb_training_config config = usual();
    support_small_train(&config);
    lb_translator *t = support_open_model(out);
    lb_translate_config draw = {.sample = true, .temperature = 3, .n_best = 50, .copy_unknown = true};
    lb_translations *all = lb_translate_all(t, texts, TEXTS, draw, &error);
    ck_assert_msg(all, "%s", error.message);
    int pointed = 0;
    for (int i = 0; i < TEXTS; i++)
        for (int64_t o = 0; o < all->text[i].count; o++) {
            const lb_output *output = &all->text[i].output[o];
            for (int64_t k = 0; output->copied && k < output->length; k++) {
                if (output->copied[k] < 0) continue;
                char letter = texts[i][output->copied[k]];
                ck_assert_msg(letter < 'i' || letter > 'p', "%s -> %s", texts[i], output->text);
                pointed++;
            }
        }
    ck_assert_int_gt(pointed, 50);
    lb_translations_free(all);
    lb_translator_close(t);
}
END_TEST
