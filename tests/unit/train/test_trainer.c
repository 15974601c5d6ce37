/* When training stops, with which weights, and that interruptions change neither.
 * This test runs in both precisions. */
#include "base/alloc.h"
#include "lookback/train.h"
#include "support/alloc.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 40, EVERY = 5, STEPS = 200 };

/* A run whose weights grow forever. The measure is better the closer their mean is to the goal, so it rises and then
 * falls. */
typedef struct climb {
    lb_trainer_config config;
    lb_params *params;
    lb_tensor *weight;
    lb_train_history history;
    lb_error error;
    double goal;
    int64_t stop_at;         /* points after which the run is interrupted; 0: none */
    int evaluations, better; /* calls; those with a new best point */
    double better_measure, better_mean;
} climb;

static double mean(const climb *c)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++) sum += (double)c->weight->data[i];
    return sum / SIZE;
}

/* Dropout makes the steps differ: a resumed run must draw the same numbers as an uninterrupted one. */
static lb_tensor *climbing_loss(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    climb *c = context;
    (void)step;
    *tokens += 1;
    return lb_scale(lb_sum_all(lb_dropout(lb_on_tape(tape, c->weight), (lb_real)0.4)), -1);
}

static lb_status distance(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    found->exact_match = 1 / (1 + fabs(mean(c) - c->goal));
    return lb_tape_status(tape);
}

static lb_status note_better(climb *c, const lb_train_history *history)
{
    c->evaluations++;
    if (lb_train_best(history) != &history->points[history->count - 1]) return LB_OK;
    c->better++;
    c->better_measure = history->points[history->count - 1].dev.exact_match;
    c->better_mean = mean(c);
    return LB_OK;
}

static lb_status interrupt(const climb *c, const lb_train_history *history, lb_error *error)
{
    if (c->stop_at == 0 || history->count < c->stop_at) return LB_OK;
    return lb_error_set(error, LB_ERROR_WRITE, "interrupted");
}

static lb_status hear(void *context, const lb_event *event, lb_error *error)
{
    if (event->kind == LB_EVENT_EVALUATED) return note_better(context, event->history);
    return event->kind == LB_EVENT_POINT ? interrupt(context, event->history, error) : LB_OK;
}

static void begin(climb *c, double goal)
{
    *c = (climb){.params = lb_params_new(1), .goal = goal};
    c->weight = lb_params_add(c->params, "", "weight", LB_SHAPE(SIZE), (lb_init){LB_INIT_CONSTANT, 0});
    c->config = (lb_trainer_config){
        .params = c->params,
        .loss = climbing_loss,
        .evaluate = distance,
        .tell = hear,
        .steps = STEPS,
        .evaluate_every = EVERY,
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

static double measure_of(const lb_train_point *point)
{
    return point->dev.exact_match;
}

START_TEST(test_train_without_patience_goes_to_the_last_step_and_ends_there)
{
    climb c;
    begin(&c, 3);
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.history.count, STEPS / EVERY);
    ck_assert_double_gt(mean(&c), 10);
    finish(&c);
}
END_TEST

START_TEST(test_train_patience_counts_evaluations_since_the_best)
{
    for (int patience = 1; patience <= 4; patience++) {
        climb c;
        begin(&c, 3);
        c.config.patience = patience;
        ck_assert_int_eq(train(&c), LB_OK);
        const lb_train_point *best = lb_train_best(&c.history), *points = c.history.points;
        ck_assert_int_eq(c.history.count - 1 - (best - points), patience);
        ck_assert_int_gt(best - points, 2);
        for (int64_t i = 0; i < c.history.count; i++)
            ck_assert(&points[i] == best || measure_of(&points[i]) < measure_of(best));
        finish(&c);
    }
}
END_TEST

START_TEST(test_train_patience_is_not_used_up_by_a_measure_that_still_rises)
{
    climb c;
    begin(&c, 1000);
    c.config.patience = 1;
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.history.count, STEPS / EVERY);
    finish(&c);
}
END_TEST

static int64_t best_of(const lb_evaluation *found, int64_t count)
{
    lb_train_point points[8] = {0};
    for (int64_t i = 0; i < count; i++) points[i].dev = found[i];
    const lb_train_history history = {.points = points, .count = count};
    return lb_train_best(&history) - points;
}

START_TEST(test_train_best_has_the_best_exact_match_then_symbol_error_then_loss)
{
    static const lb_evaluation right[] = {{0.5, 0.1, 1, {0}}, {0.7, 0.9, 9, {0}}, {0.2, 0, 0, {0}}},
                               errors[] = {{0, 0.9, 1, {0}}, {0, 0.4, 5, {0}}, {0, 0.5, 1, {0}}},
                               losses[] = {{0, 0.4, 2, {0}}, {0, 0.4, 1, {0}}, {0, 0.4, 3, {0}}},
                               equal[] = {{0.1, 0.4, 2, {0}}, {0.7, 0.4, 2, {0}}, {0.7, 0.4, 2, {0}}},
                               unknown[] = {{0.7, 0.4, 2, {0}}, {NAN, NAN, NAN, {0}}, {0.7, 0.4, NAN, {0}}};
    ck_assert_int_eq(best_of(right, 3), 1);
    ck_assert_int_eq(best_of(errors, 3), 1);
    ck_assert_int_eq(best_of(losses, 3), 1);
    ck_assert_int_eq(best_of(equal, 3), 1);
    ck_assert_int_eq(best_of(unknown, 3), 0);
    ck_assert_ptr_null(lb_train_best(&(lb_train_history){0}));
}
END_TEST

/* Everything is right from the second evaluation on, with a loss that keeps falling. */
static lb_status perfect(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    *found = (lb_evaluation){.exact_match = c->history.count > 0 ? 1 : 0.5, .loss = -mean(c)};
    return lb_tape_status(tape);
}

START_TEST(test_train_patience_is_not_renewed_by_the_loss_once_all_is_right)
{
    climb c;
    begin(&c, 3);
    c.config.evaluate = perfect;
    c.config.patience = 3;
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.history.count, 5);
    ck_assert_int_eq(c.history.end, LB_TRAIN_PATIENCE);
    ck_assert_ptr_eq(lb_train_best(&c.history), &c.history.points[4]);
    finish(&c);
}
END_TEST

static bool has_lower_loss(const lb_evaluation *a, const lb_evaluation *b)
{
    return a->loss < b->loss;
}

START_TEST(test_train_patience_is_renewed_by_the_loss_that_models_are_chosen_by)
{
    climb c;
    begin(&c, 3);
    c.config.evaluate = perfect;
    c.config.patience = 3;
    c.config.is_better = has_lower_loss;
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.history.count, STEPS / EVERY);
    finish(&c);
}
END_TEST

START_TEST(test_train_keep_best_ends_with_what_was_best)
{
    climb c;
    begin(&c, 3);
    c.config.keep_best = true;
    ck_assert_int_eq(train(&c), LB_OK);
    lb_evaluation found;
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(distance(&c, tape, &found), LB_OK);
    ck_assert_double_eq(found.exact_match, lb_train_best(&c.history)->dev.exact_match);
    ck_assert_double_gt(found.exact_match, c.history.points[c.history.count - 1].dev.exact_match);
    lb_tape_free(tape);
    finish(&c);
}
END_TEST

/* After the fifth step, one weight is no number any more. */
static lb_status spoil(void *context, const lb_event *event, lb_error *error)
{
    climb *c = context;
    if (event->kind == LB_EVENT_STEPPED && event->step.step == EVERY)
        c->weight->data[SIZE - 1] = (lb_real)INFINITY;
    return hear(context, event, error);
}

START_TEST(test_train_weights_that_are_not_finite_are_neither_measured_nor_kept)
{
    climb c;
    begin(&c, 3);
    c.config.tell = spoil;
    c.config.average = 0;
    c.config.checkpoint = support_path("checkpoint.safetensors");
    ck_assert_int_eq(train(&c), LB_ERROR_DIVERGED);
    ck_assert_str_eq(
        c.error.message,
        "training diverged: after step 5, weight is inf at [39]; a smaller learning rate may help");
    ck_assert_int_eq(c.evaluations, 0);
    ck_assert(access(support_path("checkpoint.safetensors"), F_OK) != 0);
    finish(&c);
}
END_TEST

START_TEST(test_train_evaluated_is_called_with_the_weights_that_were_measured)
{
    climb c;
    begin(&c, 3);
    ck_assert_int_eq(train(&c), LB_OK);
    const lb_train_point *best = lb_train_best(&c.history);
    ck_assert_int_eq(c.evaluations, c.history.count);
    ck_assert_int_eq(c.better, (int)(best - c.history.points) + 1);
    ck_assert_double_eq(c.better_measure, best->dev.exact_match);
    ck_assert_double_eq(1 / (1 + fabs(c.better_mean - c.goal)), best->dev.exact_match);
    finish(&c);
}
END_TEST

/* Before, at and after the best point, with and without an average. */
START_TEST(test_train_interrupted_anywhere_ends_with_the_same_bits)
{
    for (int averages = 0; averages < 2; averages++) {
        climb whole;
        begin(&whole, 3);
        whole.config.patience = 4;
        whole.config.keep_best = true;
        whole.config.average = averages ? 0.5 : 0;
        ck_assert_int_eq(train(&whole), LB_OK);
        for (int64_t stop = 1; stop <= whole.history.count; stop++) {
            climb first, second;
            begin(&first, 3);
            first.config = whole.config;
            first.config.params = first.params;
            first.config.checkpoint = support_path("checkpoint.safetensors");
            first.config.fresh = true;
            first.stop_at = stop;
            ck_assert_int_eq(train(&first), LB_ERROR_WRITE);
            begin(&second, 3);
            second.config = first.config;
            second.config.params = second.params;
            second.config.fresh = false;
            ck_assert_msg(train(&second) == LB_OK, "%s", second.error.message);
            ck_assert_int_eq(second.history.count, whole.history.count);
            ck_assert_mem_eq(second.weight->data, whole.weight->data, SIZE * sizeof(lb_real));
            finish(&first);
            finish(&second);
        }
        finish(&whole);
    }
}
END_TEST

START_TEST(test_train_more_patience_goes_on_where_less_had_stopped)
{
    climb c;
    begin(&c, 3);
    c.config.checkpoint = support_path("checkpoint.safetensors");
    c.config.patience = 1;
    c.config.keep_best = true;
    ck_assert_int_eq(train(&c), LB_OK);
    int64_t before = c.history.count;
    lb_release(c.history.points);
    c.config.patience = 3;
    ck_assert_int_eq(train(&c), LB_OK);
    ck_assert_int_eq(c.history.count, before + 2);
    finish(&c);
}
END_TEST

START_TEST(test_train_checkpoint_without_the_best_weights_is_refused)
{
    climb c;
    begin(&c, 3);
    c.config.checkpoint = support_path("checkpoint.safetensors");
    ck_assert_int_eq(train(&c), LB_OK);
    lb_release(c.history.points);
    c.config.keep_best = true;
    ck_assert_int_eq(train(&c), LB_ERROR_FORMAT);
    ck_assert_ptr_nonnull(strstr(c.error.message, "best"));
    finish(&c);
}
END_TEST

START_TEST(test_train_failing_allocation_is_an_error_and_leaks_nothing)
{
    support_watch_allocations();
    for (long n = 0;; n++) {
        climb c;
        unlink(support_path("checkpoint.safetensors"));
        begin(&c, 3);
        long set_up = support_allocation_count();
        c.config.checkpoint = support_path("checkpoint.safetensors");
        c.config.keep_best = true;
        c.config.steps = 2 * EVERY;
        support_fail_from_allocation(n);
        lb_status status = train(&c);
        bool failed = n > 0 && support_allocation_count() - set_up >= n;
        support_fail_from_allocation(0);
        SUPPORT_CHECK(status == (failed ? LB_ERROR_MEMORY : LB_OK), "allocation %ld: status %d, %s", n,
                      (int)status, c.error.message);
        finish(&c);
        ck_assert_int_eq(support_live_allocations(), 0);
        if (n > 0 && !failed) break;
    }
}
END_TEST
