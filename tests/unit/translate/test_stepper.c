/* A training whose steps the caller asks for: the same as in one call. */
#include "support/pair_program.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <stdio.h>
#include <stdlib.h>

static const lb_sort_task task = {.max_value = 9, .min_length = 1, .max_length = 3};
static lb_error error;

static lb_training_config small_config(void)
{
    lb_set_threads(1);
    return (lb_training_config){.sort = &task,
                                .embed = 8,
                                .hidden = 16,
                                .lr = 0.01,
                                .batch = 8,
                                .steps = 20,
                                .evaluate_every = 20,
                                .seed = 3};
}

static lb_stepper *begin(const lb_training_config *config)
{
    lb_stepper *stepper = lb_stepper_new(*config, &error);
    ck_assert_msg(stepper != NULL, "%s", error.message);
    return stepper;
}

static double step(lb_stepper *stepper)
{
    double loss = -1;
    ck_assert_msg(lb_stepper_step(stepper, &loss, &error) == LB_OK, "%s", error.message);
    return loss;
}

/* Takes all steps that are left, with their evaluations. Returns how many calls that were. */
static int finish(lb_stepper *stepper)
{
    int calls = 0;
    for (; !lb_stepper_about(stepper).done; calls++) step(stepper);
    return calls;
}

static lb_status record_point(void *context, const lb_event *event, lb_error *failure)
{
    (void)failure;
    if (event->kind == LB_EVENT_POINT)
        *(lb_train_point *)context = event->history->points[event->history->count - 1];
    return LB_OK;
}

/* Bytes of the arrays of both files, which come after headers of other lengths. */
static void assert_same_weights(const char *a, const char *b)
{
    lb_safetensors *one = lb_safetensors_open(a, &error), *other = lb_safetensors_open(b, &error);
    ck_assert_msg(one && other, "%s", error.message);
    ck_assert_int_eq(lb_safetensors_count(one), lb_safetensors_count(other));
    for (int64_t i = 0; i < lb_safetensors_count(one); i++) {
        const lb_safetensors_tensor *x = lb_safetensors_at(one, (int64_t)i), *y = lb_safetensors_at(other, i);
        ck_assert_str_eq(x->name, y->name);
        ck_assert_int_eq(lb_shape_count(x->shape), lb_shape_count(y->shape));
        ck_assert_mem_eq(x->data, y->data, (size_t)lb_shape_count(x->shape) * sizeof(float));
    }
    lb_safetensors_close(one);
    lb_safetensors_close(other);
}

START_TEST(test_stepper_ends_with_the_weights_of_one_call)
{
    lb_train_point point;
    lb_training_config config = small_config();
    lb_stepper *stepper = begin(&config);
    double sum = 0;
    for (int i = 0; i < 20; i++) sum += step(stepper);
    lb_evaluation found;
    ck_assert_int_eq(lb_stepper_measure(stepper, 2000, &found, &error), LB_OK);
    ck_assert_int_eq(lb_stepper_save(stepper, support_path("stepped.safetensors"), &error), LB_OK);
    lb_stepper_free(stepper);
    config.out = support_path("out");
    config.context = &point;
    config.tell = record_point;
    ck_assert_msg(lb_translator_train(config, NULL, &error) == LB_OK, "%s", error.message);
    assert_same_weights(support_path("out/sort.safetensors"), support_path("stepped.safetensors"));
    ck_assert_double_eq(point.loss, sum / 20);
    ck_assert_double_eq(point.dev.exact_match, found.exact_match);
    ck_assert_double_eq(point.dev.loss, found.loss);
}
END_TEST

START_TEST(test_stepper_translator_follows_the_training)
{
    lb_training_config config = small_config();
    config.steps = 300;
    config.batch = 32;
    lb_stepper *stepper = begin(&config);
    lb_translator *translator = lb_stepper_translator(stepper);
    ck_assert(lb_translator_about(translator).sorts);
    char *before = lb_translate(translator, "7 3", &error);
    for (int i = 0; i < 300; i++) step(stepper);
    char *after = lb_translate(translator, "7 3", &error);
    ck_assert_msg(before && after, "%s", error.message);
    ck_assert_str_eq(after, "3 7");
    ck_assert_str_ne(before, after);
    ck_assert_int_eq(lb_stepper_save(stepper, support_path("saved.safetensors"), &error), LB_OK);
    lb_translator *opened = lb_translator_open(support_path("saved.safetensors"), &error);
    char *again = lb_translate(opened, "7 3", &error);
    ck_assert_str_eq(again, after);
    lb_release(before);
    lb_release(after);
    lb_release(again);
    lb_translator_close(opened);
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_about_counts_steps_and_follows_the_learning_rate)
{
    lb_training_config config = small_config();
    lb_stepper *stepper = begin(&config);
    lb_stepper_facts facts = lb_stepper_about(stepper);
    ck_assert_int_eq(facts.step, 0);
    ck_assert_int_eq(facts.steps, 20);
    ck_assert_int_gt(facts.parameters, 1000);
    ck_assert_int_eq(facts.held_out, 0);
    ck_assert_double_eq(facts.lr, 0.01);
    lb_stepper_set_lr(stepper, 0.5);
    ck_assert_double_eq(lb_stepper_about(stepper).lr, 0.5);
    step(stepper);
    ck_assert_int_eq(lb_stepper_about(stepper).step, 1);
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_step_after_the_end_is_an_error)
{
    lb_training_config config = small_config();
    double loss;
    config.steps = 1;
    lb_stepper *stepper = begin(&config);
    finish(stepper);
    ck_assert_int_eq(lb_stepper_step(stepper, &loss, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "found all 1 steps done, expected fewer");
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_measure_of_no_pairs_is_an_error)
{
    lb_training_config config = small_config();
    lb_evaluation found;
    lb_stepper *stepper = begin(&config);
    ck_assert_int_eq(lb_stepper_measure(stepper, 0, &found, &error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(error.message, "pairs: found 0, expected at least 1");
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_reads_pairs_and_measures_those_held_out)
{
    lb_training_config config = small_config();
    config.sort = NULL;
    config.train = support_path("pairs.tsv");
    FILE *file = fopen(support_path("pairs.tsv"), "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 100; i++) fprintf(file, "%d\t%d\n", i, 99 - i);
    ck_assert_int_eq(fclose(file), 0);
    lb_stepper *stepper = begin(&config);
    lb_evaluation found;
    double first = step(stepper), last = 0;
    for (int i = 1; i < 20; i++) last = step(stepper);
    ck_assert_double_lt(last, first);
    ck_assert_int_eq(lb_stepper_measure(stepper, 5, &found, &error), LB_OK);
    ck_assert_double_gt(found.loss, 0);
    ck_assert_int_eq(lb_stepper_about(stepper).held_out, 8); /* a tenth, by the hashes of the sources */
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_new_of_an_impossible_configuration_is_an_error)
{
    lb_training_config config = small_config();
    config.hidden = -1;
    ck_assert_ptr_null(lb_stepper_new(config, &error));
    ck_assert_str_eq(error.message, "hidden: found -1, expected 0 or more");
    lb_stepper_free(NULL);
}
END_TEST

/* 100 words and their capitals, chosen by a measure, with four evaluations and a second set of pairs. */
static lb_training_config word_config(const char *folder)
{
    static const char *train;
    static const char *test;
    lb_training_config config = small_config();
    config.sort = NULL;
    config.evaluate_every = 5;
    config.train = train = support_path("words.tsv");
    config.test[0] = (lb_test){.name = "other", .file = test = support_path("other.tsv")};
    config.out = support_path(folder);
    FILE *file = fopen(train, "w"), *other = fopen(test, "w");
    ck_assert(file && other);
    for (int i = 0; i < 900; i++) fprintf(file, "ab%dc\tAB%dC\n", i, i);
    for (int i = 0; i < 900; i += 3) fprintf(other, "b%d\tB%d\n", i, i);
    ck_assert(fclose(file) == 0 && fclose(other) == 0);
    return config;
}

static void assert_same_files(const char *one, const char *other)
{
    size_t size, expected;
    char *a = support_read_file(support_path(one), &size);
    char *b = support_read_file(support_path(other), &expected);
    ck_assert_uint_eq(size, expected);
    ck_assert_mem_eq(a, b, size);
    free(a);
    free(b);
}

static lb_status train_words(const char *folder)
{
    return lb_translator_train(word_config(folder), NULL, &error);
}

START_TEST(test_stepper_with_a_folder_writes_the_files_of_one_call)
{
    lb_training_config config = word_config("stepped");
    lb_stepper *stepper = begin(&config);
    const int calls = finish(stepper);
    lb_stepper_facts facts = lb_stepper_about(stepper);
    ck_assert_int_gt(calls, 20 + 4 * (390 / 25)); /* an evaluation writes 390 words, 25 at once */
    ck_assert_int_eq(facts.step, 20);
    ck_assert_int_eq(facts.history->count, 4);
    lb_stepper_free(stepper);
    ck_assert_msg(train_words("called") == LB_OK, "%s", error.message);
    assert_same_files("stepped/model.safetensors", "called/model.safetensors");
}
END_TEST

/* The texts are compared in parts. */
START_TEST(test_stepper_chooses_by_chrf_as_one_call_does)
{
    lb_training_config config = word_config("stepped-chrf");
    config.choose = "chrf";
    lb_stepper *stepper = begin(&config);
    const int calls = finish(stepper);
    ck_assert_int_gt(calls, 20 + 4 * 4);
    ck_assert_double_gt(lb_stepper_about(stepper).history->points[0].dev.own[0], 50); /* texts */
    lb_stepper_free(stepper);
    config.out = word_config("called-chrf").out;
    ck_assert_msg(lb_translator_train(config, NULL, &error) == LB_OK, "%s", error.message);
    assert_same_files("stepped-chrf/model.safetensors", "called-chrf/model.safetensors");
}
END_TEST

/* After each number of calls, also in the middle of an evaluation, it is dropped, and begun anew. */
START_TEST(test_stepper_that_is_dropped_resumes_with_the_same_bits)
{
    ck_assert_msg(train_words("whole") == LB_OK, "%s", error.message);
    int64_t resumed = 0;
    for (int drop = 6; drop < 54; drop += 8) {
        char name[32], path[64];
        snprintf(name, sizeof name, "dropped-%d", drop);
        lb_training_config config = word_config(name);
        lb_stepper *stepper = begin(&config);
        for (int i = 0; i < drop; i++) step(stepper);
        lb_stepper_free(stepper);
        stepper = begin(&config);
        resumed = lb_stepper_about(stepper).step;
        ck_assert(resumed == 0 || resumed == 5); /* the steps of the first evaluation, once it is saved */
        finish(stepper);
        lb_stepper_free(stepper);
        snprintf(path, sizeof path, "%s/model.safetensors", name);
        assert_same_files("whole/model.safetensors", path);
    }
    ck_assert_int_eq(resumed, 5);
}
END_TEST

START_TEST(test_stepper_answers_within_an_evaluation)
{
    lb_training_config config = word_config("answers");
    lb_stepper *stepper = begin(&config);
    lb_evaluation found, whole;
    for (int i = 0; i < 6; i++) step(stepper); /* five steps, and a batch of an evaluation */
    ck_assert_int_eq(lb_stepper_about(stepper).step, 5);
    ck_assert_int_eq(lb_stepper_about(stepper).history->count, 0);
    char *answer = lb_translate(lb_stepper_translator(stepper), "ab7c", &error);
    ck_assert_msg(answer != NULL, "%s", error.message);
    lb_release(answer);
    ck_assert_int_eq(lb_stepper_measure(stepper, 2000, &found, &error), LB_OK);
    while (lb_stepper_about(stepper).history->count == 0) step(stepper);
    whole = lb_stepper_about(stepper).history->points[0].dev;
    ck_assert_double_eq(whole.loss, found.loss);
    ck_assert_double_eq(whole.symbol_error, found.symbol_error);
    lb_stepper_free(stepper);
}
END_TEST

START_TEST(test_stepper_stops_early_without_gain)
{
    lb_training_config config = word_config("patient");
    config.steps = 400;
    config.lr = 1e-9; /* nothing is learned */
    config.patience = 3;
    lb_stepper *stepper = begin(&config);
    finish(stepper);
    ck_assert_int_lt(lb_stepper_about(stepper).step, 400);
    ck_assert_int_eq(lb_stepper_about(stepper).history->end, LB_TRAIN_PATIENCE);
    lb_stepper_free(stepper);
}
END_TEST

static bool stopped;

static bool stop_now(void *context)
{
    (void)context;
    return stopped;
}

START_TEST(test_stepper_that_is_stopped_keeps_its_steps)
{
    double loss;
    lb_training_config config = word_config("stopped");
    config.stop = stop_now;
    lb_stepper *stepper = begin(&config);
    for (int i = 0; i < 3; i++) step(stepper);
    stopped = true;
    ck_assert_int_eq(lb_stepper_step(stepper, &loss, &error), LB_ERROR_INTERRUPTED);
    lb_stepper_free(stepper);
    stopped = false;
    stepper = begin(&config);
    ck_assert_int_eq(lb_stepper_about(stepper).step, 3);
    lb_stepper_free(stepper);
}
END_TEST
