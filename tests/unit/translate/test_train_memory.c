/* Training on pairs in memory: the bits of a file, and what is refused. */
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lb_error error;

/* The weights of a model, as bytes; to be freed. */
static char *weights_of(const char *folder, size_t *bytes)
{
    lb_translator *t = lb_translator_open(support_path(folder), &error);
    ck_assert_msg(t != NULL, "%s", error.message);
    lb_safetensors *file = lb_safetensors_open(lb_translator_about(t).path, &error);
    ck_assert_msg(file != NULL, "%s", error.message);
    char *all = NULL;
    *bytes = 0;
    for (int64_t i = 0; i < lb_safetensors_count(file); i++) {
        const lb_safetensors_tensor *array = lb_safetensors_at(file, i);
        size_t size = (size_t)lb_shape_count(array->shape) * sizeof(lb_real);
        char *more = realloc(all, *bytes + size);
        ck_assert_ptr_nonnull(more);
        all = more;
        memcpy(all + *bytes, array->data, size);
        *bytes += size;
    }
    lb_safetensors_close(file);
    lb_translator_close(t);
    return all;
}

/* The pairs of a file of the test as arrays of texts, until the file is read again. */
static lb_pair_texts pairs_of(const char *path)
{
    static char texts[2][1 << 16];
    static const char *columns[2][2][SUPPORT_SMALL_PAIRS];
    size_t size;
    bool dev = path == support_small_dev_file;
    char *text = support_read_file(path, &size);
    ck_assert_uint_lt(size, sizeof texts[dev]);
    memcpy(texts[dev], text, size + 1);
    free(text);
    lb_pair_texts pairs = {.source = columns[dev][0], .target = columns[dev][1]};
    for (char *at = strtok(texts[dev], "\t\n"); at; at = strtok(NULL, "\t\n")) {
        columns[dev][0][pairs.count] = at;
        columns[dev][1][pairs.count++] = strtok(NULL, "\t\n");
    }
    return pairs;
}

START_TEST(test_train_pairs_in_memory_give_the_bits_of_the_file)
{
    size_t bytes[2];
    support_small_files();
    for (int with_dev = 0; with_dev < 2; with_dev++) {
        lb_training_config config = support_small_config(with_dev ? "file-dev" : "file");
        config.steps = 60;
        if (!with_dev) config.dev = NULL;
        lb_training_result file = support_small_train(&config);
        config.train = config.dev = NULL;
        config.pairs = pairs_of(support_small_train_file);
        if (with_dev) config.dev_pairs = pairs_of(support_small_dev_file);
        config.out = support_path(with_dev ? "memory-dev" : "memory");
        lb_training_result memory = support_small_train(&config);
        char *a = weights_of(with_dev ? "file-dev" : "file", &bytes[0]),
             *b = weights_of(with_dev ? "memory-dev" : "memory", &bytes[1]);
        ck_assert(bytes[0] == bytes[1] && bytes[0] > 1000 && memcmp(a, b, bytes[0]) == 0);
        ck_assert_int_eq(file.pairs, memory.pairs);
        ck_assert(file.dev.loss == memory.dev.loss);
        config.steps = 80; /* resumes */
        support_small_train(&config);
        ((const char **)config.pairs.target)[0] = "other";
        support_small_refused(&config, LB_ERROR_FORMAT, "it was trained on other pairs");
        free(a);
        free(b);
    }
}
END_TEST

START_TEST(test_train_step_by_step_takes_pairs_in_memory_too)
{
    double loss[2];
    support_small_files();
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        lb_training_config config = support_small_config("out");
        lb_evaluation found;
        if (in_memory) {
            config.pairs = pairs_of(support_small_train_file);
            config.dev_pairs = pairs_of(support_small_dev_file);
            config.train = config.dev = NULL;
        }
        lb_stepper *stepper = lb_stepper_new(config, &error);
        ck_assert_msg(stepper != NULL, "%s", error.message);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(lb_stepper_step(stepper, &loss[in_memory], &error), LB_OK);
        ck_assert_int_eq(lb_stepper_measure(stepper, 20, &found, &error), LB_OK);
        ck_assert(found.loss > 0);
        lb_stepper_free(stepper);
    }
    ck_assert(loss[0] == loss[1]);
}
END_TEST

START_TEST(test_train_bad_pairs_in_memory_are_refused_before_anything_is_written)
{
    support_small_files();
    lb_training_config config = support_small_config("out");
    lb_pair_texts pairs = pairs_of(support_small_train_file);
    config.pairs = pairs;
    support_small_refused(&config, LB_ERROR_ARGUMENT,
                          "pairs: found a file, and pairs in memory, expected only one");
    config.train = NULL;
    config.dev_pairs = pairs;
    support_small_refused(&config, LB_ERROR_ARGUMENT, "dev_pairs: found a file, and pairs in memory");
    config.dev = NULL;
    config.no_hold_out = true;
    support_small_refused(&config, LB_ERROR_ARGUMENT, "no_hold_out: found pairs for development");
    config.no_hold_out = false;
    config.pairs.count = 0;
    support_small_refused(&config, LB_ERROR_ARGUMENT, "found 0 pairs, expected at least one");
    config.pairs = pairs;
    ((const char **)pairs.source)[123] = "a\tb";
    support_small_refused(&config, LB_ERROR_FORMAT, "pair 123: found a tab in the source");
    config.pairs.count = 100;
    support_small_refused(&config, LB_ERROR_FORMAT, "pair 123: found a tab in the source"); /* of dev_pairs */
    ck_assert(!support_exists("out"));
}
END_TEST

/* Of the sources: foo thrice, bar twice, and a q. */
START_TEST(test_train_subwords_are_pieces_that_occur_min_count_times_and_twice_at_least)
{
    static const char *const source[] = {"foo foo", "foo bar", "bar q"}, *const target[] = {"a", "b", "a"};
    static const struct {
        int min_count;
        bool bar;
    } cases[] = {{0, true}, {1, true}, {2, true}, {3, false}};
    for (size_t i = 0; SUPPORT_ROW(i, cases); i++) {
        lb_training_config config = support_small_config("out");
        config.train = config.dev = NULL;
        config.pairs = (lb_pair_texts){.source = source, .target = target, .count = 3};
        config.dev_pairs = config.pairs;
        config.target_separator = NULL;
        config.subwords = 20;
        config.min_count = cases[i].min_count;
        config.steps = 1;
        config.fresh = true;
        support_small_train(&config);
        lb_translator *t = lb_translator_open(config.out, &error);
        ck_assert_msg(t != NULL, "%s", error.message);
        const lb_vocabulary *known = lb_translator_about(t).source;
        ck_assert_int_ne(lb_vocabulary_id(known, "\u2581foo"), LB_UNK);
        ck_assert_int_eq(lb_vocabulary_id(known, "\u2581bar") != LB_UNK, cases[i].bar);
        ck_assert_int_eq(lb_vocabulary_id(known, "q"), LB_UNK);
        lb_translator_close(t);
    }
}
END_TEST
