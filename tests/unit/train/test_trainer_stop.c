/* A run that is stopped between two steps loses none of them.
 * This test runs in both precisions. */
#include "io/safetensors.h"
#include "lookback/train.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <lookback/op.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 40, EVERY = 5, STEPS = 20, ARRAYS = 16 };

/* A run whose weights grow. */
typedef struct climb {
    lb_trainer_config config;
    lb_params *params;
    lb_tensor *weight;
    lb_train_history history;
    lb_error error;
    int64_t quiet; /* further calls of `stop` that return false */
} climb;

/* Dropout makes the steps differ: a resumed run must draw the same numbers as an uninterrupted one. */
static lb_tensor *climbing_loss(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    climb *c = context;
    *tokens += 1 + step % 3;
    return lb_scale(lb_sum_all(lb_dropout(lb_on_tape(tape, c->weight), (lb_real)0.4)), -1);
}

static lb_status first_weight(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    found->exact_match = (double)c->weight->data[0];
    return lb_tape_status(tape);
}

static bool ask_to_stop(void *context)
{
    climb *c = context;
    return c->quiet-- == 0;
}

/* Runs this configuration, except for its parameters; `quiet` below 0: it is never stopped. */
static void begin(climb *c, const lb_trainer_config *like, int64_t quiet)
{
    *c = (climb){.params = lb_params_new(1), .quiet = quiet};
    c->weight = lb_params_add(c->params, "", "weight", LB_SHAPE(SIZE), (lb_init){LB_INIT_CONSTANT, 0});
    c->config = *like;
    c->config.params = c->params;
}

static lb_trainer_config usual(void)
{
    return (lb_trainer_config){
        .loss = climbing_loss,
        .evaluate = first_weight,
        .stop = ask_to_stop,
        .steps = STEPS,
        .evaluate_every = EVERY,
        .keep_best = true,
        .schedule = {.lr = 0.1},
        .average = 0.5,
        .run = "climb",
    };
}

static lb_status train(climb *c)
{
    c->config.context = c;
    c->error = (lb_error){0};
    return lb_train(c->config, &c->history, &c->error);
}

static void finish(climb *c)
{
    lb_release(c->history.points);
    lb_params_free(c->params);
}

static void assert_same_end(const climb *a, const climb *b)
{
    ck_assert_int_eq(a->history.count, b->history.count);
    for (int64_t i = 0; i < a->history.count; i++) {
        const lb_train_point *p = &a->history.points[i], *q = &b->history.points[i];
        ck_assert(p->step == q->step && p->loss == q->loss && p->dev.exact_match == q->dev.exact_match);
        ck_assert(p->grad_norm == q->grad_norm && p->tokens == q->tokens);
    }
    ck_assert_mem_eq(a->weight->data, b->weight->data, SIZE * sizeof(lb_real));
}

/* One session, stopped after `quiet` calls of `stop`; never stopped if `quiet` is negative. */
static climb session(const lb_trainer_config *config, int64_t quiet)
{
    climb c;
    begin(&c, config, quiet);
    lb_status status = train(&c);
    ck_assert_msg(status == (quiet < 0 ? LB_OK : LB_ERROR_INTERRUPTED), "%s", c.error.message);
    return c;
}

/* Before the first evaluation, right after one, and in between; twice in a row. */
START_TEST(test_train_stopped_between_any_two_steps_ends_with_the_same_bits_and_points)
{
    char message[64];
    lb_trainer_config config = usual();
    climb whole = session(&config, -1);
    for (int64_t steps = 1; steps < STEPS; steps++) {
        config.checkpoint = support_path("checkpoint.safetensors");
        config.fresh = true;
        climb first = session(&config, 1 + (steps - 1) / 2);
        config.fresh = false;
        climb second = session(&config, steps - (1 + (steps - 1) / 2));
        snprintf(message, sizeof message, "interrupted at step %d", (int)steps);
        ck_assert_str_eq(second.error.message, message);
        climb third = session(&config, -1);
        assert_same_end(&third, &whole);
        finish(&first);
        finish(&second);
        finish(&third);
    }
    finish(&whole);
}
END_TEST

START_TEST(test_train_stopped_before_the_first_step_writes_nothing)
{
    lb_trainer_config config = usual();
    config.checkpoint = support_path("none.safetensors");
    climb c = session(&config, 0);
    ck_assert_str_eq(c.error.message, "interrupted at step 0");
    lb_safetensors *file = lb_safetensors_open(support_path("none.safetensors"), &c.error);
    ck_assert_ptr_null(file);
    finish(&c);
}
END_TEST

START_TEST(test_train_stop_is_not_asked_when_all_is_done)
{
    lb_trainer_config config = usual();
    climb c;
    begin(&c, &config, STEPS);
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.quiet, 0);
    finish(&c);
}
END_TEST

/* Takes the folder of the checkpoint away after the last evaluation. */
static lb_status remove_folder(void *context, const lb_event *event, lb_error *error)
{
    climb *c = context;
    const lb_train_history *history = event->history;
    char moved[2 * SUPPORT_PATH], folder[SUPPORT_PATH];
    if (event->kind != LB_EVENT_POINT || history->points[history->count - 1].step < STEPS) return LB_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(c->config.checkpoint, '/') - c->config.checkpoint),
             c->config.checkpoint);
    snprintf(moved, sizeof moved, "%s.moved", folder);
    return rename(folder, moved) == 0 ? LB_OK : lb_error_set(error, LB_ERROR_WRITE, "%s", folder);
}

/* Large models take long to save: what is saved is not saved again. */
START_TEST(test_train_checkpoint_of_the_last_evaluation_is_the_last_one)
{
    lb_trainer_config config = usual();
    ck_assert_int_eq(mkdir(support_path("folder"), 0777), 0);
    config.checkpoint = support_path("folder/checkpoint.safetensors");
    config.tell = remove_folder;
    climb c = session(&config, -1);
    finish(&c);
}
END_TEST

/* Rewrites a file without one of its arrays. */
static void drop_array(const char *path, const char *name)
{
    lb_error error = {0};
    lb_safetensors_tensor kept[ARRAYS];
    int64_t count = 0;
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_msg(file && lb_safetensors_find(file, name), "%s", error.message);
    ck_assert_int_le(lb_safetensors_count(file), ARRAYS);
    for (int64_t i = 0; i < lb_safetensors_count(file); i++)
        if (strcmp(lb_safetensors_at(file, i)->name, name) != 0) kept[count++] = *lb_safetensors_at(file, i);
    const lb_safetensors_metadata run = {LB_RUN_KEY, lb_safetensors_metadata_value(file, LB_RUN_KEY)};
    ck_assert_int_eq(lb_safetensors_write(kept, count, &run, 1, path, &error), LB_OK);
    lb_safetensors_close(file);
}

/* Sets a number of an array of a file, whose numbers are lb_real or double. */
static void set_number(const char *path, const char *name, size_t index, double value)
{
    lb_error error = {0};
    lb_safetensors_tensor arrays[ARRAYS];
    union {
        lb_real real[2 * SIZE]; /* a store may be larger than what is in it */
        double number[2 * SIZE];
    } changed;
    lb_safetensors *file = lb_safetensors_open(path, &error);
    ck_assert_msg(file && lb_safetensors_find(file, name), "%s", error.message);
    int64_t count = lb_safetensors_count(file);
    ck_assert_int_le(count, ARRAYS);
    for (int64_t i = 0; i < count; i++) {
        arrays[i] = *lb_safetensors_at(file, i);
        if (strcmp(arrays[i].name, name) != 0) continue;
        size_t numbers = (size_t)lb_shape_count(arrays[i].shape);
        bool is_double = arrays[i].dtype == LB_DTYPE_F64;
        ck_assert_uint_le(numbers, LB_LENGTH(changed.number));
        memcpy(&changed, arrays[i].data, numbers * lb_dtype_size(arrays[i].dtype));
        if (is_double)
            changed.number[index] = value;
        else
            changed.real[index] = (lb_real)value;
        arrays[i].data = &changed;
    }
    const lb_safetensors_metadata run = {LB_RUN_KEY, lb_safetensors_metadata_value(file, LB_RUN_KEY)};
    ck_assert_int_eq(lb_safetensors_write(arrays, count, &run, 1, path, &error), LB_OK);
    lb_safetensors_close(file);
}

START_TEST(test_train_checkpoint_with_a_number_that_is_none_is_refused)
{
    static const char *const arrays[] = {"weight", "adam.first", "adam.second", "average", "best"};
    static const double values[] = {INFINITY, -INFINITY, NAN};
    char expected[80];
    lb_trainer_config config = usual();
    const char *path = support_path("checkpoint.safetensors");
    config.checkpoint = path;
    for (int i = 0; SUPPORT_ROW(i, arrays); i++) {
        unlink(path);
        climb first = session(&config, 2 * EVERY), second;
        set_number(path, arrays[i], i % 2 ? 0 : SIZE - 1, values[i % LB_LENGTH(values)]);
        begin(&second, &config, -1);
        ck_assert_int_eq(train(&second), LB_ERROR_FORMAT);
        snprintf(expected, sizeof expected, "array '%s': found ", arrays[i]);
        ck_assert_msg(strstr(second.error.message, expected) != NULL, "%s", second.error.message);
        finish(&first);
        finish(&second);
    }
}
END_TEST

START_TEST(test_train_checkpoint_of_an_impossible_step_is_refused)
{
    static const char *const invalid = "invalid \"progress\"";
    const struct {
        double step;
        const char *message;
    } cases[] = {{-1, invalid},
                 {9007199254740992.0, "it is at step 9007199254740992, this run has"},
                 {9007199254740994.0, invalid},
                 {NAN, invalid}};
    lb_trainer_config config = usual();
    const char *path = support_path("checkpoint.safetensors");
    config.checkpoint = path;
    for (int i = 0; SUPPORT_ROW(i, cases); i++) {
        unlink(path);
        climb first = session(&config, 2), second;
        set_number(path, "progress", 0, cases[i].step);
        begin(&second, &config, -1);
        ck_assert_int_ne(train(&second), LB_OK);
        ck_assert_msg(strstr(second.error.message, cases[i].message) != NULL, "%s", second.error.message);
        finish(&first);
        finish(&second);
    }
}
END_TEST

/* So that the first session takes longer than the second. */
static lb_status take_time(void *context, const lb_event *event, lb_error *error)
{
    (void)context, (void)error;
    if (event->kind == LB_EVENT_STEPPED) support_advance_clock(5000000);
    return LB_OK;
}

/* The format of old checkpoints, which were only written after evaluations. */
START_TEST(test_train_checkpoint_without_progress_resumes_after_its_last_point)
{
    lb_trainer_config config = usual();
    climb whole = session(&config, -1);
    config.checkpoint = support_path("checkpoint.safetensors");
    config.tell = take_time;
    climb first = session(&config, 2 * EVERY);
    drop_array(support_path("checkpoint.safetensors"), "progress");
    config.tell = NULL;
    climb second = session(&config, -1);
    assert_same_end(&second, &whole);
    for (int64_t i = 1; i < second.history.count; i++)
        ck_assert_double_ge(second.history.points[i].seconds, second.history.points[i - 1].seconds);
    finish(&first);
    finish(&second);
    finish(&whole);
}
END_TEST

START_TEST(test_train_checkpoint_without_progress_and_points_is_refused)
{
    lb_trainer_config config = usual();
    config.checkpoint = support_path("checkpoint.safetensors");
    climb first = session(&config, 2), second;
    drop_array(support_path("checkpoint.safetensors"), "progress");
    begin(&second, &config, -1);
    ck_assert_int_eq(train(&second), LB_ERROR_FORMAT);
    finish(&first);
    finish(&second);
}
END_TEST
