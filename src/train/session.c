#include "train/session.h"

#include "base/alloc.h"
#include "tensor/accumulate.h"

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
    s->tape = lb_tape_new();
    s->state.adam = lb_adam_new(c->params, c->adam);
    if (c->average > 0) s->state.average = lb_alloc_zero(lb_train_session_bytes(s));
    if (c->keep_best) s->state.best = lb_alloc_zero(lb_train_session_bytes(s));
    bool slabs = (s->state.average || !(c->average > 0)) && (s->state.best || !c->keep_best);
    if (!s->tape || !s->state.adam || !slabs)
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

lb_status lb_train_session_step(lb_train_session *s, double *loss, lb_error *error)
{
    const lb_trainer_config *c = s->config;
    int64_t tokens = 0, step = s->state.step;
    lb_tape_reset(s->tape);
    lb_tape_seed(s->tape, c->seed, (uint32_t)step);
    lb_tensor *result = c->loss(c->context, s->tape, step, &tokens);
    lb_status status = lb_backward(result, error);
    if (status) return status;
    *loss = (double)lb_item(result);
    s->tokens += (double)tokens;
    if (!isfinite(*loss)) return diverged(step, error);
    lb_adam_set_lr(s->state.adam, (lb_real)lb_schedule_lr(&c->schedule, step));
    status = lb_adam_step(s->state.adam, error);
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
    lb_adam_free(s->state.adam);
    lb_tape_free(s->tape);
}
