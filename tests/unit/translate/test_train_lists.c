/* Training by one call on random lists of numbers. */
#include "data/lists/sort_task.h"
#include "support/pair_program.h"
#include "support/process.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <stdio.h>
#include <string.h>

#define TRAIN_SORT BIN_DIR "/train_sort"

static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
static lb_error error;

static lb_training_config small_config(const char *name)
{
    lb_set_threads(1);
    return (lb_training_config){.sort = &task,
                                .embed = 16,
                                .hidden = 32,
                                .one_direction = true,
                                .lr = 0.01,
                                .batch = 32,
                                .steps = 600,
                                .evaluate_every = 200,
                                .seed = 1,
                                .out = support_path(name)};
}

START_TEST(test_train_lists_learns_to_sort_and_leaves_its_files)
{
    lb_training_config config = small_config("out");
    lb_training_result result = support_small_train(&config);
    ck_assert_double_gt(result.dev.exact_match, 0.7);
    ck_assert_int_eq(result.pairs, 2000);
    ck_assert_int_eq(support_line_count("out/train.jsonl"), 3);
    ck_assert(support_exists("out/checkpoint.safetensors"));
    lb_translator *translator = lb_translator_open(config.out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    lb_translator_facts facts = lb_translator_about(translator);
    ck_assert(facts.sorts && facts.longest_source == 3 && facts.source == facts.target);
    ck_assert_ptr_eq(strstr(facts.training, "{\"steps\":600,\"exact_match\":"), facts.training);
    ck_assert_ptr_nonnull(strstr(facts.training, "\"history\":[{\"step\":200,"));
    char *text = lb_translate(translator, "7 3", &error);
    ck_assert_str_eq(text, "3 7");
    lb_release(text);
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_train_lists_target_ends_the_training)
{
    lb_training_config config = small_config("out");
    config.target = 1e-3;
    ck_assert_double_ge(support_small_train(&config).dev.exact_match, 1e-3);
    ck_assert_int_eq(support_line_count("out/train.jsonl"), 1);
}
END_TEST

static lb_status keep_points(void *context, const lb_event *event, lb_error *ignored)
{
    const lb_training_run *run = event->run;
    (void)ignored;
    if (event->kind != LB_EVENT_ENDED) return LB_OK;
    memcpy(context, run->history->points, (size_t)run->history->count * sizeof *run->history->points);
    return LB_OK;
}

/* The record of the file begins with `expected`. */
static void expect_record(const char *path, const char *expected)
{
    lb_translator *translator = lb_translator_open(path, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    const char *record = lb_translator_about(translator).training;
    ck_assert_msg(strncmp(record, expected, strlen(expected)) == 0, "%s", record);
    lb_translator_close(translator);
}

/* Without an average, and with steps that are too large, an earlier evaluation is better than the last one: with nearly
 * every seed, by rounding alone. */
START_TEST(test_train_lists_record_is_of_the_weights_in_the_file_and_of_what_was_in_force)
{
    enum { EVALUATIONS = 10, SEEDS = 10 };
    char name[64], expected[512];
    lb_train_point points[EVALUATIONS];
    int64_t best = EVALUATIONS - 1;
    for (int seed = 1; seed <= SEEDS && best == EVALUATIONS - 1; seed++) {
        lb_training_config config = small_config("out");
        config.seed = (uint64_t)seed;
        config.fresh = true;
        config.batch = 0;
        config.steps = config.keep = EVALUATIONS;
        config.evaluate_every = 1;
        config.lr = 1;
        config.average = -1;
        config.context = points;
        config.tell = keep_points;
        support_small_train(&config);
        best = 0;
        for (int64_t step = 1; step <= EVALUATIONS; step++) {
            const lb_train_point *p = &points[step - 1];
            if (lb_evaluation_is_better(&p->dev, &points[best].dev)) best = step - 1;
            snprintf(name, sizeof name, "out/sort-%lld.safetensors", (long long)step);
            snprintf(
                expected, sizeof expected,
                "{\"steps\":%lld,\"exact_match\":%.9g,\"symbol_error\":%.9g,\"best_step\":%lld,\"seed\":%d,"
                "\"settings\":{\"batch\":64,\"steps\":10,\"lr\":1,\"label_smoothing\":0,\"dropout\":0,",
                (long long)step, p->dev.exact_match, p->dev.symbol_error, (long long)step, seed);
            expect_record(support_path(name), expected);
        }
        expect_record(config.out, expected);
    }
    ck_assert_int_lt(best, EVALUATIONS - 1);
}
END_TEST

START_TEST(test_train_lists_gives_the_weights_of_the_program)
{
    support_result result;
    const char *const argv[] = {TRAIN_SORT, "--max-number",
                                "9",        "--min-length",
                                "1",        "--max-length",
                                "3",        "--embed",
                                "16",       "--hidden",
                                "32",       "--lr",
                                "0.01",     "--batch",
                                "32",       "--steps",
                                "50",       "--target",
                                "0",        "--out",
                                "program",  "--repeats",
                                "0",        "--attention",
                                "additive", NULL};
    support_command command = {.argv = argv, .directory = support_tempdir()};
    ck_assert(support_run_command(&command, &result));
    ck_assert_msg(result.status == 0, "%s", result.error);
    support_result_free(&result);
    lb_training_config config = small_config("call");
    config.steps = 50;
    support_small_train(&config);
    support_assert_same_weights("program/sort.safetensors", "call/sort.safetensors");
}
END_TEST

START_TEST(test_train_lists_of_several_seeds_is_one_ensemble)
{
    lb_training_config config = small_config("out");
    config.steps = 20;
    config.seeds = 2;
    support_small_train(&config);
    ck_assert(support_exists("out/seed-2/sort.safetensors"));
    lb_translator *translator = lb_translator_open(config.out, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    ck_assert_str_eq(lb_translator_about(translator).model->kind->name, "ensemble");
    lb_translator_close(translator);
}
END_TEST

START_TEST(test_train_lists_of_other_lengths_are_measured_by_their_names)
{
    char line[512];
    lb_training_config config = small_config("out");
    config.test[0] = (lb_test){.name = "short", .file = "1-2"};
    config.test[1] = (lb_test){.name = "long", .file = "9"};
    lb_training_result result = support_small_train(&config);
    ck_assert(result.test_pairs[0] == 2000 && result.test_pairs[1] == 2000 && result.test_pairs[2] == 0);
    ck_assert_double_gt(result.test[0].exact_match, result.dev.exact_match - 0.1);
    ck_assert_double_lt(result.test[1].exact_match, 0.1);
    ck_assert_double_gt(result.test[1].symbol_error, 0.2);
    FILE *table = fopen(support_path("out/train.csv"), "r");
    ck_assert(table && fgets(line, sizeof line, table));
    ck_assert_msg(strstr(line, ",short.exact_match,") && strstr(line, ",long.exact_match,"), "%s", line);
    fclose(table);
    config.test[1].file = "10"; /* another log, and so another run */
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, "it has other tests") != NULL, "%s", error.message);
    static const char *const wrong[] = {"tests.tsv", "5-4", "1-9999999"};
    for (size_t i = 0; SUPPORT_ROW(i, wrong); i++) {
        config.test[1].file = wrong[i];
        error = (lb_error){0};
        ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
        ck_assert_msg(strstr(error.message, i == 2 ? "invalid list lengths 1 to 9999999" : wrong[i]), "%s",
                      error.message);
    }
    config.test[1].file = "9";
    config.choose_on = "long";
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "choose_on: found lists, expected pairs of texts");
}
END_TEST

/* The answer of a model to a text; NULL after an error. */
static char *answer_of(const char *folder, const char *text)
{
    lb_translator *translator = lb_translator_open(folder, &error);
    ck_assert_msg(translator != NULL, "%s", error.message);
    char *answer = lb_translate(translator, text, &error);
    lb_translator_close(translator);
    return answer;
}

START_TEST(test_train_lists_learns_other_tasks_and_reads_what_people_type)
{
    static const struct {
        lb_list_task what;
        const char *text, *answer;
    } cases[] = {
        {LB_LIST_REVERSE, "7  3", "3 7"}, {LB_LIST_COPY, "7 03", "7 3"}, {LB_LIST_ADD, " 5+\t2 ", "7"}};
    static const char *const sums[] = {"5", "5+", "+5", "5+2+1", "+5+2", "5-2", "five+2"};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_sort_task own = {.max_value = 9, .min_length = 1, .max_length = 2, .what = cases[i].what};
        lb_training_config config = small_config(lb_list_task_names[cases[i].what]);
        if (own.what == LB_LIST_ADD) own.max_length = 1;
        config.sort = &own;
        ck_assert_double_gt(support_small_train(&config).dev.exact_match, 0.6);
        char *answer = answer_of(config.out, cases[i].text);
        ck_assert_msg(answer != NULL, "%s", error.message);
        ck_assert_str_eq(answer, cases[i].answer);
        lb_release(answer);
    }
    for (size_t i = 0; SUPPORT_ROW(i, sums); i++) {
        error = (lb_error){0};
        ck_assert(!answer_of(support_path(lb_list_task_names[LB_LIST_ADD]), sums[i]));
        ck_assert_msg(strstr(error.message, i < 5
                                                ? "expected two numbers and a plus between them, such as 27+5"
                                                : "is not a number from 0 to 9"),
                      "%s", error.message);
    }
    lb_training_config config = small_config("next"); /* it sorts */
    config.from = support_path("copy");
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, "copy") && strstr(error.message, "sort"), "%s", error.message);
    const char *const models[] = {support_path("copy"), support_path("reverse")};
    error = (lb_error){0};
    ck_assert_int_eq(
        lb_translator_join((lb_join_config){.models = models, .count = 2, .out = config.out}, NULL, &error),
        LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.message, "the task is copy in the first and reverse in the second"), "%s",
                  error.message);
}
END_TEST

START_TEST(test_train_lists_impossible_ones_are_refused)
{
    const lb_sort_task none = {.max_value = 9, .min_length = 3, .max_length = 1};
    lb_training_config config = small_config("out");
    config.train = "pairs.tsv";
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "sort: found files, pairs or epochs, expected none: lists are random");
    config.train = NULL;
    config.sort = &none;
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.message, "invalid list lengths 3 to 1"));
    ck_assert_uint_eq(support_file_count(), 0);
}
END_TEST

START_TEST(test_train_lists_invalid_field_is_named_with_its_value)
{
    const struct {
        lb_training_config config;
        const char *message;
    } cases[] = {{{.layers = -2}, "layers: found -2, expected 0 or more"},
                 {{.dropout = 1.5}, "dropout: found 1.5, expected less than 1"},
                 {{.scheduled_sampling = 1.25}, "scheduled_sampling: found 1.25, expected at most 1"},
                 {{.hallucinate = 2}, "hallucinate: found 2, expected at most 1"},
                 {{.sort = &task, .hallucinate = 0.5}, "hallucinate: found lists, expected pairs of texts"},
                 {{.lr = -1}, "lr: found -1, expected 0 or more"}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_training_config config = cases[i].config;
        error = (lb_error){0};
        ck_assert_int_eq(lb_training_config_settle(&config, &error), LB_ERROR_ARGUMENT);
        ck_assert_str_eq(error.message, cases[i].message);
    }
}
END_TEST
