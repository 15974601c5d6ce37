/* Models whose attention weights or probabilities are sparse, from training to outputs. It takes seconds. */
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <math.h>
#include <string.h>

enum { STEPS = 200 };

static lb_error error;
static int64_t stop_after; /* steps; 0: never */
static const char *train_file, *dev_file, *out;

static bool stop(void *context)
{
    (void)context;
    return stop_after > 0 && stop_after-- == 1;
}

static lb_training_config usual(void)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 40, 2);
    return (lb_training_config){.train = train_file = support_path("train.tsv"),
                                .dev = dev_file = support_path("dev.tsv"),
                                .target_separator = " ",
                                .hidden = 32,
                                .batch = 16,
                                .heads = 2,
                                .dropout = -1,
                                .warm_up = -1,
                                .lr = 0.02,
                                .steps = STEPS,
                                .evaluate_every = 40,
                                .seed = 1,
                                .out = out = support_path("out"),
                                .stop = stop};
}

static void check_row(const lb_real *weights, int64_t count, int64_t *zeros)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        ck_assert(weights[i] >= 0);
        sum += (double)weights[i];
        *zeros += weights[i] == 0;
    }
    ck_assert_double_eq_tol(sum, 1, 1e-5);
}

/* The attention of some outputs: rows that sum to 1, with zeros. */
static void check_attention(const char *path, int kind)
{
    static const char *const texts[] = {"abc", "cab", "bbdea", "e"};
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_msg(translator, "%s", error.message);
    lb_translate_config config = {.beam = 2, .attention = true};
    lb_translations *all = lb_translate_all(translator, texts, 4, config, &error);
    ck_assert_msg(all, "%s", error.message);
    int64_t maps = all->layers * all->heads, zeros = 0;
    ck_assert_int_gt(maps, 0);
    for (size_t t = 0; t < 4; t++) {
        const lb_output *o = &all->text[t].output[0];
        int64_t length = all->text[t].length;
        for (int64_t row = 0; row < maps * o->steps; row++)
            check_row(o->weights + row * length, length, &zeros);
    }
    ck_assert_msg(zeros > 0, "kind %d: no weight is 0", kind);
    lb_translations_free(all);
    lb_translator_close(translator);
}

static const struct {
    const char *model;
    lb_attention_kind attention;
    lb_normalizer weights, loss;
} kinds[] = {{NULL, LB_ATTENTION_ADDITIVE, LB_ENTMAX, LB_ENTMAX},
             {NULL, LB_ATTENTION_GENERAL, LB_SPARSEMAX, LB_SOFTMAX},
             {NULL, LB_ATTENTION_MULTI_HEAD, LB_ENTMAX, LB_SPARSEMAX},
             {"transformer", LB_ATTENTION_ADDITIVE, LB_SPARSEMAX, LB_ENTMAX}};

START_TEST(test_sparse_attention_trains_resumes_with_the_same_bits_and_leaves_keys_out)
{
    for (size_t k = 0; SUPPORT_ROW(k, kinds); k++) {
        lb_training_config config = usual();
        config.model = kinds[k].model;
        config.attention = kinds[k].attention;
        config.attention_weights = kinds[k].weights;
        config.loss = kinds[k].loss;
        config.fresh = true;
        support_small_train(&config);
        check_attention(out, (int)k);
        config.out = support_path("stopped");
        stop_after = 50;
        ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
        config.fresh = false;
        support_small_train(&config);
        support_assert_same_weights("out/model.safetensors", "stopped/model.safetensors");
    }
}
END_TEST

/* A trained model is sure of some words: it has fewer outputs than are asked for, and other words are impossible. */
START_TEST(test_sparse_probabilities_end_with_fewer_outputs_and_score_what_is_impossible)
{
    static const char *const texts[] = {"abc", "c", "bade"}, *const wrong[] = {"A A A A A A", "E", "A B"};
    lb_training_config config = usual();
    config.loss = LB_SPARSEMAX;
    config.label_smoothing = -1;
    config.hidden = 32;
    config.steps = 400;
    config.lr = 0.02;
    support_small_train(&config);
    lb_translator *translator = lb_translator_open(out, &error);
    ck_assert_msg(translator, "%s", error.message);
    lb_translate_config search = {.beam = 5, .n_best = 5};
    lb_translations *all = lb_translate_all(translator, texts, 3, search, &error);
    ck_assert_msg(all, "%s", error.message);
    int64_t outputs = 0;
    for (size_t t = 0; t < 3; t++) {
        double sum = 0;
        outputs += all->text[t].count;
        ck_assert_int_gt(all->text[t].count, 0);
        for (int64_t i = 0; i < all->text[t].count; i++) sum += all->text[t].output[i].probability;
        ck_assert_double_le(sum, 1 + 1e-5);
    }
    ck_assert_int_lt(outputs, 15);
    lb_translations_free(all);
    all = lb_translator_score(translator, texts, wrong, 3, (lb_score_config){0}, &error);
    ck_assert_msg(all, "%s", error.message);
    int impossible = 0;
    for (size_t t = 0; t < 3; t++) {
        ck_assert_int_eq(all->text[t].count, 1);
        impossible += all->text[t].output[0].probability == 0;
    }
    ck_assert_int_gt(impossible, 0);
    lb_translations_free(all);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_sparse_attention_belongs_to_the_run_and_is_kept_by_a_model_that_starts_from_it)
{
    static const char word[] =
        "it was trained with attention_weights softmax, this run has attention_weights entmax";
    lb_training_config config = usual();
    config.steps = 20;
    support_small_train(&config);
    config.attention_weights = LB_ENTMAX;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, word), "%s", error.message);
    error = (lb_error){0};
    config.fresh = true;
    support_small_train(&config);
    lb_training_config next = {
        .from = out, .train = train_file, .dev = dev_file, .steps = 20, .out = support_path("second")};
    support_small_train(&next);
    lb_safetensors *file = lb_model_file_open(support_path("second"), NULL, &error);
    ck_assert_msg(file, "%s", error.message);
    ck_assert_ptr_nonnull(
        strstr(lb_safetensors_metadata_value(file, "lookback.config"), "\"attention_weights\":\"entmax\""));
    lb_safetensors_close(file);
    next.out = support_path("third");
    next.attention_weights = LB_SPARSEMAX;
    ck_assert_int_eq(lb_translator_train(next, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_msg(
        strstr(error.message, "it has attention_weights entmax, this run has attention_weights sparsemax"),
        "%s", error.message);
}
END_TEST
