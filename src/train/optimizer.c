#include "train/optimizer.h"

#include "base/alloc.h"
#include "base/stage.h"
#include "nn/params.h"
#include "tensor/real.h"

#include <math.h>

enum {
    CHUNK = 1 << 13, /* elements per piece of work or partial sum */
    AT_ONCE = 256,   /* chunks whose sums are added up in order */
    FEW = 6          /* with at most this many chunks, a second thread does not pay */
};

static int64_t chunk_count(int64_t size)
{
    return (size + CHUNK - 1) / CHUNK;
}

static int64_t chunk_end(int64_t chunk, int64_t size)
{
    int64_t end = (chunk + 1) * CHUNK;
    return end < size ? end : size;
}

LB_KERNEL static double sum_of_squares(int64_t count, const lb_real *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

double lb_params_grad_norm(const lb_params *params)
{
    const lb_real *grad = lb_params_grads(params);
    int64_t size = lb_params_size(params), chunks = chunk_count(size);
    double sum = 0, part[AT_ONCE];
    for (int64_t first = 0; first < chunks; first += AT_ONCE) {
        int64_t count = chunks - first < AT_ONCE ? chunks - first : AT_ONCE;
#pragma omp parallel for schedule(static) if (count > FEW)
        for (int64_t i = 0; i < count; i++) {
            int64_t at = (first + i) * CHUNK;
            part[i] = sum_of_squares(chunk_end(first + i, size) - at, grad + at);
        }
        for (int64_t i = 0; i < count; i++) sum += part[i];
    }
    return sqrt(sum);
}

/* The factor of the gradient. The 1e-6 is that of torch.nn.utils.clip_grad_norm_. */
static lb_real clip_factor(double norm, lb_real clip_norm)
{
    double factor = clip_norm > 0 ? (double)clip_norm / (norm + 1e-6) : 1;
    return (lb_real)(factor < 1 ? factor : 1);
}

/* Computes the norm, and checks whether `function` may take step `step`. */
static lb_status check_step(const char *function, lb_params *params, int64_t size, int64_t step, double *norm,
                            lb_error *error)
{
    lb_status status = lb_params_status(params);
    *norm = lb_params_grad_norm(params);
    if (status)
        lb_error_set(error, status, "%s", lb_params_error(params));
    else if (lb_params_size(params) != size)
        status = lb_error_set(error, LB_ERROR_ARGUMENT,
                              "%s: step %lld: parameters were added after the optimiser was created",
                              function, (long long)step);
    else if (!isfinite(*norm))
        status = lb_error_set(
            error, LB_ERROR_DIVERGED,
            "%s: step %lld: the norm of the gradient is not finite (training diverged): a smaller "
            "learning rate may help",
            function, (long long)step);
    if (status) lb_params_zero_grads(params);
    return status;
}

static lb_status no_optimizer(const char *function, lb_error *error)
{
    return lb_error_set(error, LB_ERROR_MEMORY, "%s: the optimiser is missing: out of memory", function);
}

struct lb_adam {
    lb_params *params;
    lb_adam_config config;
    int64_t size, steps;
    double grad_norm;
    lb_real *first, *second;
};

static lb_real or_default(lb_real value, double standard)
{
    return value == 0 ? (lb_real)standard : value < 0 ? 0 : value;
}

lb_adam *lb_adam_new(lb_params *params, lb_adam_config config)
{
    lb_adam *adam = params ? lb_alloc_zero(sizeof *adam) : NULL;
    if (!adam) return NULL;
    config.lr = or_default(config.lr, 1e-3);
    config.beta1 = or_default(config.beta1, 0.9);
    config.beta2 = or_default(config.beta2, 0.999);
    config.epsilon = or_default(config.epsilon, 1e-8);
    config.weight_decay = or_default(config.weight_decay, 0);
    *adam = (lb_adam){.params = params, .config = config, .size = lb_params_size(params)};
    adam->first = lb_alloc_zero((size_t)adam->size * sizeof *adam->first);
    adam->second = lb_alloc_zero((size_t)adam->size * sizeof *adam->second);
    if (adam->first && adam->second) return adam;
    lb_adam_free(adam);
    return NULL;
}

void lb_adam_free(lb_adam *adam)
{
    if (!adam) return;
    lb_release(adam->first);
    lb_release(adam->second);
    lb_release(adam);
}

/* The constants of one step, for the loop. */
typedef struct adam_step {
    lb_real beta1, beta2, epsilon;
    lb_real clip;       /* factor on the gradient */
    lb_real l2;         /* weight decay within the gradient */
    lb_real keep;       /* factor on the weight: decoupled decay */
    lb_real size;       /* lr / bias correction of the first moment */
    lb_real correction; /* 1 / root of the bias correction of the second moment */
} adam_step;

LB_KERNEL static void adam_chunk(int64_t count, adam_step s, lb_real *restrict value, lb_real *restrict grad,
                                 lb_real *restrict first, lb_real *restrict second)
{
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        lb_real g = grad[i] * s.clip + s.l2 * value[i];
        first[i] = s.beta1 * first[i] + (1 - s.beta1) * g;
        second[i] = s.beta2 * second[i] + (1 - s.beta2) * g * g;
#ifdef LB_REAL_IS_DOUBLE
        lb_real root = sqrt(second[i]);
#else
        lb_real root = sqrtf(second[i]);
#endif
        value[i] = s.keep * value[i] - s.size * first[i] / (root * s.correction + s.epsilon);
        grad[i] = 0;
    }
}

static void adam_run(lb_adam *adam, adam_step s, int64_t begin, int64_t count)
{
    lb_real *value = lb_params_values(adam->params) + begin, *grad = lb_params_grads(adam->params) + begin;
    lb_real *first = adam->first + begin, *second = adam->second + begin;
#pragma omp parallel for schedule(static) if (chunk_count(count) > FEW)
    for (int64_t chunk = 0; chunk < chunk_count(count); chunk++) {
        int64_t at = chunk * CHUNK;
        adam_chunk(chunk_end(chunk, count) - at, s, value + at, grad + at, first + at, second + at);
    }
}

lb_status lb_adam_step(lb_adam *adam, lb_error *error)
{
    if (!adam) return no_optimizer("lb_adam_step", error);
    lb_status status =
        check_step("lb_adam_step", adam->params, adam->size, adam->steps + 1, &adam->grad_norm, error);
    if (status) return status;
    adam->steps++;
    lb_adam_config c = adam->config;
    double correction1 = 1 - pow((double)c.beta1, (double)adam->steps);
    double correction2 = 1 - pow((double)c.beta2, (double)adam->steps);
    adam_step s = {
        .beta1 = c.beta1,
        .beta2 = c.beta2,
        .epsilon = c.epsilon,
        .clip = clip_factor(adam->grad_norm, c.clip_norm),
        .l2 = c.decoupled ? 0 : c.weight_decay,
        .keep = c.decoupled ? 1 - c.lr * c.weight_decay : 1,
        .size = (lb_real)((double)c.lr / correction1),
        .correction = (lb_real)(1 / sqrt(correction2)),
    };
    int64_t end;
    lb_stage_begin("adam", "");
    for (int64_t at = 0; (at = lb_params_trained(adam->params, at, &end)) < adam->size; at = end)
        adam_run(adam, s, at, end - at);
    lb_stage_end();
    return LB_OK;
}

void lb_adam_set_lr(lb_adam *adam, lb_real lr)
{
    if (adam) adam->config.lr = lr;
}

double lb_adam_grad_norm(const lb_adam *adam)
{
    return adam ? adam->grad_norm : NAN;
}

lb_real *lb_adam_first_moments(lb_adam *adam)
{
    return adam ? adam->first : NULL;
}

lb_real *lb_adam_second_moments(lb_adam *adam)
{
    return adam ? adam->second : NULL;
}

int64_t lb_adam_steps(const lb_adam *adam)
{
    return adam ? adam->steps : 0;
}

void lb_adam_set_steps(lb_adam *adam, int64_t steps)
{
    if (adam) adam->steps = steps;
}

struct lb_sgd {
    lb_params *params;
    lb_sgd_config config;
    int64_t size, steps;
    lb_real *velocity;
};

lb_sgd *lb_sgd_new(lb_params *params, lb_sgd_config config)
{
    lb_sgd *sgd = params ? lb_alloc_zero(sizeof *sgd) : NULL;
    if (!sgd) return NULL;
    config.lr = or_default(config.lr, 1e-3);
    *sgd = (lb_sgd){.params = params, .config = config, .size = lb_params_size(params)};
    sgd->velocity = lb_alloc_zero((size_t)sgd->size * sizeof *sgd->velocity);
    if (sgd->velocity) return sgd;
    lb_release(sgd);
    return NULL;
}

void lb_sgd_free(lb_sgd *sgd)
{
    if (!sgd) return;
    lb_release(sgd->velocity);
    lb_release(sgd);
}

lb_status lb_sgd_step(lb_sgd *sgd, lb_error *error)
{
    if (!sgd) return no_optimizer("lb_sgd_step", error);
    double norm;
    lb_status status = check_step("lb_sgd_step", sgd->params, sgd->size, sgd->steps + 1, &norm, error);
    if (status) return status;
    sgd->steps++;
    lb_real clip = clip_factor(norm, sgd->config.clip_norm);
    lb_real *value = lb_params_values(sgd->params), *grad = lb_params_grads(sgd->params);
    int64_t end;
    for (int64_t at = 0; (at = lb_params_trained(sgd->params, at, &end)) < sgd->size; at = end) {
#pragma omp parallel for schedule(static) if (chunk_count(end - at) > FEW)
        for (int64_t chunk = 0; chunk < chunk_count(end - at); chunk++)
            for (int64_t i = at + chunk * CHUNK; i < at + chunk_end(chunk, end - at); i++) {
                lb_real g = grad[i] * clip + sgd->config.weight_decay * value[i];
                sgd->velocity[i] = sgd->config.momentum * sgd->velocity[i] + g;
                value[i] -= sgd->config.lr * sgd->velocity[i];
                grad[i] = 0;
            }
    }
    return LB_OK;
}

void lb_sgd_set_lr(lb_sgd *sgd, lb_real lr)
{
    if (sgd) sgd->config.lr = lr;
}
