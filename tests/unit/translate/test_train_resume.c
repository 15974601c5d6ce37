/* Resuming a checkpoint: of the same run, a longer run, and another run. */
#include "support/pair_program.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "support/tempdir.h"
#include <lookback/translate.h>

#include <cJSON.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAIRS = 300, STEPS = 60, EVERY = 20, ARRAYS = 128 };

static lb_error error;
static lb_train_history seen; /* of the last training; its points are a copy */
static const char *train_file, *dev_file, *out;

static lb_status see(void *context, const lb_event *event, lb_error *failure)
{
    const lb_training_run *run = event->run;
    (void)context, (void)failure;
    if (event->kind != LB_EVENT_POINT) return LB_OK;
    seen.count = run->history->count;
    lb_release(seen.points);
    seen.points = lb_alloc((size_t)seen.count * sizeof *seen.points);
    memcpy(seen.points, run->history->points, (size_t)seen.count * sizeof *seen.points);
    return LB_OK;
}

static lb_training_config usual(void)
{
    lb_set_threads(1);
    support_write_pairs("train.tsv", PAIRS, 1);
    support_write_pairs("dev.tsv", 40, 2);
    return (lb_training_config){.train = train_file = support_path("train.tsv"),
                                .dev = dev_file = support_path("dev.tsv"),
                                .embed = 8,
                                .hidden = 16,
                                .batch = 8,
                                .warm_up = -1,
                                .lr = 0.01,
                                .steps = STEPS,
                                .evaluate_every = EVERY,
                                .seed = 1,
                                .out = out = support_path("out"),
                                .tell = see};
}

static void expect_refused(const lb_training_config *config, const char *text)
{
    error = (lb_error){0};
    ck_assert_int_eq(lb_translator_train(*config, NULL, &error), LB_ERROR_FORMAT);
    ck_assert_msg(strstr(error.message, text), "\"%s\" does not say \"%s\"", error.message, text);
    ck_assert_ptr_eq(strstr(error.message, "cannot resume from "), error.message);
}

START_TEST(test_train_more_steps_resume_a_finished_run_on_the_schedule_of_all_steps)
{
    lb_training_config config = usual();
    support_small_train(&config);
    lb_train_point last = seen.points[seen.count - 1];
    config.steps = 2 * STEPS;
    support_small_train(&config);
    ck_assert_int_eq(seen.count, 2 * STEPS / EVERY);
    ck_assert_mem_eq(&seen.points[STEPS / EVERY - 1], &last, sizeof last);
    for (int64_t i = STEPS / EVERY; i < seen.count; i++) {
        double share = (double)(seen.points[i].step - 1) / (2.0 * STEPS);
        ck_assert_double_eq_tol(seen.points[i].lr, 0.01 * (1 + cos(3.14159265358979 * share)) / 2, 1e-9);
    }
    ck_assert_double_lt(seen.points[seen.count - 1].loss, last.loss);
    lb_release(seen.points);
}
END_TEST

START_TEST(test_train_average_is_part_of_the_run)
{
    lb_training_config config = usual();
    config.steps = config.evaluate_every = 3;
    support_small_train(&config);
    double averaged = seen.points[0].dev.loss;
    config.average = -1;
    expect_refused(&config, "it was trained with average 0.998, this run has average 0");
    config.fresh = true;
    support_small_train(&config);
    ck_assert_double_lt(seen.points[0].dev.loss, averaged); /* at the start, an average lags behind */
    lb_release(seen.points);
}
END_TEST

START_TEST(test_train_fewer_steps_than_are_done_are_refused)
{
    lb_training_config config = usual();
    support_small_train(&config);
    config.steps = STEPS - 1;
    expect_refused(&config, "checkpoint.safetensors: it is at step 60, this run has steps 59");
    lb_release(seen.points);
}
END_TEST

/* Rewrites the checkpoint with another description of its run. */
static void describe_anew(void (*change)(cJSON *run))
{
    lb_safetensors_tensor arrays[ARRAYS];
    lb_safetensors *file = lb_safetensors_open(support_path("out/checkpoint.safetensors"), &error);
    ck_assert_msg(file, "%s", error.message);
    int64_t count = lb_safetensors_count(file);
    ck_assert_int_le(count, ARRAYS);
    for (int64_t i = 0; i < count; i++) arrays[i] = *lb_safetensors_at(file, i);
    cJSON *run = cJSON_Parse(lb_safetensors_metadata_value(file, LB_RUN_KEY));
    ck_assert_ptr_nonnull(run);
    change(run);
    char *text = cJSON_PrintUnformatted(run);
    const lb_safetensors_metadata metadata = {LB_RUN_KEY, text};
    ck_assert_int_eq(
        lb_safetensors_write(arrays, count, &metadata, 1, support_path("out/checkpoint.safetensors"), &error),
        LB_OK);
    cJSON_free(text);
    cJSON_Delete(run);
    lb_safetensors_close(file);
}

/* As of a run with the default of what is written only if it is set. */
START_TEST(test_train_with_what_the_checkpoint_does_not_have_is_refused)
{
    lb_training_config config = usual();
    support_small_train(&config);
    config.cell = LB_CELL_LSTM;
    expect_refused(&config, "it was trained with cell unset, this run has cell lstm");
    lb_release(seen.points);
}
END_TEST

START_TEST(test_train_on_a_changed_file_is_refused_with_its_name)
{
    lb_training_config config = usual();
    support_small_train(&config);
    support_write_pairs("dev.tsv", 41, 2);
    expect_refused(&config, "it was evaluated on other pairs (");
    ck_assert_ptr_nonnull(strstr(error.message, "dev.tsv has changed, or is a different file)"));
    support_write_pairs("train.tsv", PAIRS + 1, 1);
    config.lr = 0.02;
    expect_refused(&config,
                   "train.tsv has changed, or is a different file); it was trained with lr 0.01, this "
                   "run has lr 0.02");
    lb_release(seen.points);
}
END_TEST

static void make_rubbish(cJSON *run)
{
    while (run->child) cJSON_DeleteItemFromObject(run, run->child->string);
    cJSON_AddItemToObject(run, "lr", cJSON_CreateArray());
    cJSON_AddItemToObject(run, "model", cJSON_CreateNumber(1e300));
}

START_TEST(test_train_checkpoint_with_rubbish_for_a_run_is_no_crash)
{
    lb_training_config config = usual();
    support_small_train(&config);
    describe_anew(make_rubbish);
    error = (lb_error){0};
    lb_status status = lb_translator_train(config, NULL, &error);
    ck_assert_msg(status == LB_OK || status == LB_ERROR_FORMAT, "%s", error.message);
    lb_release(seen.points);
}
END_TEST

/* A file system that fails for a while, or a link whose target is not mounted, is no reason to start again. */
START_TEST(test_train_with_a_checkpoint_that_cannot_be_read_is_refused_and_not_started)
{
    static const char *const targets[] = {"nothing", "checkpoint.safetensors"};
    struct stat found;
    lb_training_config config = usual();
    ck_assert_int_eq(mkdir(out, 0700), 0);
    for (int i = 0; SUPPORT_ROW(i, targets); i++) {
        ck_assert_int_eq(symlink(targets[i], support_path("out/checkpoint.safetensors")), 0);
        error = (lb_error){0};
        ck_assert_int_eq(lb_translator_train(config, NULL, &error), LB_ERROR_OPEN);
        ck_assert_msg(strstr(error.message, "cannot resume from "), "%s", error.message);
        ck_assert_int_eq(lstat(support_path("out/checkpoint.safetensors"), &found), 0);
        ck_assert(S_ISLNK(found.st_mode));
        ck_assert_int_eq(unlink(support_path("out/checkpoint.safetensors")), 0);
    }
    ck_assert(!support_exists("out/model.safetensors"));
}
END_TEST
