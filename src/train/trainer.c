#include "train/trainer.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/progress.h"
#include "nn/params.h"
#include "train/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVALUATE_EVERY = 250 };

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
        if (!best || is_better(lb_train_judged(history, &history->points[i]), lb_train_judged(history, best)))
            best = &history->points[i];
    return best;
}

static lb_status tape_failed(const lb_trainer *t, lb_error *error)
{
    return lb_error_set(error, lb_tape_status(t->tape), "%s", lb_tape_error(t->tape));
}

static lb_status tell(const lb_trainer *t, lb_event event, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    return c->tell && lb_group_leads(c->group) ? c->tell(c->context, &event, error) : LB_OK;
}

/* The dev set is number 0, the tests follow. */
static lb_status measure(const lb_trainer *t, int number, lb_train_point *point)
{
    const lb_trainer_config *c = t->config;
    if (number > 0) return c->test(c->context, number - 1, t->tape, &point->test[number - 1]);
    return c->evaluate ? c->evaluate(c->context, t->tape, &point->dev) : LB_OK;
}

/* Evaluates the current parameters, or goes on with it. */
static lb_status measure_weights(lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    char bad[LB_BAD_TEXT];
    /* A finite loss does not tell: some weights may not have been used. */
    if (*lb_bad_parameter(c->params, false, bad))
        return lb_error_set(error, LB_ERROR_DIVERGED, "training diverged: after step %lld, %s%s",
                            (long long)t->step, bad, lb_divergence_advice(t->step));
    for (; t->measured <= c->tests; t->measured++) {
        const lb_status status = measure(t, t->measured, &t->point);
        if (status == LB_ERROR_INTERRUPTED && c->part) return status;
        if (status) return tape_failed(t, error);
    }
    return LB_OK;
}

/* Adds the point, and keeps the current parameters if they are the best. */
static lb_status add_point(lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    lb_train_history *history = t->history;
    t->point.grad_norm = lb_optimizer_about(t->optimizer).grad_norm;
    t->point.tokens = t->tokens;
    t->point.weights = lb_params_hash(c->params, "");
    t->point.seconds = lb_seconds() - t->start;
    lb_status status = lb_train_history_add(history, t->point, error);
    if (status) return status;
    if (t->best && lb_train_best(history) == lb_train_last(history))
        memcpy(t->best, lb_params_values(c->params), lb_trainer_bytes(t));
    if (c->replan) status = c->replan(c->context, t->config, error);
    if (status) return status;
    return tell(t, (lb_event){.kind = LB_EVENT_EVALUATED, .history = history}, error);
}

static lb_status save(lb_trainer *t, lb_error *error)
{
    t->seconds = lb_seconds() - t->start;
    bool saves = t->config->checkpoint && lb_group_leads(t->config->group);
    lb_status status = saves ? lb_resume_save(t, error) : LB_OK;
    if (!status) t->saved = t->step;
    return status;
}

/* A full disk is no reason to give up weights that are in memory: it may have room again later. */
static lb_status try_to_save(lb_trainer *t, lb_error *error)
{
    lb_error found = {0};
    lb_status status = save(t, &found);
    if (!status) return LB_OK;
    if (status != LB_ERROR_WRITE) return lb_error_set(error, status, "%s", found.message);
    return tell(t, (lb_event){.kind = LB_EVENT_UNSAVED, .error = &found}, error);
}

static lb_status save_if_needed(lb_trainer *t, lb_error *error)
{
    return t->saved < t->step ? save(t, error) : LB_OK;
}

/* The average is in the parameters until the evaluation ends. */
static void begin_point(lb_trainer *t)
{
    const lb_train_point *last = lb_train_last(t->history);
    int64_t steps = t->step - (last ? last->step : 0);
    bool begins = t->step == 0; /* no step has a loss yet */
    t->marks = LB_MEASURES;
    t->measured = 0;
    t->point = (lb_train_point){.step = t->step,
                                .loss = begins ? NAN : t->loss_sum / (double)steps,
                                .lr = begins ? 0 : lb_schedule_lr(&t->config->schedule, t->step - 1)};
    lb_trainer_swap(t);
}

/* Evaluates, records the point, or saves. */
static lb_status mark_part(lb_trainer *t, lb_error *error)
{
    const lb_marking now = t->marks;
    lb_status status = LB_OK;
    if (now == LB_MEASURES) status = measure_weights(t, error);
    if (status == LB_ERROR_INTERRUPTED && t->config->part) return LB_OK;
    if (now == LB_RECORDS) status = add_point(t, error);
    t->marks = status || now == LB_SAVES ? LB_MARKS_NOTHING : now + 1;
    if (t->marks) return LB_OK;
    lb_trainer_swap(t);
    t->loss_sum = 0;
    if (!status) status = try_to_save(t, error);
    return status ? status : tell(t, (lb_event){.kind = LB_EVENT_POINT, .history = t->history}, error);
}

/* At once, or a part of it. */
static lb_status mark_point(lb_trainer *t, lb_error *error)
{
    lb_status status;
    do status = mark_part(t, error);
    while (!status && t->marks && !t->config->part);
    return status;
}

/* The point from which patience counts. Once everything is right, a lower loss still replaces the best model, but does
 * not extend the run, unless the loss is what models are chosen by. */
static const lb_train_point *last_gain(const lb_train_history *history)
{
    static const lb_evaluation right = {.exact_match = 1, .loss = 1}, sure = {0};
    bool by_loss = history->is_better && history->is_better(&sure, &right);
    for (int64_t i = 0; i < history->count && !by_loss; i++)
        if (lb_train_judged(history, &history->points[i])->exact_match >= 1) return &history->points[i];
    return lb_train_best(history);
}

/* Whether the evaluation is over, and all steps are done, the target is reached, or patience has run out. */
static bool is_done(const lb_trainer *t)
{
    const lb_trainer_config *c = t->config;
    lb_train_history *history = t->history;
    const lb_train_point *last = lb_train_last(history), *gain = last_gain(history);
    history->end = LB_TRAIN_ALL_STEPS;
    if (t->marks) return false;
    if (t->step >= c->steps) return true;
    if (last && c->target > 0 && lb_train_judged(history, last)->exact_match >= c->target)
        history->end = LB_TRAIN_TARGET;
    else if (last && c->patience > 0 && last - gain >= c->patience)
        history->end = LB_TRAIN_PATIENCE;
    return history->end != LB_TRAIN_ALL_STEPS;
}

/* Saves the steps since the last evaluation. */
static lb_status interrupt(lb_trainer *t, lb_error *error)
{
    lb_status status = save_if_needed(t, error);
    if (status) return status;
    return lb_error_set(error, LB_ERROR_INTERRUPTED, "interrupted at step %lld", (long long)t->step);
}

static lb_status tell_step(const lb_trainer *t, double loss, lb_error *error)
{
    const lb_training_step step = {.step = t->step,
                                   .loss = loss,
                                   .last = lb_train_last(t->history),
                                   .tokens = t->tokens - t->tokens_before,
                                   .seconds = 1e-9 * (double)t->ended - t->begun};
    return tell(t, (lb_event){.kind = LB_EVENT_STEPPED, .step = step}, error);
}

lb_status lb_trainer_advance(lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    const int64_t every = c->evaluate_every ? c->evaluate_every : EVALUATE_EVERY;
    double loss = 0;
    if (t->marks) return mark_point(t, error);
    /* A process alone asks between two steps, a group has asked within the last one. */
    if (c->group ? t->stopped : c->stop && c->stop(c->context)) return interrupt(t, error);
    lb_status status = lb_trainer_step(t, &loss, error);
    t->history->step = t->step;
    if (!status) status = tell_step(t, loss, error);
    if (status || (t->step % every != 0 && t->step != c->steps)) return status;
    begin_point(t);
    return c->part ? LB_OK : mark_point(t, error);
}

/* Saves, and sets the parameters to the result of the run. */
static lb_status end(lb_trainer *t, lb_error *error)
{
    lb_status status = save_if_needed(t, error);
    if (!status && t->best && t->history->count > 0)
        memcpy(lb_params_values(t->config->params), t->best, lb_trainer_bytes(t));
    else if (!status)
        lb_trainer_swap(t);
    t->history->done = !status;
    return status;
}

/* Whoever computes something else would make the weights of all others worthless. */
static lb_status agree(const lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    const char *settings = c->run ? c->run : "";
    char text[64];
    lb_status status = lb_group_agree_on_build(c->group, error);
    snprintf(text, sizeof text, "%016llx", (unsigned long long)lb_hash(LB_HASH, settings, strlen(settings)));
    if (!status) status = lb_group_agree(c->group, "hash of data and settings", text, error);
    snprintf(text, sizeof text, "%lld", (long long)t->step);
    if (!status) status = lb_group_agree(c->group, "step of the checkpoint", text, error);
    uint64_t weights = lb_hash(LB_HASH, lb_params_values(c->params), lb_trainer_bytes(t));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)weights);
    return status ? status : lb_group_agree(c->group, "hash of the weights", text, error);
}

/* Refuses initial weights that are not finite. A checkpoint has none. */
static lb_status check_weights(const lb_params *params, lb_error *error)
{
    char bad[LB_BAD_TEXT];
    if (!*lb_bad_parameter(params, false, bad)) return LB_OK;
    return lb_error_set(error, LB_ERROR_ARGUMENT, "before the first step, %s, expected a number", bad);
}

static lb_status check_config(const lb_trainer_config *c, lb_error *error)
{
    if (!c->params || !c->loss || (c->keep_best && !c->evaluate))
        return lb_error_set(error, LB_ERROR_ARGUMENT, "lb_train: found no %s, expected some",
                            !c->params ? "parameters"
                            : !c->loss ? "loss"
                                       : "evaluation to keep the best weights by");
    if (c->tests < 0 || c->tests > LB_MOST_TESTS || (c->tests > 0 && !c->test))
        return lb_error_set(error, LB_ERROR_ARGUMENT,
                            "lb_train: found %d tests, expected a function for them, and at most %d",
                            c->tests, LB_MOST_TESTS);
    if (isnan(lb_schedule_lr(&c->schedule, 0)))
        return lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "lb_train: the learning rate of schedule %d is no number, expected a kind from 0 to %d",
            (int)c->schedule.kind, (int)LB_SCHEDULE_INVERSE_SQRT);
    return LB_OK;
}

/* Begins, resumes from the checkpoint if there is one, and evaluates parameters that are trained already. */
static lb_status begin(lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    lb_status status = check_config(c, error);
    t->start = lb_seconds();
    if (!status) status = lb_trainer_begin(t, error);
    if (!status && c->checkpoint && !c->fresh) status = lb_resume_load(t, error);
    t->saved = t->history->step = t->step;
    t->start -= t->seconds; /* as if this process had begun so much earlier */
    if (!status && c->group) status = agree(t, error);
    if (!status) status = check_weights(c->params, error);
    t->begun = lb_seconds();
    t->tokens_before = t->tokens;
    /* What is trained already may be better than anything that follows. */
    bool measures = c->trained && c->evaluate && t->step == 0 && t->history->count == 0;
    if (status || !measures) return status;
    begin_point(t);
    return c->part ? LB_OK : mark_point(t, error);
}

static lb_train_history history_of(const lb_trainer_config *c)
{
    return (lb_train_history){.is_better = c->is_better, .tests = c->names, .choose_on = c->choose_on};
}

/* ---- In parts. ---- */

typedef struct session {
    lb_trainer_config config;
    lb_trainer trainer;
} session;

static void free_session(void *object)
{
    session *s = object;
    lb_trainer_free(&s->trainer);
    lb_release(s);
}

static lb_status begin_session(const lb_trainer_config *config, lb_train_history *history, lb_error *error)
{
    session *s = lb_alloc_zero(sizeof *s);
    if (!s) return lb_no_memory(error, "training");
    *history = history_of(config);
    *s = (session){.config = *config, .trainer = {.config = &s->config, .history = history}};
    lb_params_keep(config->params, s, free_session);
    lb_status status = begin(&s->trainer, error);
    if (status) lb_params_keep(config->params, NULL, NULL);
    return status;
}

static void continue_session(session *s, const lb_trainer_config *config, lb_train_history *history)
{
    s->config = *config;
    s->trainer.history = history;
    if (!s->trainer.marks) lb_trainer_swap(&s->trainer);
}

static lb_status train_part(const lb_trainer_config *config, lb_train_history *history, lb_error *error)
{
    lb_status status = check_config(config, error);
    if (status) return status;
    if (lb_params_kept(config->params))
        continue_session(lb_params_kept(config->params), config, history);
    else
        status = begin_session(config, history, error);
    if (status) return status;
    lb_trainer *t = &((session *)lb_params_kept(config->params))->trainer;
    for (int64_t i = 0; i < config->part && !status && !is_done(t); i++)
        status = lb_trainer_advance(t, error);
    const bool ends = !status && is_done(t);
    if (ends)
        status = end(t, error);
    else if (!t->marks)
        lb_trainer_swap(t);
    if (ends) lb_params_keep(config->params, NULL, NULL);
    return status;
}

lb_status lb_train(lb_trainer_config config, lb_train_history *history, lb_error *error)
{
    if (config.part) return train_part(&config, history, error);
    *history = history_of(&config);
    lb_trainer t = {.config = &config, .history = history};
    lb_status status = begin(&t, error);
    while (!status && !is_done(&t)) status = lb_trainer_advance(&t, error);
    if (!status) status = end(&t, error);
    lb_trainer_free(&t);
    return status;
}
