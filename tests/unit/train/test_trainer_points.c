/* What a training measures and records at its points. This test runs in both precisions. */
#include "lookback/train.h"
#include "support/stop.h"
#include "support/suite.h"
#include "support/tempdir.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 40, EVERY = 5, STEPS = 4 * EVERY };

/* A run whose weights climb. */
typedef struct climb {
    lb_trainer_config config;
    lb_params *params;
    lb_tensor *weight;
    lb_train_history history;
    lb_error error;
    int64_t evaluations, steps;
    double average[SIZE]; /* of the weights, by the definition */
    double losses[STEPS]; /* of each step */
} climb;

/* Dropout makes the steps differ. */
static lb_tensor *climbing_loss(void *context, lb_tape *tape, int64_t step, int64_t *tokens)
{
    climb *c = context;
    *tokens += 1 + step % 3;
    return lb_scale(lb_sum_all(lb_dropout(lb_on_tape(tape, c->weight), (lb_real)0.4)), -1);
}

static lb_status nothing(void *context, lb_tape *tape, lb_evaluation *found)
{
    (void)context;
    *found = (lb_evaluation){0};
    return lb_tape_status(tape);
}

static void begin(climb *c)
{
    *c = (climb){.params = lb_params_new(1)};
    c->weight = lb_params_add(c->params, "", "weight", LB_SHAPE(SIZE), (lb_init){LB_INIT_CONSTANT, 0.5});
    c->config = (lb_trainer_config){.params = c->params,
                                    .loss = climbing_loss,
                                    .evaluate = nothing,
                                    .steps = STEPS,
                                    .evaluate_every = EVERY,
                                    .schedule = {.lr = 0.1},
                                    .run = "climb"};
}

static void train(climb *c)
{
    c->config.context = c;
    lb_status status = lb_train(c->config, &c->history, &c->error);
    ck_assert_msg(status == LB_OK, "%s", c->error.message);
}

static void finish(climb *c)
{
    lb_release(c->history.points);
    lb_params_free(c->params);
}

/* Averages the weights as lb_trainer_config says. */
static lb_status follow_average(void *context, const lb_event *event, lb_error *error)
{
    climb *c = context;
    (void)error;
    if (event->kind != LB_EVENT_STEPPED) return LB_OK;
    double step = (double)event->step.step, decay = fmin(c->config.average, step / (9 + step));
    for (int i = 0; i < SIZE; i++)
        c->average[i] = decay * c->average[i] + (1 - decay) * (double)c->weight->data[i];
    return LB_OK;
}

static lb_status compare_average(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    *found = (lb_evaluation){0};
    c->evaluations++;
    for (int i = 0; i < SIZE; i++) {
        double weight = (double)c->weight->data[i];
        SUPPORT_CHECK(fabs(weight - c->average[i]) <= 1e-5 * fabs(weight),
                      "point %d, weight %d: %.9g, not %.9g", (int)c->evaluations, i, weight, c->average[i]);
    }
    return lb_tape_status(tape);
}

START_TEST(test_train_evaluates_and_ends_with_the_average_of_the_weights)
{
    enum { LONG = 60 };
    climb c;
    begin(&c);
    c.config.evaluate = compare_average;
    c.config.tell = follow_average;
    c.config.evaluate_every = 1;
    c.config.steps = LONG;
    c.config.average = 0.8; /* which 1 / 10, 2 / 11, ... reach at step 36 */
    train(&c);
    ck_assert_int_eq(c.evaluations, LONG);
    lb_evaluation unused;
    lb_tape *tape = lb_tape_new();
    ck_assert_int_eq(compare_average(&c, tape, &unused), LB_OK);
    for (int i = 0; i < SIZE; i++) ck_assert_double_gt(c.average[i], 1);
    lb_tape_free(tape);
    finish(&c);
}
END_TEST

static lb_status note_loss(void *context, const lb_event *event, lb_error *error)
{
    climb *c = context;
    (void)error;
    if (event->kind == LB_EVENT_STEPPED) c->losses[event->step.step - 1] = event->step.loss;
    return LB_OK;
}

static bool is_time_to_stop(void *context)
{
    climb *c = context;
    return c->evaluations-- == 0;
}

/* Each point has the mean loss of the steps since the one before, and the tokens of all steps. */
static void check_points(const climb *c)
{
    int64_t step = 0;
    double tokens = 0;
    for (int64_t i = 0; i < c->history.count; i++) {
        const lb_train_point *p = &c->history.points[i];
        double sum = 0;
        ck_assert_int_eq(p->step, step + EVERY);
        for (; step < p->step; step++) {
            sum += c->losses[step];
            tokens += 1 + (double)(step % 3);
        }
        ck_assert_double_eq_tol(p->loss, sum / EVERY, 1e-9);
        ck_assert_double_eq(p->tokens, tokens);
    }
    ck_assert_int_eq(step, STEPS);
    ck_assert_double_lt(c->losses[STEPS - 1], c->losses[0] - 1); /* steps do differ */
}

static void interrupt_after(climb *c, int64_t evaluations)
{
    c->evaluations = evaluations;
    ck_assert_int_eq(lb_train(c->config, &c->history, &c->error), LB_ERROR_INTERRUPTED);
    lb_release(c->history.points);
    c->config.fresh = false;
}

START_TEST(test_train_point_has_the_mean_loss_of_its_steps_and_all_tokens_also_after_a_pause)
{
    for (int64_t pause = 0; pause < STEPS; pause++) {
        climb c;
        begin(&c);
        c.config.tell = note_loss;
        c.config.stop = is_time_to_stop;
        c.config.checkpoint = support_path("points.safetensors");
        c.config.fresh = true;
        c.config.context = &c;
        if (pause > 0) interrupt_after(&c, pause);
        c.evaluations = STEPS;
        train(&c);
        check_points(&c);
        finish(&c);
    }
}
END_TEST

/* A quarter more at each evaluation. */
static lb_status quarters(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    *found = (lb_evaluation){.exact_match = 0.25 * (double)++c->evaluations};
    return lb_tape_status(tape);
}

START_TEST(test_train_stops_when_the_target_is_met_exactly)
{
    static const double targets[] = {0.5, 0.51, 1};
    static const int points[] = {2, 3, 4};
    for (int i = 0; SUPPORT_ROW(i, targets); i++) {
        climb c;
        begin(&c);
        c.config.evaluate = quarters;
        c.config.steps = 10 * STEPS;
        c.config.target = targets[i];
        train(&c);
        ck_assert_int_eq(c.history.count, points[i]);
        ck_assert_int_eq(c.history.end, LB_TRAIN_TARGET);
        finish(&c);
    }
}
END_TEST

/* The first weights are the best, and every evaluation is worse than the one before. */
static lb_status falling(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    c->evaluations++;
    *found = (lb_evaluation){.exact_match = 1 / (1 + fabs((double)c->weight->data[0] - 0.5))};
    return lb_tape_status(tape);
}

static bool stop_after_steps(void *context)
{
    climb *c = context;
    return c->steps-- == 0;
}

static void train_trained(climb *c, bool trained, bool keep_best, int64_t pause)
{
    begin(c);
    c->config.evaluate = falling;
    c->config.trained = trained;
    c->config.keep_best = keep_best;
    c->config.average = 0.5;
    c->config.checkpoint = support_path("trained.safetensors");
    c->config.fresh = true;
    if (pause >= 0) {
        c->config.stop = stop_after_steps;
        c->steps = pause;
        c->config.context = c;
        ck_assert_int_eq(lb_train(c->config, &c->history, &c->error), LB_ERROR_INTERRUPTED);
        lb_release(c->history.points);
        c->config.fresh = false;
        c->config.stop = NULL;
    }
    train(c);
}

START_TEST(test_train_of_trained_weights_measures_them_first_and_may_keep_them)
{
    climb c;
    train_trained(&c, true, true, -1);
    const lb_train_point *first = c.history.points;
    ck_assert_int_eq(c.history.count, STEPS / EVERY + 1);
    ck_assert_int_eq(c.evaluations, STEPS / EVERY + 1);
    ck_assert(first->step == 0 && isnan(first->loss) && first->dev.exact_match == 1);
    ck_assert(first->lr == 0 && first->grad_norm == 0 && first->tokens == 0);
    ck_assert_ptr_eq(lb_train_best(&c.history), first);
    for (int i = 0; i < SIZE; i++) ck_assert_double_eq((double)c.weight->data[i], 0.5);
    finish(&c);
}
END_TEST

START_TEST(test_train_of_new_weights_measures_nothing_before_the_first_step)
{
    climb c;
    train_trained(&c, false, true, -1);
    ck_assert_int_eq(c.evaluations, STEPS / EVERY);
    ck_assert_int_eq(c.history.points[0].step, EVERY);
    finish(&c);
}
END_TEST

/* Also before the first step, with a checkpoint that has only the evaluation. */
START_TEST(test_train_of_trained_weights_resumes_with_the_same_points_and_bits)
{
    for (int best = 0; best < 2; best++)
        for (int64_t pause = 0; pause < 2 * EVERY; pause += 3) {
            climb whole, paused;
            train_trained(&whole, true, best, -1);
            train_trained(&paused, true, best, pause);
            ck_assert_int_eq(paused.evaluations, whole.evaluations); /* none twice */
            ck_assert_int_eq(paused.history.count, whole.history.count);
            for (int64_t i = 0; i < whole.history.count; i++) {
                const lb_train_point *a = &whole.history.points[i], *b = &paused.history.points[i];
                ck_assert(a->step == b->step && a->dev.exact_match == b->dev.exact_match);
                ck_assert(a->loss == b->loss || (i == 0 && isnan(b->loss)));
            }
            ck_assert_mem_eq(whole.weight->data, paused.weight->data, SIZE * sizeof(lb_real));
            finish(&whole);
            finish(&paused);
        }
}
END_TEST

START_TEST(test_train_of_trained_weights_that_meet_the_target_takes_no_step)
{
    climb c;
    begin(&c);
    c.config.evaluate = falling;
    c.config.trained = true;
    c.config.target = 1;
    train(&c);
    ck_assert_int_eq(c.history.count, 1);
    ck_assert_int_eq(c.history.end, LB_TRAIN_TARGET);
    ck_assert_double_eq((double)c.weight->data[0], 0.5);
    finish(&c);
}
END_TEST

START_TEST(test_train_of_trained_weights_that_are_not_finite_is_an_error)
{
    climb c;
    begin(&c);
    c.config.evaluate = falling;
    c.config.trained = true;
    c.weight->data[1] = (lb_real)NAN;
    c.config.context = &c;
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_ARGUMENT);
    ck_assert_msg(strstr(c.error.message, " is nan at ") != NULL, "%s", c.error.message);
    finish(&c);
}
END_TEST

/* Two measures of the program's own: the first falls and rises, and lower is better. */
static lb_status measure_own(void *context, lb_tape *tape, lb_evaluation *found)
{
    climb *c = context;
    double first = fabs((double)++c->evaluations - 2);
    *found = (lb_evaluation){.exact_match = 0.1 * (double)c->evaluations, .own = {first, 7}};
    return lb_tape_status(tape);
}

static bool has_less(const lb_evaluation *a, const lb_evaluation *b)
{
    return a->own[0] < b->own[0];
}

static void train_by_own_measures(climb *c, lb_optimizer_kind kind, int64_t pause)
{
    begin(c);
    c->config.evaluate = measure_own;
    c->config.is_better = has_less;
    c->config.keep_best = true;
    c->config.optimizer =
        (lb_optimizer_config){.kind = kind, .momentum = (lb_real)0.9, .weight_decay = (lb_real)0.01};
    c->config.checkpoint = support_path("own.safetensors");
    c->config.fresh = true;
    if (pause > 0) {
        c->config.steps = pause;
        train(c);
        lb_release(c->history.points);
        c->config.steps = STEPS;
        c->config.fresh = false;
    }
    train(c);
}

START_TEST(test_train_resumes_any_optimiser_and_chooses_by_own_measures)
{
    for (int kind = 0; kind < 3; kind++) {
        climb whole, paused;
        train_by_own_measures(&whole, (lb_optimizer_kind)kind, 0);
        train_by_own_measures(&paused, (lb_optimizer_kind)kind, 3 * EVERY);
        ck_assert_int_eq(paused.history.count, STEPS / EVERY);
        ck_assert_int_eq(lb_train_best(&paused.history)->step, 2 * EVERY);
        for (int64_t i = 0; i < paused.history.count; i++) {
            const lb_evaluation *dev = &paused.history.points[i].dev;
            ck_assert(dev->own[0] == fabs((double)i - 1) && dev->own[1] == 7 && dev->own[3] == 0);
        }
        ck_assert_mem_eq(whole.weight->data, paused.weight->data, SIZE * sizeof(lb_real));
        finish(&whole);
        finish(&paused);
    }
}
END_TEST

START_TEST(test_train_refuses_the_state_of_another_optimiser)
{
    char expected[2 * SUPPORT_PATH];
    climb c;
    train_by_own_measures(&c, LB_OPTIMIZER_ADAM, 0);
    lb_release(c.history.points);
    c.config.optimizer.kind = LB_OPTIMIZER_SGD;
    c.config.fresh = false;
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_FORMAT);
    snprintf(expected, sizeof expected, "cannot resume from %s: ", c.config.checkpoint);
    ck_assert_msg(strstr(c.error.message, expected) && strstr(c.error.message, "'sgd.velocity'"), "%s",
                  c.error.message);
    finish(&c);
}
END_TEST

START_TEST(test_train_needs_no_evaluation_but_parameters_and_a_loss)
{
    climb c;
    begin(&c);
    c.config.evaluate = NULL;
    train(&c);
    ck_assert_int_eq(c.history.count, STEPS / EVERY);
    lb_release(c.history.points);
    c.config.keep_best = true;
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(c.error.message,
                     "lb_train: found no evaluation to keep the best weights by, expected some");
    c.config.loss = NULL;
    c.error = (lb_error){0};
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(c.error.message, "lb_train: found no loss, expected some");
    lb_params_free(c.params);
}
END_TEST

START_TEST(test_train_a_kind_that_there_is_not_is_an_error_before_the_first_step)
{
    climb c;
    begin(&c);
    c.config.schedule.kind = (lb_schedule_kind)4;
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(c.error.message,
                     "lb_train: the learning rate of schedule 4 is no number, expected a kind "
                     "from 0 to 3");
    c.config.schedule.kind = LB_SCHEDULE_CONSTANT;
    c.config.optimizer.kind = (lb_optimizer_kind)3;
    c.error = (lb_error){0};
    ck_assert_int_eq(lb_train(c.config, &c.history, &c.error), LB_ERROR_ARGUMENT);
    ck_assert_str_eq(c.error.message, "lb_optimizer_new: kind is 3, expected 0 to 2");
    ck_assert_int_eq(c.history.count, 0);
    lb_params_free(c.params);
}
END_TEST

START_TEST(test_train_without_a_clock_ends_with_the_same_weights)
{
    climb with, without;
    begin(&with);
    begin(&without);
    train(&with);
    support_fail_clock(true);
    train(&without);
    support_fail_clock(false);
    ck_assert_int_eq(without.history.count, with.history.count);
    for (int64_t i = 0; i < without.history.count; i++)
        ck_assert_double_eq(without.history.points[i].seconds, 0);
    ck_assert_mem_eq(without.weight->data, with.weight->data, SIZE * sizeof *with.weight->data);
    finish(&with);
    finish(&without);
}
END_TEST
