/* One step of a training: loss and gradient of each shard, their sum over shards and ranks, and the optimiser. */
#include "train/trainer.h"

#include "autograd/tape.h"
#include "base/alloc.h"
#include "base/progress.h"
#include "base/threads.h"
#include "nn/params.h"
#include "tensor/arrays.h"
#include "train/optimizer.h"
#include "train/shards.h"

#include <math.h>
#include <string.h>

size_t lb_trainer_bytes(const lb_trainer *t)
{
    return (size_t)lb_params_size(t->config->params) * sizeof(lb_real);
}

/* The average of untrained weights begins at 0, which the first steps make up for (update_average). Frozen parameters
 * are their own average, bit for bit. */
static void begin_average(const lb_trainer *t)
{
    const lb_real *values = lb_params_values(t->config->params);
    int64_t size = lb_params_size(t->config->params), end;
    if (!t->average) return;
    memcpy(t->average, values, lb_trainer_bytes(t));
    for (int64_t at = 0; !t->config->trained && (at = lb_params_trained(t->config->params, at, &end)) < size;
         at = end)
        memset(t->average + at, 0, (size_t)(end - at) * sizeof *values);
}

lb_status lb_trainer_begin(lb_trainer *t, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    int all = c->shards > 0 ? c->shards : 1, size = lb_group_size(c->group);
    lb_status status = lb_group_check(c->group, all, error);
    if (!status) status = lb_shards_init(&t->shards, c->params, all / size, error);
    if (status) return status;
    t->threads = lb_thread_choice_of(lb_threads());
    t->tape = lb_tape_new();
    if (size > 1) t->room = lb_alloc(LB_GROUP_ROOM * sizeof *t->room);
    lb_optimizer_config optimizer = c->optimizer;
    optimizer.tape = t->tape;
    t->optimizer = lb_optimizer_new(c->params, optimizer);
    if (c->average > 0) t->average = lb_alloc_zero(lb_trainer_bytes(t));
    if (c->keep_best) t->best = lb_alloc_zero(lb_trainer_bytes(t));
    bool slabs = (t->average || !(c->average > 0)) && (t->best || !c->keep_best);
    if (!t->tape || !t->optimizer || !slabs || (size > 1 && !t->room)) return lb_no_memory(error, "training");
    begin_average(t);
    status = lb_tape_set_precision(t->tape, c->precision, error);
    return status ? status : lb_optimizer_check(t->optimizer, error);
}

/* As lb_train says: a young average forgets its beginning fast. */
static void update_average(const lb_trainer *t)
{
    double step = (double)t->step, young = (1 + step) / (10 + step);
    double decay = young < t->config->average ? young : t->config->average;
    lb_move_towards(lb_params_size(t->config->params), (lb_real)(1 - decay),
                    lb_params_values(t->config->params), t->average);
}

/* Adds the gradient of one part: of the mean over its tokens if it is the only one, otherwise of their sum. Nobody will
 * read other gradients if the tape `spends` them. */
static lb_status take_part(lb_trainer *t, int64_t part, bool spends, lb_shard_totals *totals, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    int64_t tokens = 0;
    lb_tape_reset(t->tape);
    lb_tape_seed(t->tape, c->seed, (uint32_t)part);
    lb_tensor *loss = c->loss(c->context, t->tape, part, &tokens);
    *totals = (lb_shard_totals){0};
    if (c->shards > 1 && tokens == 0 && lb_tape_status(t->tape) == LB_OK) return LB_OK;
    if (c->shards > 1) loss = lb_scale(loss, (lb_real)tokens);
    if (spends) lb_tape_spend(t->tape);
    lb_status status = lb_backward(loss, error);
    /* The totals tell whether a loss is finite, in all processes at once. */
    *totals = (lb_shard_totals){(double)lb_item(loss), (double)tokens};
    return status;
}

/* The gradient and the totals of all processes. A mean over the batch has the gradient of the sum, divided by all
 * tokens. */
static lb_status gather(lb_trainer *t, lb_shard_totals *totals, lb_error *error)
{
    const lb_trainer_config *c = t->config;
    lb_real *grads = lb_params_grads(c->params);
    bool stop = c->group && c->stop && c->stop(c->context);
    double numbers[] = {totals->loss, totals->tokens, stop};
    lb_status status = lb_group_add(c->group, grads, lb_params_size(c->params), t->room, lb_add_to, error);
    if (!status) status = lb_group_add_doubles(c->group, numbers, sizeof numbers / sizeof *numbers, error);
    *totals = (lb_shard_totals){numbers[0], numbers[1]};
    t->stopped = numbers[2] > 0;
    if (status || c->shards <= 1) return status;
    lb_scale_to(lb_params_size(c->params), (lb_real)(1 / totals->tokens), grads, grads);
    totals->loss /= totals->tokens;
    return LB_OK;
}

/* The number of the first part of this process. Parts are numbered through all steps and processes: lb_loss_fn. */
static int64_t first_part(const lb_trainer *t)
{
    const lb_group *group = t->config->group;
    int parts = t->shards.count, all = parts * lb_group_size(group);
    return t->step * all + (group ? (int64_t)group->rank * parts : 0);
}

/* Leaves the gradient of a step in the parameters: of all parts of this process, then of all processes. */
static lb_status find_gradient(lb_trainer *t, lb_shard_totals *totals, lb_error *error)
{
    lb_shard_totals found = {0};
    for (int part = 0; part < t->shards.count; part++) {
        lb_status status = take_part(t, first_part(t) + part, true, &found, error);
        if (status) return status;
        lb_shards_add(&t->shards, &found);
    }
    *totals = found;
    const int64_t begin = lb_os_clock();
    lb_status status = gather(t, totals, error);
    t->waited = t->config->group ? lb_os_clock() - begin : 0; /* for the others */
    return status;
}

/* The op where a number was not finite. The parts are taken again, since the tape of a step keeps neither all parts nor
 * all gradients. */
static char *find_cause(lb_trainer *t, char cause[LB_CAUSE_TEXT])
{
    lb_shard_totals totals;
    *cause = '\0';
    for (int part = 0; part < t->shards.count && !*cause; part++) {
        lb_params_zero_grads(t->config->params);
        if (take_part(t, first_part(t) + part, false, &totals, NULL)) break;
        lb_cause_on(t->tape, cause);
    }
    lb_params_zero_grads(t->config->params);
    return cause;
}

static lb_status diverged(lb_trainer *t, const char *what, lb_error *error)
{
    char cause[LB_CAUSE_TEXT];
    return lb_error_set(error, LB_ERROR_DIVERGED, "training diverged: the %s of step %lld is not finite%s%s",
                        what, (long long)t->step + 1, find_cause(t, cause), lb_divergence_advice(t->step));
}

/* The optimiser looks for the cause on the tape, which must then have all gradients. */
static lb_status take_optimizer_step(lb_trainer *t, lb_error *error)
{
    lb_shard_totals totals;
    lb_error found = {0};
    lb_status status = lb_optimizer_step(t->optimizer, &found);
    if (status != LB_ERROR_DIVERGED) return status ? lb_error_set(error, status, "%s", found.message) : LB_OK;
    if (t->shards.count > 1 || lb_group_size(t->config->group) > 1) return diverged(t, "gradient", error);
    status = take_part(t, first_part(t), false, &totals, error);
    return status ? status : lb_optimizer_step(t->optimizer, error);
}

static lb_status follow_gradient(lb_trainer *t, const lb_shard_totals *totals, lb_error *error)
{
    t->tokens += totals->tokens;
    if (!isfinite(totals->loss)) return diverged(t, "loss", error);
    lb_optimizer_set_lr(t->optimizer, (lb_real)lb_schedule_lr(&t->config->schedule, t->step));
    lb_status status = take_optimizer_step(t, error);
    if (status) return status;
    if (t->average) update_average(t);
    t->loss_sum += totals->loss;
    t->step++;
    return LB_OK;
}

/* Sets the number of threads where it may be chosen. */
static void use_threads(const lb_trainer *t, int threads)
{
    if (t->threads.count > 1 && !lb_threads_are_chosen()) lb_use_threads(threads);
}

lb_status lb_trainer_step(lb_trainer *t, double *loss, lb_error *error)
{
    const double tokens = t->tokens;
    const int64_t begin = lb_os_clock();
    lb_shard_totals totals = {0};
    use_threads(t, lb_thread_choice_next(&t->threads));
    lb_status status = find_gradient(t, &totals, error);
    *loss = totals.loss;
    if (!status) status = follow_gradient(t, &totals, error);
    t->ended = lb_os_clock();
    /* One more, for a loss that counts none. */
    lb_thread_choice_note(&t->threads, (double)(t->ended - begin - t->waited), t->tokens - tokens + 1);
    use_threads(t, lb_thread_choice_best(&t->threads));
    return status;
}

void lb_trainer_swap(const lb_trainer *t)
{
    lb_real *values = lb_params_values(t->config->params), *average = t->average;
    for (int64_t i = 0; average && i < lb_params_size(t->config->params); i++) {
        lb_real value = values[i];
        values[i] = average[i];
        average[i] = value;
    }
}

void lb_trainer_free(lb_trainer *t)
{
    use_threads(t, t->threads.most);
    lb_release(t->average);
    lb_release(t->best);
    lb_release(t->room);
    lb_shards_free(&t->shards);
    lb_optimizer_free(t->optimizer);
    lb_tape_free(t->tape);
}
