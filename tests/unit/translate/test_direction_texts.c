/* Models that write from the end, from training to outputs: everything outside is in reading order.
 * It takes seconds. */
#include "io/json.h"
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lb_error error;
static const char *train_file, *dev_file, *out, *base;

/* Words to spell backwards: "abc" is "c b a". */
static lb_training_config usual(const char *model)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 400, 1);
    support_write_pairs("dev.tsv", 60, 2);
    return (lb_training_config){.train = train_file = support_path("train.tsv"),
                                .dev = dev_file = support_path("dev.tsv"),
                                .target_separator = " ",
                                .direction = "backward",
                                .model = model,
                                .embed = model ? 0 : 16,
                                .hidden = 32,
                                .heads = 2,
                                .dropout = -1,
                                .label_smoothing = -1,
                                .warm_up = 20,
                                .lr = model ? 0.005 : 0.02,
                                .batch = 32,
                                .evaluate_every = 50,
                                .steps = model ? 600 : 300,
                                .seed = 1,
                                .out = out = support_path("out")};
}

/* Where the model looks most at a step, by the mean of all heads of the last layer. */
static int64_t looked_at(const lb_translations *all, const lb_output *output, int64_t length, int64_t step)
{
    int64_t best = 0;
    double most = -1;
    for (int64_t k = 0; k < length; k++) {
        double sum = 0;
        for (int64_t head = 0; head < all->heads; head++)
            sum +=
                (double)output
                    ->weights[(((all->layers - 1) * all->heads + head) * output->steps + step) * length + k];
        if (sum > most) best = k;
        most = sum > most ? sum : most;
    }
    return best;
}

/* The score of a pair is the probability of the same output when it was found, symbol for symbol, and the weights are
 * those of then. */
static void expect_same_score(lb_translator *t, const char *text, const lb_output *output)
{
    lb_translations *scored = lb_translator_score(t, &text, &(const char *){output->text}, 1,
                                                  (lb_score_config){.attention = true}, &error);
    ck_assert_msg(scored, "%s", error.message);
    const lb_output *given = scored->text->output;
    ck_assert_int_eq(given->steps, output->steps);
    for (int64_t step = 0; step < given->steps; step++)
        ck_assert_double_eq_tol(given->symbol_probability[step], output->symbol_probability[step], 1e-5);
    ck_assert_double_eq_tol(exp(given->score), output->probability, 1e-5);
    ck_assert(given->weights && output->weights);
    int64_t weights = scored->layers * scored->heads * given->steps * scored->text->length;
    for (int64_t i = 0; i < weights; i++)
        ck_assert_double_eq_tol((double)given->weights[i], (double)output->weights[i], 1e-4);
    lb_translations_free(scored);
}

static void expect_likeliest(lb_translator *t, const lb_translation *text)
{
    const lb_output *output = text->output;
    lb_likeliest *l = lb_translate_likeliest(t, text, output, 4, &error);
    ck_assert_msg(l, "%s", error.message);
    for (int64_t step = 0; step < l->steps; step++) {
        const char *written = step < output->length ? output->symbol[step] : "<eos>";
        ck_assert_str_eq(l->symbol[step * l->count], written);
        ck_assert_double_eq_tol(l->probability[step * l->count], output->symbol_probability[step], 1e-5);
    }
    lb_likeliest_free(l);
}

/* A step has read the start, and the symbols after its own; the end has read all. */
static void expect_self_attention(lb_translator *t, const lb_translation *text)
{
    const lb_output *output = text->output;
    lb_text_attention *a = lb_translate_self_attention(t, text, output, &error);
    ck_assert_msg(a, "%s", error.message);
    int64_t steps = a->steps;
    for (int64_t row = 0; row < a->layers * a->heads * steps; row++) {
        const lb_real *weights = a->decoder + row * steps;
        double sum = (double)weights[0];
        for (int64_t k = 1; k < steps; k++) {
            bool read = row % steps == output->length || k - 1 > row % steps;
            if (!read) ck_assert_double_eq((double)weights[k], 0);
            sum += (double)weights[k];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    lb_text_attention_free(a);
}

static void expect_outputs(lb_translator *t, const char *text, const char *expected, bool aligned)
{
    lb_translate_config config = {.n_best = 2, .attention = true};
    lb_translations *all = lb_translate_all(t, &text, 1, config, &error);
    ck_assert_msg(all, "%s", error.message);
    const lb_output *output = all->text->output;
    ck_assert_str_eq(output->text, expected);
    for (int64_t step = 0; aligned && step < output->length; step++)
        ck_assert_int_eq(looked_at(all, output, all->text->length, step), output->length - 1 - step);
    for (int i = 0; i < 2; i++) expect_same_score(t, text, &output[i]);
    expect_likeliest(t, all->text);
    expect_self_attention(t, all->text);
    lb_translations_free(all);
}

START_LOOP_TEST(test_backward_model_gives_everything_in_reading_order, 2)
{
    static const char *const models[] = {NULL, "transformer"};
    lb_training_config config = usual(models[_i]);
    ck_assert_double_ge(support_small_train(&config).dev.exact_match, 0.9);
    lb_translator *t = support_open_model(out);
    ck_assert(lb_translator_about(t).model->from_end);
    expect_outputs(t, "abcd", "d c b a", _i == 0);
    expect_outputs(t, "ha", "a h", _i == 0);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_backward_lists_are_sorted)
{
    lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 4};
    lb_training_config config = usual(NULL);
    config.train = config.dev = config.target_separator = NULL;
    config.sort = &task;
    config.steps = 400;
    config.embed = 16;
    config.lr = 0.01;
    ck_assert_double_ge(support_small_train(&config).dev.exact_match, 0.8);
    lb_translator *t = support_open_model(out);
    ck_assert(lb_translator_about(t).model->from_end);
    char *sorted = lb_translate(t, "7 0 3", &error);
    ck_assert_str_eq(sorted, "0 3 7");
    lb_release(sorted);
    lb_translator_close(t);
}
END_TEST

static void expect_joined(const cJSON *symbols, const char *expected)
{
    char text[64] = "";
    for (const cJSON *symbol = symbols->child; symbol; symbol = symbol->next)
        strcat(text, symbol->valuestring);
    ck_assert_str_eq(text, expected);
}

START_TEST(test_film_of_a_backward_model_is_in_reading_order)
{
    lb_training_config config = usual(NULL);
    size_t count;
    support_small_train(&config);
    lb_translator *t = support_open_model(out);
    char *film = support_read_file(support_path("out/film.jsonl"), &count), *rest;
    int frames = 0;
    for (char *line = strtok_r(film, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), frames++) {
        cJSON *json = NULL;
        char reversed[64] = "";
        ck_assert_int_eq(lb_json_parse(line, strlen(line), NULL, &json), LB_OK);
        const cJSON *source = cJSON_GetObjectItem(json, "source");
        for (int i = cJSON_GetArraySize(source) - 1; i >= 0; i--)
            strcat(reversed, cJSON_GetArrayItem(source, i)->valuestring);
        expect_joined(cJSON_GetObjectItem(json, "expected"), reversed);
        if (cJSON_GetObjectItem(json, "step")->valueint == 300)
            expect_joined(cJSON_GetObjectItem(json, "output"), reversed);
        cJSON_Delete(json);
    }
    ck_assert_int_eq(frames, 12);
    free(film);
    lb_translator_close(t);
}
END_TEST

static void expect_refused(const lb_training_config *config, lb_status status, const char *text)
{
    error = (lb_error){0};
    ck_assert_msg(lb_translator_train(*config, NULL, &error) == status, "%s", error.message);
    ck_assert_msg(strstr(error.message, text), "\"%s\" does not say \"%s\"", error.message, text);
}

START_TEST(test_direction_belongs_to_a_run_and_to_its_model)
{
    lb_training_config config = usual(NULL);
    config.out = base = support_path("base");
    config.steps = config.evaluate_every = 20;
    support_small_train(&config);
    lb_training_config other = config;
    other.direction = NULL;
    expect_refused(&other, LB_ERROR_FORMAT, "it was trained with direction backward");
    other.fresh = true;
    support_small_train(&other);
    other.direction = "backward";
    other.fresh = false;
    expect_refused(&other, LB_ERROR_FORMAT, "this run has direction backward");
    other.direction = "upward";
    expect_refused(&other, LB_ERROR_ARGUMENT, "direction: expected forward or backward, found \"upward\"");
    other.direction = "backward";
    other.fresh = true;
    support_small_train(&other);
    config = usual(NULL);
    config.steps = config.evaluate_every = 10;
    config.from = base;
    config.embed = config.hidden = config.heads = 0;
    config.direction = "forward";
    expect_refused(&config, LB_ERROR_ARGUMENT, "it has direction backward, this run has direction forward");
    config.direction = NULL;
    support_small_train(&config);
    lb_translator *t = support_open_model(out);
    ck_assert(lb_translator_about(t).model->from_end);
    lb_translator_close(t);
}
END_TEST

START_TEST(test_steps_of_a_backward_training_are_those_of_its_run)
{
    lb_training_config config = usual(NULL);
    config.steps = 5;
    config.evaluate_every = 5;
    lb_stepper *stepper = lb_stepper_new(config, &error);
    ck_assert_msg(stepper, "%s", error.message);
    double loss;
    for (int i = 0; i < 5; i++) ck_assert_int_eq(lb_stepper_step(stepper, &loss, &error), LB_OK);
    lb_evaluation found;
    ck_assert_int_eq(lb_stepper_measure(stepper, 2000, &found, &error), LB_OK);
    lb_stepper_free(stepper); /* it has locked the folder */
    ck_assert_double_eq_tol(found.symbol_error, support_small_train(&config).dev.symbol_error, 1e-9);
}
END_TEST
