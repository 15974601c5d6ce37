#include "lookback/train.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/hash.h"
#include "tensor/finite.h"
#include "train/group.h"
#include "train/point.h"
#include "train/step.h"

#include <stdio.h>
#include <string.h>

enum { EVALUATE_EVERY = 250 };

typedef struct loop {
    lb_train_session train;
    lb_error *error;
    double start; /* of this session */
    double seconds_before, tokens_before;
    int64_t saved; /* the step of the checkpoint */
} loop;

static double now(void)
{
    return 1e-9 * (double)lb_clock();
}

static const lb_train_point *last_point(const lb_train_history *history)
{
    return history->count ? &history->points[history->count - 1] : NULL;
}

bool lb_evaluation_is_better(const lb_evaluation *a, const lb_evaluation *b)
{
    if (a->exact_match != b->exact_match) return a->exact_match > b->exact_match;
    if (a->symbol_error != b->symbol_error) return a->symbol_error < b->symbol_error;
    return a->loss < b->loss; /* false for NaN, which is never better */
}

const lb_train_point *lb_train_best(const lb_train_history *history)
{
    const lb_train_point *best = NULL;
    lb_is_better_fn is_better = history->is_better ? history->is_better : lb_evaluation_is_better;
    for (int64_t i = 0; i < history->count; i++)
        if (!best || is_better(&history->points[i].dev, &best->dev)) best = &history->points[i];
    return best;
}

static lb_status tape_failed(const loop *s)
{
    return lb_error_set(s->error, lb_tape_status(s->train.tape), "%s", lb_tape_error(s->train.tape));
}

/* Evaluates the current parameters, adds the point, and keeps them if they are the best. */
static lb_status evaluate(loop *s, lb_train_point *point)
{
    const lb_trainer_config *c = s->train.config;
    lb_train_history *history = s->train.state.history;
    /* A finite loss does not tell: some weights may not have been used. */
    if (lb_first_not_finite(lb_params_values(c->params), lb_params_size(c->params)) >= 0)
        return lb_error_set(
            s->error, LB_ERROR_DIVERGED,
            "training diverged: after step %lld weights are not finite; a smaller learning rate may help",
            (long long)point->step);
    if (c->evaluate && c->evaluate(c->context, s->train.tape, &point->dev)) return tape_failed(s);
    point->grad_norm = lb_optimizer_about(s->train.state.optimizer).grad_norm;
    point->tokens = s->train.tokens + s->tokens_before;
    point->seconds = now() - s->start + s->seconds_before;
    lb_status status = lb_train_history_add(history, *point, s->error);
    if (status) return status;
    if (s->train.state.best && lb_train_best(history) == last_point(history))
        memcpy(s->train.state.best, lb_params_values(c->params), lb_train_session_bytes(&s->train));
    return c->evaluated && lb_group_leads(c->group) ? c->evaluated(c->context, history, s->error) : LB_OK;
}

static lb_status save(loop *s, lb_error *error)
{
    s->train.state.tokens = s->train.tokens + s->tokens_before;
    s->train.state.seconds = now() - s->start + s->seconds_before;
    bool saves = s->train.config->checkpoint && lb_group_leads(s->train.config->group);
    lb_status status = saves ? lb_resume_save(s->train.config, &s->train.state, error) : LB_OK;
    if (!status) s->saved = s->train.state.step;
    return status;
}

/* A full disk is no reason to give up weights that are in memory: it may have room again later. */
static lb_status try_to_save(loop *s)
{
    lb_error found = {0};
    lb_status status = save(s, &found);
    if (!status) return LB_OK;
    if (status != LB_ERROR_WRITE) return lb_error_set(s->error, status, "%s", found.message);
    if (s->train.config->unsaved) s->train.config->unsaved(s->train.config->context, &found);
    return LB_OK;
}

static lb_status save_if_needed(loop *s)
{
    return s->saved < s->train.state.step ? save(s, s->error) : LB_OK;
}

static int64_t steps_since_point(const loop *s)
{
    const lb_train_point *last = last_point(s->train.state.history);
    return s->train.state.step - (last ? last->step : 0);
}

/* Evaluates, records the point, and saves. */
static lb_status mark_point(loop *s)
{
    const lb_trainer_config *c = s->train.config;
    lb_train_point point = {.step = s->train.state.step,
                            .loss = s->train.state.loss_sum / (double)steps_since_point(s),
                            .lr = lb_schedule_lr(&c->schedule, s->train.state.step - 1)};
    lb_train_session_swap(&s->train);
    lb_status status = evaluate(s, &point);
    lb_train_session_swap(&s->train);
    s->train.state.loss_sum = 0;
    if (!status) status = try_to_save(s);
    if (!status && c->point && lb_group_leads(c->group))
        status = c->point(c->context, s->train.state.history, s->error);
    return status;
}

/* The point from which patience counts. Once everything is right, a lower loss still replaces the best model, but does
 * not extend the run. */
static const lb_train_point *last_gain(const lb_train_history *history)
{
    for (int64_t i = 0; i < history->count; i++)
        if (history->points[i].dev.exact_match >= 1) return &history->points[i];
    return lb_train_best(history);
}

static bool is_done(const loop *s, int64_t step)
{
    const lb_trainer_config *c = s->train.config;
    lb_train_history *history = s->train.state.history;
    const lb_train_point *last = last_point(history), *gain = last_gain(history);
    history->end = LB_TRAIN_ALL_STEPS;
    if (step >= c->steps) return true;
    if (last && c->target > 0 && last->dev.exact_match >= c->target)
        history->end = LB_TRAIN_TARGET;
    else if (last && c->patience > 0 && last - gain >= c->patience)
        history->end = LB_TRAIN_PATIENCE;
    return history->end != LB_TRAIN_ALL_STEPS;
}

/* Saves the steps since the last evaluation. */
static lb_status interrupt(loop *s)
{
    lb_status status = save_if_needed(s);
    if (status) return status;
    return lb_error_set(s->error, LB_ERROR_INTERRUPTED, "interrupted at step %lld",
                        (long long)s->train.state.step);
}

/* A process alone asks between two steps, a group has asked within the last one. */
static bool is_stopped(const loop *s)
{
    const lb_trainer_config *c = s->train.config;
    return c->group ? s->train.stopped : c->stop && c->stop(c->context);
}

static lb_status run(loop *s)
{
    const lb_trainer_config *c = s->train.config;
    lb_train_state *state = &s->train.state;
    int64_t every = c->evaluate_every ? c->evaluate_every : EVALUATE_EVERY;
    while (!is_done(s, state->step)) {
        double loss = 0;
        if (is_stopped(s)) return interrupt(s);
        lb_status status = lb_train_session_step(&s->train, &loss, s->error);
        if (status) return status;
        if (c->progress && lb_group_leads(c->group))
            c->progress(c->context, state->step, loss, last_point(state->history), s->train.tokens,
                        now() - s->start);
        if (state->step % every != 0 && state->step != c->steps) continue;
        status = mark_point(s);
        if (status) return status;
    }
    return save_if_needed(s);
}

/* Resumes from the checkpoint. */
static lb_status resume(loop *s)
{
    lb_status status = lb_resume_load(s->train.config, &s->train.state, s->error);
    s->saved = s->train.state.step;
    s->seconds_before = s->train.state.seconds;
    s->tokens_before = s->train.state.tokens;
    return status;
}

/* Whoever computes something else would make the weights of all others worthless. */
static lb_status agree(const loop *s)
{
    const lb_trainer_config *c = s->train.config;
    const char *settings = c->run ? c->run : "";
    char text[64];
    lb_status status = lb_group_agree_on_build(c->group, s->error);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)lb_hash(LB_HASH, settings, strlen(settings)));
    if (!status) status = lb_group_agree(c->group, "hash of data and settings", text, s->error);
    snprintf(text, sizeof text, "%lld", (long long)s->train.state.step);
    if (!status) status = lb_group_agree(c->group, "step of the checkpoint", text, s->error);
    uint64_t weights = lb_hash(LB_HASH, lb_params_values(c->params), lb_train_session_bytes(&s->train));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)weights);
    return status ? status : lb_group_agree(c->group, "hash of the weights", text, s->error);
}

/* Sets the parameters to the final result of the run. */
static void settle(const loop *s)
{
    if (s->train.state.best && s->train.state.history->count > 0)
        memcpy(lb_params_values(s->train.config->params), s->train.state.best,
               lb_train_session_bytes(&s->train));
    else
        lb_train_session_swap(&s->train);
}

lb_status lb_train(lb_trainer_config config, lb_train_history *history, lb_error *error)
{
    *history = (lb_train_history){.is_better = config.is_better};
    if (!config.params || !config.loss || (config.keep_best && !config.evaluate))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "lb_train: found no %s, expected some",
                            !config.params ? "parameters"
                            : !config.loss ? "loss"
                                           : "evaluation to keep the best weights by");
    loop s = {.train = {.config = &config, .state = {.history = history}}, .error = error, .start = now()};
    lb_status status = lb_train_session_begin(&s.train, error);
    if (!status && config.checkpoint && !config.fresh) status = resume(&s);
    if (!status && config.group) status = agree(&s);
    if (!status) status = run(&s);
    if (!status) settle(&s);
    lb_train_session_free(&s.train);
    return status;
}

void lb_train_point_print(lb_buffer *json, const lb_train_point *p)
{
    lb_buffer_print(json,
                    "\"step\":%lld,\"loss\":%.9g,\"dev_loss\":%.9g,\"exact_match\":%.9g,"
                    "\"symbol_error\":%.9g,\"lr\":%.9g,\"grad_norm\":%.9g",
                    (long long)p->step, p->loss, p->dev.loss, p->dev.exact_match, p->dev.symbol_error, p->lr,
                    p->grad_norm);
}

char *lb_train_history_json(const lb_train_history *history)
{
    lb_buffer json = {0};
    lb_buffer_print(&json, "%s", "");
    for (int64_t i = 0; i < history->count; i++) {
        const lb_train_point *p = &history->points[i];
        lb_buffer_print(&json, "{");
        lb_train_point_print(&json, p);
        lb_buffer_print(&json, ",\"seconds\":%.3f,\"tokens\":%.0f}\n", p->seconds, p->tokens);
    }
    if (!json.failed) return json.text;
    lb_release(json.text);
    return NULL;
}
