/* Finished models as one: what is kept of them, how they are weighed, and which do not fit.
 * It takes seconds. */
#include "io/path.h"
#include "models/ensemble/ensemble.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lb_error error;
static const char *train_file, *dev_file, *forward, *backward, *layers, *joined, *again;
static lb_join_result result;

static lb_training_config usual(const char *out)
{
    return (lb_training_config){.train = train_file,
                                .dev = dev_file,
                                .target_separator = " ",
                                .embed = 16,
                                .hidden = 32,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = 0.01,
                                .batch = 32,
                                .evaluate_every = 50,
                                .steps = 150,
                                .seed = 1,
                                .out = out};
}

static void name_files(void)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
    train_file = support_path("train.tsv");
    dev_file = support_path("dev.tsv");
    forward = support_path("forward");
    backward = support_path("backward");
    layers = support_path("layers");
    joined = support_path("joined");
    again = support_path("again");
}

static void train_two(void)
{
    name_files();
    lb_training_config config = usual(forward);
    support_small_train(&config);
    config = usual(backward);
    config.direction = "backward";
    config.seed = 2;
    support_small_train(&config);
}

static lb_status join(const lb_training_config *data, const char *out, int count, const char *const *models)
{
    error = (lb_error){0};
    const lb_join_config config = {.models = models, .count = count, .out = out, .data = data};
    return lb_translator_join(config, &result, &error);
}

#define JOIN(data, out, ...)                                                                                 \
    join(data, out, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)),                      \
         (const char *const[]){__VA_ARGS__})

#define JOINED(data, out, ...) ck_assert_msg(!JOIN(data, out, __VA_ARGS__), "%s", error.message)

/* The share of the pairs of dev that a model gets right. */
static double measure(const char *path)
{
    size_t count, right = 0, lines = 0;
    lb_translator *t = support_open_model(path);
    char *text = support_content("dev.tsv", &count), *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        char *tab = strchr(line, '\t');
        *tab = '\0';
        char *output = lb_translate(t, line, &error);
        ck_assert_msg(output, "%s", error.message);
        right += strcmp(output, tab + 1) == 0;
        lb_release(output);
    }
    free(text);
    lb_translator_close(t);
    return (double)right / (double)lines;
}

/* All that was counted, as "unit done/total" after each other. */
static lb_status add_count(void *context, const lb_event *event, lb_error *failure)
{
    char *all = context;
    size_t length = strlen(all);
    (void)failure;
    if (event->kind == LB_EVENT_COUNTED)
        snprintf(all + length, 512 - length, "%s %lld/%lld\n", event->unit, (long long)event->done,
                 (long long)event->total);
    return LB_OK;
}

START_TEST(test_join_measures_members_and_all_as_they_are_applied)
{
    char counts[512] = "";
    train_two();
    const lb_training_config data = {.dev = dev_file, .context = counts, .tell = add_count};
    JOINED(&data, joined, forward, backward);
    ck_assert_int_eq(result.count, 2);
    ck_assert_int_eq(result.pairs, 60);
    ck_assert_str_eq(counts, "pair, each model 0/120\npair, each model 32/120\npair, each model 60/120\n"
                             "pair, each model 92/120\npair, weights 0/60\npair, weights 32/60\n"
                             "pair, together 0/60\npair, together 32/60\n");
    ck_assert_str_eq(result.member[0].label, "additive");
    ck_assert_str_eq(result.member[1].label, "additive-backward");
    ck_assert_double_eq_tol(result.member[0].weight + result.member[1].weight, 1, 1e-12);
    ck_assert_double_eq_tol(result.member[0].dev.exact_match, measure(forward), 1e-12);
    ck_assert_double_eq_tol(result.member[1].dev.exact_match, measure(backward), 1e-12);
    ck_assert_double_eq_tol(result.dev.exact_match, measure(joined), 1e-12);
    ck_assert_double_gt(result.dev.exact_match, 0.3);
    lb_translator *t = support_open_model(joined);
    const lb_ensemble *all = (const lb_ensemble *)lb_translator_about(t).model;
    ck_assert(lb_is_ensemble(&all->base));
    for (int m = 0; m < 2; m++) ck_assert_double_eq(lb_ensemble_weight(all, m), result.member[m].weight);
    ck_assert_ptr_nonnull(strstr(lb_translator_about(t).training, "\"members\":[{\"steps\":150,"));
    lb_translator_close(t);
}
END_TEST

/* "z" is not in the training: the model cannot write it, and its loss is that of an unknown symbol. */
START_TEST(test_join_counts_symbols_that_no_member_can_write_as_edits)
{
    static const char more[] = "z\tz\n";
    size_t count;
    train_two();
    lb_training_config data = {.dev = dev_file};
    JOINED(&data, joined, forward, backward);
    const lb_evaluation known = result.dev;
    char *text = support_content("dev.tsv", &count), *grown = malloc(count + sizeof more);
    double symbols = 0;
    for (const char *at = text; (at = strchr(at, '\t')) != NULL; at++)
        symbols += (double)(strcspn(at + 1, "\n") + 1) / 2;
    memcpy(grown, text, count);
    memcpy(grown + count, more, sizeof more);
    support_write_file(support_path("more.tsv"), grown, count + sizeof more - 1);
    data.dev = support_path("more.tsv");
    JOINED(&data, again, forward, backward);
    lb_translator *t = support_open_model(joined);
    const char *unknown = "z";
    lb_translations *all = lb_translate_all(t, &unknown, 1, (lb_translate_config){0}, &error);
    ck_assert_msg(all, "%s", error.message);
    double edits = all->text->output->length > 1 ? (double)all->text->output->length : 1;
    ck_assert_double_le(edits, 4);
    ck_assert_double_eq_tol(result.dev.symbol_error, (known.symbol_error * symbols + edits) / (symbols + 1),
                            1e-9);
    double tokens = symbols + (double)result.pairs - 1; /* with the ends */
    lb_translations *scored = lb_translator_score(t, &unknown, &unknown, 1, (lb_score_config){0}, &error);
    ck_assert_msg(scored, "%s", error.message);
    ck_assert_double_eq_tol(result.dev.loss,
                            (known.loss * tokens - scored->text->output->score) / (tokens + 2), 1e-6);
    lb_translations_free(scored);
    lb_translations_free(all);
    lb_translator_close(t);
    free(text);
    free(grown);
}
END_TEST

/* Turns the targets of train.tsv round, blanks between letters included. */
static void write_wrong_pairs(const char *name)
{
    size_t count;
    char *text = support_content("train.tsv", &count);
    for (char *line = text; *line; line++) {
        char *first = strchr(line, '\t') + 1, *last = strchr(first, '\n') - 1;
        line = last + 1;
        for (; first < last; first++, last--) {
            char kept = *first;
            *first = *last;
            *last = kept;
        }
    }
    support_write_file(support_path(name), text, count);
    free(text);
}

START_TEST(test_join_gives_a_member_that_is_wrong_less_weight)
{
    name_files();
    const lb_training_config data = {.dev = dev_file};
    lb_training_config config = usual(forward);
    support_small_train(&config);
    write_wrong_pairs("wrong.tsv");
    config.train = support_path("wrong.tsv");
    config.out = backward;
    support_small_train(&config);
    JOINED(&data, joined, backward, forward);
    ck_assert_double_gt(result.member[1].dev.exact_match, result.member[0].dev.exact_match + 0.2);
    ck_assert_double_gt(result.member[1].weight, result.member[0].weight + 0.2);
    JOINED(NULL, again, backward, forward);
    ck_assert_double_eq_tol(result.member[1].weight, result.member[0].weight, 1e-12);
}
END_TEST

/* Score, beam and likeliest symbols of a vote agree with each other. */
START_TEST(test_joined_model_scores_what_it_writes)
{
    const char *const text = "abcd";
    train_two();
    JOINED(NULL, joined, forward, backward);
    ck_assert(result.pairs == 0 && result.dev.exact_match == 0);
    ck_assert_double_eq(result.member[0].weight, 0.5);
    lb_translator *t = support_open_model(joined);
    lb_translate_config config = {.n_best = 3, .attention = true};
    lb_translations *all = lb_translate_all(t, &text, 1, config, &error);
    ck_assert_msg(all, "%s", error.message);
    for (int i = 0; i < 3; i++) {
        const lb_output *output = &all->text->output[i];
        const char *const target = output->text;
        lb_translations *scored = lb_translator_score(t, &text, &target, 1, (lb_score_config){0}, &error);
        ck_assert_double_eq_tol(scored->text->output->score, output->score * (double)output->steps, 1e-4);
        ck_assert_ptr_nonnull(output->weights);
        lb_translations_free(scored);
    }
    lb_likeliest *likeliest = lb_translate_likeliest(t, all->text, all->text->output, 2, &error);
    ck_assert_msg(likeliest, "%s", error.message);
    lb_likeliest_free(likeliest);
    config.member = 2;
    lb_translations *one = lb_translate_all(t, &text, 1, config, &error);
    lb_translator *alone = support_open_model(backward);
    config.member = 0;
    lb_translations *same = lb_translate_all(alone, &text, 1, config, &error);
    ck_assert_str_eq(one->text->output->text, same->text->output->text);
    ck_assert_double_eq_tol(one->text->output->score, same->text->output->score, 1e-6);
    config.member = 3;
    ck_assert_ptr_null(lb_translate_all(t, &text, 1, config, &error));
    ck_assert_str_eq(error.message, "member: found 3, expected 0 to 2");
    config.member = 1;
    ck_assert_ptr_null(lb_translate_all(alone, &text, 1, config, &error));
    lb_translations_free(all);
    lb_translations_free(one);
    lb_translations_free(same);
    lb_translator_close(alone);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_join_is_the_same_file_each_time_and_takes_ensembles_apart)
{
    train_two();
    const lb_training_config data = {.train = train_file};
    JOINED(&data, joined, forward, backward);
    ck_assert_int_gt(result.pairs, 20);
    double weight = result.member[0].weight;
    ck_assert_int_eq(rename(forward, support_path("moved")), 0);
    JOINED(&data, again, support_path("moved"), backward);
    support_assert_same_files("joined/model.safetensors", "again/model.safetensors");
    lb_training_config config = usual(layers);
    config.model = "transformer";
    config.embed = 0;
    config.heads = 2;
    config.steps = 50;
    support_small_train(&config);
    JOINED(&data, again, joined, layers);
    ck_assert_int_eq(result.count, 3);
    ck_assert_str_eq(result.member[1].label, "additive-backward");
    ck_assert_str_eq(result.member[2].label, "transformer");
    ck_assert_double_ne(result.member[0].weight, weight);
    lb_translator *t = support_open_model(again);
    int records = 0;
    const char *at = lb_translator_about(t).training;
    while ((at = strstr(at, "\"best_step\"")) != NULL) records += at++ != NULL;
    ck_assert_int_eq(records, 3);
    lb_translator_close(t);
}
END_TEST

static void expect_refused(lb_status status, const char *text)
{
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(strstr(error.message, text), "\"%s\" does not say \"%s\"", error.message, text);
}

START_TEST(test_join_with_a_vocabulary_that_goes_on_names_its_next_symbol)
{
    name_files();
    support_write_text("few.tsv", "ab\tb a\nba\ta b\n");
    support_write_text("more.tsv", "ab\tb a\nba\ta b\naabbc\tc b b a a\n");
    lb_training_config config = usual(forward);
    config.steps = config.evaluate_every = 2;
    config.train = config.dev = support_path("few.tsv");
    support_small_train(&config);
    config.train = config.dev = support_path("more.tsv");
    config.out = backward;
    support_small_train(&config);
    ck_assert_int_ne(JOIN(NULL, joined, forward, backward), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT, "symbol 6 is \"no symbol\" in the first and \"c\" in the second");
    ck_assert_int_ne(JOIN(NULL, joined, backward, forward), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT, "symbol 6 is \"c\" in the first and \"no symbol\" in the second");
}
END_TEST

START_TEST(test_join_of_models_that_do_not_fit_is_refused_in_words)
{
    static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
    name_files();
    lb_training_config config = usual(forward);
    config.steps = config.evaluate_every = 5;
    support_small_train(&config);
    support_write_text("other.tsv", "ab\tx b\nba\tb x\nab\tx b\nbb\tb b\naa\tx x\n");
    config.train = config.dev = support_path("other.tsv");
    const char *other = support_path("other");
    config.out = other;
    support_small_train(&config);
    ck_assert_int_ne(JOIN(NULL, joined, forward, other), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT, "the vocabularies of the sources differ: symbol ");
    config.target_separator = "-";
    config.fresh = true;
    support_small_train(&config);
    ck_assert_int_ne(JOIN(NULL, joined, forward, other), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT,
                   "the separator of the targets is \" \" in the first and \"-\" in the second");
    config =
        (lb_training_config){.sort = &task, .hidden = 16, .steps = 5, .evaluate_every = 5, .out = backward};
    support_small_train(&config);
    ck_assert_int_ne(JOIN(NULL, joined, forward, backward), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT, "only one of them sorts lists");
    ck_assert_int_ne(JOIN(NULL, forward, forward, forward), LB_OK);
    expect_refused(LB_ERROR_ARGUMENT, "the result would overwrite it");
    ck_assert_int_ne(JOIN(NULL, joined, forward, layers), LB_OK);
    expect_refused(LB_ERROR_OPEN, "layers");
    JOINED(NULL, joined, backward, backward);
    char *sorted = NULL;
    lb_translator *t = support_open_model(joined);
    ck_assert_ptr_nonnull(sorted = lb_translate(t, "3 1", &error));
    lb_release(sorted);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_join_in_a_folder_that_another_process_has_is_refused)
{
    char process[32];
    lb_lock *lock;
    train_two();
    ck_assert_int_eq(mkdir(joined, 0700), 0);
    ck_assert_int_eq(lb_lock_folder(joined, &lock, &error), LB_OK);
    ck_assert_int_eq(JOIN(NULL, joined, forward, backward), LB_ERROR_BUSY);
    snprintf(process, sizeof process, ", process %ld", (long)getpid());
    ck_assert_ptr_nonnull(strstr(error.message, process));
    ck_assert_uint_eq(support_match_count("joined/*"), 0);
    lb_lock_free(lock);
    JOINED(NULL, joined, forward, backward);
    ck_assert_uint_eq(support_match_count("joined/.lock"), 0);
}
END_TEST

/* The default, which the program uses, and what an ensemble of train does, whose earlier model is kept already. */
START_TEST(test_join_keeps_the_earlier_model_unless_it_replaces_it)
{
    train_two();
    JOINED(NULL, joined, forward, backward);
    ck_assert_str_eq(result.set_aside, "");
    JOINED(NULL, joined, backward, forward);
    ck_assert_str_eq(result.set_aside, support_path("joined/model.old-1.safetensors"));
    const lb_join_config replacing = {
        .models = (const char *const[]){forward}, .count = 1, .out = joined, .replace = true};
    ck_assert_int_eq(lb_translator_join(replacing, &result, &error), LB_OK);
    ck_assert_str_eq(result.set_aside, "");
    ck_assert_uint_eq(support_match_count("joined/*"), 2);
}
END_TEST
