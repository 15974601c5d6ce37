/* The folder of a training: one training at a time, an earlier model is kept, and a disk that is full for a while costs
 * nothing. */
#include "io/path.h"
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

enum { STEPS = 60, EVERY = 20 };

static lb_error error;
static const char *train_file, *dev_file, *out;

static lb_training_config usual(void)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", 300, 1);
    support_write_pairs("dev.tsv", 40, 2);
    return (lb_training_config){.train = train_file = support_path("train.tsv"),
                                .dev = dev_file = support_path("dev.tsv"),
                                .embed = 8,
                                .hidden = 16,
                                .batch = 8,
                                .steps = STEPS,
                                .evaluate_every = EVERY,
                                .seed = 1,
                                .out = out = support_path("out")};
}

static void expect_busy(const lb_training_config *config, const char *folder)
{
    char process[32];
    lb_lock *lock;
    const char *path = support_path(folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(lb_lock_folder(path, &lock, &error), LB_OK);
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(*config, NULL, &error), LB_ERROR_BUSY);
    snprintf(process, sizeof process, ", process %ld", (long)getpid());
    ck_assert_msg(strstr(error.message, path) == error.message, "%s", error.message);
    ck_assert_ptr_nonnull(strstr(error.message, process));
    lb_lock_free(lock);
}

START_TEST(test_train_in_a_folder_that_another_training_has_is_refused)
{
    lb_training_config config = usual();
    expect_busy(&config, "out");
    ck_assert_uint_eq(support_match_count("out/*"), 0);
    config.seeds = 2;
    expect_busy(&config, "out/seed-2");
    ck_assert(!support_exists("out/model.safetensors"));
    support_small_train(&config);
    ck_assert_uint_eq(support_match_count("out/.lock") + support_match_count("out/*/.lock"), 0);
}
END_TEST

static char set_aside[SUPPORT_PATH];

static lb_status note_set_aside(void *context, const lb_event *event, lb_error *failure)
{
    (void)context, (void)failure;
    if (event->kind == LB_EVENT_BEGUN)
        snprintf(set_aside, sizeof set_aside, "%s", event->run->set_aside ? event->run->set_aside : "");
    return LB_OK;
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void expect_same_content(const char *name, const char *content, size_t count)
{
    size_t found;
    char *text = support_content(name, &found);
    ck_assert_uint_eq(found, count);
    ck_assert_mem_eq(text, content, count);
    free(text);
}

START_TEST(test_train_fresh_keeps_the_earlier_model_under_another_name)
{
    size_t first_count, second_count;
    lb_training_config config = usual();
    config.tell = note_set_aside;
    config.fresh = true;
    support_small_train(&config);
    ck_assert_str_eq(set_aside, "");
    char *first = support_content("out/model.safetensors", &first_count);
    config.seed = 2;
    support_small_train(&config);
    ck_assert_str_eq(set_aside, support_path("out/model.old-1.safetensors"));
    expect_same_content("out/model.old-1.safetensors", first, first_count);
    char *second = support_content("out/model.safetensors", &second_count);
    /* Interrupted before its first evaluation: the last model is still in its place, too. */
    config.seed = 3;
    config.stop = stop_at_once;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_INTERRUPTED);
    expect_same_content("out/model.safetensors", second, second_count);
    expect_same_content("out/model.old-1.safetensors", first, first_count);
    expect_same_content("out/model.old-2.safetensors", second, second_count);
    /* Resumed, the second training has no earlier model. */
    config.seed = 2;
    config.fresh = false;
    config.stop = NULL;
    support_small_train(&config);
    ck_assert_str_eq(set_aside, "");
    ck_assert_uint_eq(support_match_count("out/model.old-*"), 2);
    free(first);
    free(second);
}
END_TEST

START_TEST(test_train_fresh_keeps_the_earlier_model_of_each_seed)
{
    lb_training_config config = usual();
    config.seeds = 2;
    support_small_train(&config);
    config.fresh = true;
    support_small_train(&config);
    ck_assert_uint_eq(support_match_count("out/seed-1/model.old-1.safetensors"), 1);
    ck_assert_uint_eq(support_match_count("out/seed-2/model.old-1.safetensors"), 1);
}
END_TEST

/* Files that cannot be replaced between two steps, because folders have their names. */
typedef struct trouble {
    int64_t from, until;
    int warnings;
} trouble;

static const char *const names[] = {"out/model.safetensors", "out/checkpoint.safetensors", "out/log.jsonl",
                                    "out/log.csv"};

static lb_status make_trouble(void *context, const lb_event *event, lb_error *failure)
{
    trouble *t = context;
    const char *path;
    (void)failure;
    if (event->kind == LB_EVENT_UNSAVED) {
        ck_assert_int_eq(event->error->status, LB_ERROR_WRITE);
        t->warnings++;
    }
    if (event->kind != LB_EVENT_STEPPED) return LB_OK;
    for (size_t i = 0; SUPPORT_ROW(i, names); i++) {
        path = support_path(names[i]);
        if (event->step.step == t->from) ck_assert_int_eq(mkdir(path, 0700), 0);
        if (event->step.step == t->until) ck_assert_int_eq(rmdir(path), 0);
    }
    return LB_OK;
}

START_TEST(test_train_continues_while_nothing_can_be_written)
{
    size_t count;
    int lines = 0;
    trouble t = {.from = 1, .until = EVERY + 1};
    lb_training_config config = usual();
    config.out = support_path("undisturbed");
    support_small_train(&config);
    config.out = out;
    config.context = &t;
    config.tell = make_trouble;
    ck_assert_int_eq(mkdir(out, 0700), 0);
    support_small_train(&config);
    ck_assert_int_ge(t.warnings, 3);
    support_assert_same_files("out/model.safetensors", "undisturbed/model.safetensors");
    char *log = support_content("out/log.jsonl", &count);
    for (const char *at = log; *at; at++) lines += *at == '\n';
    ck_assert_int_eq(lines, STEPS / EVERY);
    free(log);
}
END_TEST

START_TEST(test_train_whose_last_files_cannot_be_written_fails)
{
    trouble t = {.from = STEPS - 1, .until = STEPS + 1}; /* never, for there is no such step */
    lb_training_config config = usual();
    config.context = &t;
    config.tell = make_trouble;
    config.evaluate_every = STEPS;
    ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_WRITE);
    ck_assert_ptr_nonnull(strstr(error.message, "out/checkpoint.safetensors"));
    ck_assert_int_ge(t.warnings, 1);
}
END_TEST
