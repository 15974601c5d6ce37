#include "train/step.h"

#include "base/alloc.h"
#include "nn/params.h"
#include "tensor/accumulate.h"
#include "train/group.h"

#include <math.h>
#include <string.h>

size_t lb_train_session_bytes(const lb_train_session *s)
{
    return (size_t)lb_params_size(s->config->params) * sizeof(lb_real);
}

/* Frozen parameters are their own average, bit for bit. */
static void begin_average(const lb_train_session *s)
{
    const lb_real *values = lb_params_values(s->config->params);
    int64_t size = lb_params_size(s->config->params), end;
    if (!s->state.average) return;
    memcpy(s->state.average, values, lb_train_session_bytes(s));
    for (int64_t at = 0; !s->config->trained && (at = lb_params_trained(s->config->params, at, &end)) < size;
         at = end)
        memset(s->state.average + at, 0, (size_t)(end - at) * sizeof *values);
}

lb_status lb_train_session_begin(lb_train_session *s, lb_error *error)
{
    const lb_trainer_config *c = s->config;
    int all = c->shards > 0 ? c->shards : 1, size = lb_group_size(c->group);
    lb_status status = lb_group_check(c->group, all, error);
    if (!status) status = lb_shards_init(&s->shards, c->params, all / size, error);
    if (status) return status;
    s->tape = lb_tape_new();
    if (size > 1) s->room = lb_alloc(LB_GROUP_ROOM * sizeof *s->room);
    s->state.optimizer = lb_optimizer_new(c->params, c->optimizer);
    if (c->average > 0) s->state.average = lb_alloc_zero(lb_train_session_bytes(s));
    if (c->keep_best) s->state.best = lb_alloc_zero(lb_train_session_bytes(s));
    bool slabs = (s->state.average || !(c->average > 0)) && (s->state.best || !c->keep_best);
    if (!s->tape || !s->state.optimizer || !slabs || (size > 1 && !s->room))
        return lb_error_set(error, LB_ERROR_MEMORY, "out of memory for training");
    begin_average(s);
    return LB_OK;
}

static lb_status diverged(int64_t step, lb_error *error)
{
    return lb_error_set(
        error, LB_ERROR_DIVERGED,
        "training diverged: the loss of step %lld is not finite; a smaller learning rate may help",
        (long long)step + 1);
}

static void update_average(const lb_train_session *s)
{
    double step = (double)s->state.step, young = (1 + step) / (10 + step);
    double decay = young < s->config->average ? young : s->config->average;
    lb_move_towards(lb_params_size(s->config->params), (lb_real)(1 - decay),
                    lb_params_values(s->config->params), s->state.average);
}

/* The gradient of one part, for the sum over its tokens if there are other parts. */
static lb_status take_part(lb_train_session *s, int64_t part, lb_shard_totals *totals, lb_error *error)
{
    const lb_trainer_config *c = s->config;
    int64_t tokens = 0;
    lb_tape_reset(s->tape);
    lb_tape_seed(s->tape, c->seed, (uint32_t)part);
    lb_tensor *loss = c->loss(c->context, s->tape, part, &tokens);
    *totals = (lb_shard_totals){0};
    if (c->shards > 1 && tokens == 0 && lb_tape_status(s->tape) == LB_OK) return LB_OK;
    if (c->shards > 1) loss = lb_scale(loss, (lb_real)tokens);
    lb_status status = lb_backward(loss, error);
    *totals = (lb_shard_totals){(double)lb_item(loss), (double)tokens};
    return status;
}

/* The gradient and the totals of all processes. A mean over the batch has the gradient of the sum, divided by all tokens. */
static lb_status gather(lb_train_session *s, lb_shard_totals *totals, lb_error *error)
{
    const lb_trainer_config *c = s->config;
    lb_real *grads = lb_params_grads(c->params);
    bool stop = c->group && c->stop && c->stop(c->context);
    double numbers[] = {totals->loss, totals->tokens, stop};
    lb_status status = lb_group_add(c->group, grads, lb_params_size(c->params), s->room, error);
    if (!status) status = lb_group_add_doubles(c->group, numbers, sizeof numbers / sizeof *numbers, error);
    *totals = (lb_shard_totals){numbers[0], numbers[1]};
    s->stopped = numbers[2] > 0;
    if (status || c->shards <= 1) return status;
    lb_scale_to(lb_params_size(c->params), (lb_real)(1 / totals->tokens), grads, grads);
    totals->loss /= totals->tokens;
    return LB_OK;
}

static lb_status find_gradient(lb_train_session *s, lb_shard_totals *totals, lb_error *error)
{
    const lb_trainer_config *c = s->config;
    int parts = s->shards.count, all = parts * lb_group_size(c->group);
    int64_t first = s->state.step * all + (c->group ? (int64_t)c->group->rank * parts : 0);
    *totals = (lb_shard_totals){0};
    for (int part = 0; part < parts; part++) {
        lb_shard_totals found;
        lb_status status = take_part(s, first + part, &found, error);
        if (status) return status;
        if (part < parts - 1)
            lb_shards_put_aside(&s->shards, found);
        else
            *totals = lb_shards_end(&s->shards, found);
    }
    return gather(s, totals, error);
}

lb_status lb_train_session_step(lb_train_session *s, double *loss, lb_error *error)
{
    lb_shard_totals totals;
    lb_status status = find_gradient(s, &totals, error);
    if (status) return status;
    *loss = totals.loss;
    s->tokens += totals.tokens;
    if (!isfinite(*loss)) return diverged(s->state.step, error);
    lb_optimizer_set_lr(s->state.optimizer, (lb_real)lb_schedule_lr(&s->config->schedule, s->state.step));
    status = lb_optimizer_step(s->state.optimizer, error);
    if (status) return status;
    if (s->state.average) update_average(s);
    s->state.loss_sum += *loss;
    s->state.step++;
    return LB_OK;
}

void lb_train_session_swap(const lb_train_session *s)
{
    lb_real *values = lb_params_values(s->config->params), *average = s->state.average;
    for (int64_t i = 0; average && i < lb_params_size(s->config->params); i++) {
        lb_real value = values[i];
        values[i] = average[i];
        average[i] = value;
    }
}

void lb_train_session_free(lb_train_session *s)
{
    lb_release(s->state.average);
    lb_release(s->state.best);
    lb_release(s->room);
    lb_shards_free(&s->shards);
    lb_optimizer_free(s->state.optimizer);
    lb_tape_free(s->tape);
}
