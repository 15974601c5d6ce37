#include "train/optimizer.h"

#include "base/alloc.h"
#include "base/progress.h"
#include "base/transcendental.h"
#include "nn/params.h"
#include "tensor/kernel.h"
#include "tensor/sum.h"

#include <math.h>
#include <stdio.h>

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

LB_KERNEL_OF(double, sum_of_squares, (int64_t count, const lb_real *x), (count, x))
{
    LB_SUM(double, sum, i, count, (double)x[i] * (double)x[i]);
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

/* What a kind of optimiser keeps for each parameter, and its step for `count` numbers of the slab of parameters. */
typedef struct kind {
    const char *name;
    const char *slab[LB_OPTIMIZER_SLABS]; /* names in files; NULL: it needs fewer */
    void (*step)(lb_optimizer *o, lb_real clip, int64_t begin, int64_t count);
} kind;

/* The constants of one step of Adam, for the loop. */
typedef struct adam_step {
    lb_real beta1, beta2, epsilon;
    lb_real clip;       /* factor on the gradient */
    lb_real l2;         /* weight decay within the gradient */
    lb_real keep;       /* factor on the weight: decoupled decay */
    lb_real size;       /* lr / bias correction of the first moment */
    lb_real correction; /* 1 / root of the bias correction of the second moment */
} adam_step;

LB_KERNEL(adam_chunk,
          (int64_t count, adam_step s, lb_real *restrict value, lb_real *restrict grad,
           lb_real *restrict first, lb_real *restrict second),
          (count, s, value, grad, first, second))
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

static void step_adam(lb_optimizer *o, lb_real clip, int64_t begin, int64_t count)
{
    lb_optimizer_config c = o->config;
    bool decoupled = c.kind == LB_OPTIMIZER_ADAMW;
    double correction1 = 1 - lb_pow64((double)c.beta1, (double)o->steps);
    double correction2 = 1 - lb_pow64((double)c.beta2, (double)o->steps);
    adam_step s = {
        .beta1 = c.beta1,
        .beta2 = c.beta2,
        .epsilon = c.epsilon,
        .clip = clip,
        .l2 = decoupled ? 0 : c.weight_decay,
        .keep = decoupled ? 1 - c.lr * c.weight_decay : 1,
        .size = (lb_real)((double)c.lr / correction1),
        .correction = (lb_real)(1 / sqrt(correction2)),
    };
    lb_real *value = lb_params_values(o->params) + begin, *grad = lb_params_grads(o->params) + begin;
    lb_real *first = o->slab[0] + begin, *second = o->slab[1] + begin;
#pragma omp parallel for schedule(static) if (chunk_count(count) > FEW)
    for (int64_t chunk = 0; chunk < chunk_count(count); chunk++) {
        int64_t at = chunk * CHUNK;
        adam_chunk(chunk_end(chunk, count) - at, s, value + at, grad + at, first + at, second + at);
    }
}

static void step_sgd(lb_optimizer *o, lb_real clip, int64_t begin, int64_t count)
{
    lb_real *value = lb_params_values(o->params) + begin, *grad = lb_params_grads(o->params) + begin;
    lb_real *velocity = o->slab[0] + begin;
#pragma omp parallel for schedule(static) if (chunk_count(count) > FEW)
    for (int64_t chunk = 0; chunk < chunk_count(count); chunk++)
        for (int64_t i = chunk * CHUNK; i < chunk_end(chunk, count); i++) {
            lb_real g = grad[i] * clip + o->config.weight_decay * value[i];
            velocity[i] = o->config.momentum * velocity[i] + g;
            value[i] -= o->config.lr * velocity[i];
            grad[i] = 0;
        }
}

static const kind kinds[] = {
    [LB_OPTIMIZER_ADAM] = {"adam", {"adam.first", "adam.second"}, step_adam},
    [LB_OPTIMIZER_ADAMW] = {"adamw", {"adam.first", "adam.second"}, step_adam},
    [LB_OPTIMIZER_SGD] = {"sgd", {"sgd.velocity"}, step_sgd},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A kind that does not exist, which a caller may pass, has no state and takes no step. */
static const kind *kind_of(const lb_optimizer *o)
{
    static const kind none = {.name = "none"};
    return (unsigned)o->config.kind < KINDS ? &kinds[o->config.kind] : &none;
}

lb_status lb_optimizer_check(const lb_optimizer *o, lb_error *error)
{
    if (kind_of(o)->step) return LB_OK;
    lb_error_set(error, LB_ERROR_ARGUMENT, "lb_optimizer_new: kind is %d, expected 0 to %d",
                 (int)o->config.kind, KINDS - 1);
    return LB_ERROR_ARGUMENT;
}

lb_optimizer *lb_optimizer_new(lb_params *params, lb_optimizer_config config)
{
    lb_optimizer *o = params ? lb_alloc_zero(sizeof *o) : NULL;
    if (!o) return NULL;
    config = lb_optimizer_with_defaults(config);
    *o = (lb_optimizer){.params = params, .config = config, .size = lb_params_size(params)};
    for (int i = 0; i < LB_OPTIMIZER_SLABS && kind_of(o)->slab[i]; i++) {
        o->slab[i] = lb_alloc_zero((size_t)o->size * sizeof(lb_real));
        if (o->slab[i]) continue;
        lb_optimizer_free(o);
        return NULL;
    }
    return o;
}

void lb_optimizer_free(lb_optimizer *o)
{
    if (!o) return;
    for (int i = 0; i < LB_OPTIMIZER_SLABS; i++) lb_release(o->slab[i]);
    lb_release(o);
}

char *lb_bad_parameter(const lb_params *params, bool gradients, char text[LB_BAD_TEXT])
{
    char place[LB_PLACE_TEXT];
    *text = '\0';
    for (int64_t i = 0; i < lb_params_count(params); i++) {
        const lb_tensor *tensor = lb_params_tensor(params, i);
        const lb_real *numbers = gradients ? tensor->grad : tensor->data;
        int64_t at = lb_first_bad(numbers, lb_count(tensor));
        if (at < 0) continue;
        snprintf(text, LB_BAD_TEXT, "%.120s is %s", lb_params_name(params, i),
                 lb_bad_place(tensor->shape, numbers, at, place));
        break;
    }
    return text;
}

/* Names the parameter, and the op where that began. */
static lb_status diverged(const lb_optimizer *o, lb_error *error)
{
    char parameter[LB_BAD_TEXT], cause[LB_CAUSE_TEXT];
    bool loss = !lb_loss_is_finite(o->config.tape);
    lb_bad_parameter(o->params, true, parameter);
    return lb_error_set(error, LB_ERROR_DIVERGED,
                        "lb_optimizer_step: step %lld: the %s%s (training diverged)%s%s%s",
                        (long long)o->steps + 1,
                        loss         ? "loss is "
                        : *parameter ? "gradient of "
                                     : "norm of the gradient is ",
                        *parameter && !loss ? parameter : "not finite", lb_cause_on(o->config.tape, cause),
                        o->config.tape ? "" : ": lb_optimizer_config.tape tells the op where that began",
                        lb_divergence_advice(o->steps));
}

/* Computes the norm, and checks whether the next step can be taken. */
static lb_status check_step(lb_optimizer *o, lb_error *error)
{
    lb_status status = lb_params_status(o->params);
    o->grad_norm = lb_params_grad_norm(o->params);
    if (status)
        lb_error_set(error, status, "%s", lb_params_error(o->params));
    else if (lb_optimizer_check(o, error))
        status = LB_ERROR_ARGUMENT;
    else if (lb_params_size(o->params) != o->size)
        status = lb_error_set(
            error, LB_ERROR_ARGUMENT,
            "lb_optimizer_step: step %lld: parameters were added after the optimiser was created",
            (long long)o->steps + 1);
    else if (!isfinite(o->grad_norm) || !lb_loss_is_finite(o->config.tape))
        status = diverged(o, error);
    if (status) lb_params_zero_grads(o->params);
    return status;
}

lb_status lb_optimizer_step(lb_optimizer *o, lb_error *error)
{
    if (!o)
        return lb_error_set(error, LB_ERROR_MEMORY,
                            "lb_optimizer_step: the optimiser is missing: out of memory");
    const kind *rule = kind_of(o);
    lb_status status = check_step(o, error);
    if (status || !rule->step) return status;
    o->steps++;
    lb_stage_begin(rule->name, "");
    /* The 1e-6 is that of torch.nn.utils.clip_grad_norm_. */
    double factor = o->config.clip_norm > 0 ? (double)o->config.clip_norm / (o->grad_norm + 1e-6) : 1;
    lb_real clip = (lb_real)(factor < 1 ? factor : 1);
    int64_t end;
    for (int64_t at = 0; (at = lb_params_trained(o->params, at, &end)) < o->size; at = end)
        rule->step(o, clip, at, end - at);
    lb_stage_end();
    return LB_OK;
}

void lb_optimizer_set_lr(lb_optimizer *o, lb_real lr)
{
    if (o) o->config.lr = lr;
}

lb_optimizer_facts lb_optimizer_about(const lb_optimizer *o)
{
    return o ? (lb_optimizer_facts){.steps = o->steps, .grad_norm = o->grad_norm, .lr = o->config.lr}
             : (lb_optimizer_facts){.grad_norm = (double)NAN};
}

const char *lb_optimizer_name(const lb_optimizer *o)
{
    return kind_of(o)->name;
}

int lb_optimizer_state(const lb_optimizer *o, lb_safetensors_tensor slab[LB_OPTIMIZER_SLABS])
{
    int count = 0;
    for (; count < LB_OPTIMIZER_SLABS && o->slab[count]; count++)
        slab[count] = (lb_safetensors_tensor){kind_of(o)->slab[count], LB_DTYPE_REAL, LB_SHAPE(o->size),
                                              o->slab[count]};
    return count;
}
