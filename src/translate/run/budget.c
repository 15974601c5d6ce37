/* Fits a training into `minutes`: width and steps from the measured speed, and again at each evaluation. */
#include "translate/plan/recipe.h"

#include "base/alloc.h"
#include "base/format.h"
#include "base/progress.h"
#include "io/path.h"
#include "translate/run/stepper.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    FIRST_STEPS = 4, /* they fetch memory and wake threads: not timed */
    TIMED_STEPS = 24,
    NARROWEST = 64,
    WIDTHS = 32 /* widths are multiples of this */
};

/* With fewer of the steps of the recipe, a smaller model is better. */
static const double LEAST_SHARE = 1.0 / 3;

int64_t lb_budget_steps(double seconds, lb_training_cost cost, int64_t evaluate_every)
{
    double each = cost.step + cost.evaluation / (double)evaluate_every;
    double steps = floor((seconds - cost.evaluation) / each);
    return steps >= 1 ? (int64_t)fmin(steps, INT32_MAX) : 1;
}

int lb_budget_narrower(int width)
{
    int narrower = (int)(width / sqrt(2)) / WIDTHS * WIDTHS;
    return narrower > NARROWEST ? narrower : NARROWEST < width ? NARROWEST : width;
}

int64_t lb_budget_refit(const lb_train_history *history, double seconds, int64_t most)
{
    static const lb_train_point none;
    const lb_train_point *last = lb_train_last(history), *before = history->count > 1 ? last - 1 : &none;
    double each = (last->seconds - before->seconds) / (double)(last->step - before->step);
    double left = floor((seconds - last->seconds) / each); /* NaN without a step or a second between them */
    return left > 0 ? (int64_t)fmin((double)last->step + left, (double)most) : last->step;
}

static lb_status time_steps(lb_stepper *stepper, int64_t pairs, lb_training_cost *cost, lb_error *error)
{
    double loss, begin = 0;
    lb_evaluation found;
    lb_status status = LB_OK;
    for (int i = 0; i < FIRST_STEPS + TIMED_STEPS && !status; i++) {
        if (i == FIRST_STEPS) begin = lb_seconds();
        status = lb_stepper_step(stepper, &loss, error);
    }
    cost->step = (lb_seconds() - begin) / TIMED_STEPS;
    begin = lb_seconds();
    if (!status) status = lb_stepper_measure(stepper, pairs, &found, error);
    cost->evaluation = lb_seconds() - begin;
    return status;
}

/* The steps of the recipe, and what they cost. */
static lb_status try_out(const lb_training_config *config, int64_t *steps, lb_training_cost *cost,
                         lb_error *error)
{
    lb_training_config c = *config;
    c.tell = NULL;
    c.stop = NULL;
    c.out = c.choose_on = NULL;
    c.test[0] = (lb_test){0};
    c.evaluate_every = INT_MAX;
    c.minutes = 0;
    lb_stepper *stepper = lb_stepper_new(c, error);
    if (!stepper) return error->status;
    *steps = lb_stepper_about(stepper).steps;
    lb_status status = time_steps(stepper, LB_MEASURED, cost, error);
    lb_stepper_free(stepper);
    return status;
}

static lb_status choose_size(lb_training_config *c, const lb_training_config *asked, lb_error *error)
{
    const double end = lb_seconds() + 60 * c->minutes; /* the trials take a part of the time */
    for (;;) {
        int64_t usual = 0;
        lb_training_cost cost = {0};
        lb_status status = try_out(c, &usual, &cost, error);
        if (status) return status;
        int64_t steps = lb_budget_steps(end - lb_seconds(), cost, c->evaluate_every);
        int narrower = lb_budget_narrower(c->hidden);
        if ((double)steps >= LEAST_SHARE * (double)usual || narrower == c->hidden || asked->hidden ||
            c->from) {
            c->steps = (int)(steps < usual ? steps : usual);
            char text[LB_MESSAGE_LENGTH];
            lb_snprintf(text, sizeof text, "%.3g min: width %d, %d step%s of %lld, %.3g ms each", c->minutes,
                        c->hidden, c->steps, lb_plural(c->steps), (long long)usual, 1e3 * cost.step);
            lb_training_tell_text(c, LB_EVENT_NOTE, text);
            c->minutes = fmax(end - lb_seconds(), DBL_MIN) / 60;
            return LB_OK;
        }
        c->hidden = narrower;
        if (!asked->embed && c->embed > narrower) c->embed = narrower;
    }
}

static lb_status check_data(const lb_training_config *c, lb_error *error)
{
    const char *found = c->seeds > 1                             ? "several seeds"
                        : c->group                               ? "several processes"
                        : c->train && strcmp(c->train, "-") == 0 ? "standard input"
                                                                 : NULL;
    if (!found) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "minutes: found %s, expected one training on a file",
                        found);
}

lb_status lb_budget_fit(lb_training_config *c, const lb_training_config *asked, lb_error *error)
{
    lb_run_facts run = {0};
    if (c->minutes <= 0) return LB_OK;
    lb_status status = check_data(c, error);
    if (status) return status;
    char *checkpoint = c->out ? lb_folder_path(c->out, "checkpoint.safetensors", error) : NULL;
    if (c->out && !checkpoint) return error->status;
    if (checkpoint && !c->fresh) status = lb_run_identity_facts(checkpoint, &run, error);
    lb_release(checkpoint);
    if (status) return status;
    if (run.steps == 0) return choose_size(c, asked, error);
    c->steps = run.steps;
    if (!asked->hidden) c->hidden = run.hidden;
    if (!asked->embed) c->embed = run.embed;
    return LB_OK;
}

lb_status lb_budget_look_again(void *stepper, lb_trainer_config *loop, lb_error *error)
{
    lb_stepper *s = stepper;
    lb_training_config usual = *s->config;
    const int64_t step = lb_train_last(&s->history)->step;
    if (usual.minutes <= 0 || step == 0 || step >= s->run.steps) return LB_OK;
    usual.steps = 0;
    s->run.steps = lb_budget_refit(&s->history, 60 * usual.minutes, lb_data_loader_steps(&s->loader, &usual));
    loop->steps = loop->schedule.period = s->run.steps;
    loop->patience = lb_recipe_trainer(s->config, s->run.steps).patience;
    lb_release(s->identity);
    loop->run = s->identity = lb_run_identity(s);
    s->loop = *loop; /* also of the parts that follow */
    return s->identity ? LB_OK : lb_no_memory(error, NULL);
}
