/* lb_gradcheck: the gradients of a function by backward, compared with finite differences. */
#include "autograd/tape.h"
#include "base/alloc.h"
#include "lookback/op.h"

#include <math.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const lb_gradcheck_options defaults = {.step = 1e-6, .atol = 1e-5, .rtol = 1e-3};
#else
static const lb_gradcheck_options defaults = {.step = 1e-2, .atol = 1e-2, .rtol = 1e-2};
#endif

typedef struct checker {
    lb_gradcheck_fn function;
    void *context;
    lb_tensor *const *parameters;
    int count;
    lb_gradcheck_options options;
    lb_tape *tape;
    lb_real *before; /* the previous gradients of the parameters, end to end */
    lb_error *error;
} checker;

static int64_t total_count(const checker *c)
{
    int64_t total = 0;
    for (int p = 0; p < c->count; p++) total += lb_count(c->parameters[p]);
    return total;
}

static double random_value(const checker *c, const char *stream, int64_t index)
{
    lb_rng rng = {.seed = c->options.seed, .stream = lb_rng_stream(stream)};
    return 0.5 + lb_rng_uniform(rng, (uint64_t)index);
}

/* Cotangents are in 0.5..1.5, so that none is small enough to hide an error. */
static double cotangent(const checker *c, int64_t index)
{
    return random_value(c, "gradcheck cotangent", index);
}

static lb_real initial_gradient(const checker *c, int64_t index)
{
    return (lb_real)random_value(c, "gradcheck start", index);
}

static lb_tensor *run_function(const checker *c)
{
    lb_tape_reset(c->tape);
    lb_tape_seed(c->tape, c->options.seed, 0);
    return c->function(c->tape, c->context);
}

static lb_status tape_failed(const checker *c)
{
    return lb_error_set(c->error, lb_tape_status(c->tape), "%s", lb_tape_error(c->tape));
}

static lb_status run_backward(const checker *c)
{
    int64_t index = 0;
    for (int p = 0; p < c->count; p++)
        for (int64_t i = 0; i < lb_count(c->parameters[p]); i++)
            c->parameters[p]->grad[i] = initial_gradient(c, index++);
    lb_tensor *output = run_function(c);
    if (!lb_is_sound(output))
        return lb_error_set(c->error, lb_tensor_status(output), "%s", lb_tensor_error(output));
    lb_real *cotangents = lb_tape_alloc(c->tape, (size_t)lb_count(output) * sizeof *cotangents);
    if (!cotangents) return tape_failed(c);
    for (int64_t i = 0; i < lb_count(output); i++) cotangents[i] = (lb_real)cotangent(c, i);
    return lb_backward_from(output, cotangents, c->error);
}

static double weighted_sum(const checker *c)
{
    const lb_tensor *output = run_function(c);
    if (!lb_is_sound(output)) return NAN;
    double sum = 0;
    for (int64_t i = 0; i < lb_count(output); i++) sum += cotangent(c, i) * (double)output->data[i];
    return sum;
}

static double numeric_gradient(const checker *c, lb_real *value)
{
    lb_real saved = *value;
    lb_real above = saved + (lb_real)c->options.step, below = saved - (lb_real)c->options.step;
    *value = above;
    double upper = weighted_sum(c);
    *value = below;
    double lower = weighted_sum(c);
    *value = saved;
    return (upper - lower) / ((double)above - (double)below);
}

static lb_status compare_gradients(const checker *c)
{
    int64_t index = 0;
    for (int p = 0; p < c->count; p++) {
        lb_tensor *parameter = c->parameters[p];
        for (int64_t i = 0; i < lb_count(parameter); i++, index++) {
            if (!parameter->requires_grad) continue;
            double analytic = (double)parameter->grad[i] - (double)initial_gradient(c, index);
            double numeric = numeric_gradient(c, &parameter->data[i]);
            if (lb_tape_status(c->tape)) return tape_failed(c);
            double allowed = c->options.atol + c->options.rtol * fabs(numeric);
            if (!isfinite(numeric) || !(fabs(analytic - numeric) <= allowed))
                return lb_error_set(
                    c->error, LB_ERROR_GRADIENT,
                    "parameter %d, element %lld: backward gives %.9g, finite differences give %.9g", p,
                    (long long)i, analytic, numeric);
        }
    }
    return LB_OK;
}

static void copy_grads(const checker *c, bool restore)
{
    lb_real *kept = c->before;
    for (int p = 0; p < c->count; p++) {
        int64_t count = lb_count(c->parameters[p]);
        lb_real *grad = c->parameters[p]->grad;
        memcpy(restore ? grad : kept, restore ? kept : grad, (size_t)count * sizeof *grad);
        kept += count;
    }
}

lb_status lb_gradcheck(lb_gradcheck_fn function, void *context, lb_tensor *const *parameters, int64_t count,
                       lb_gradcheck_options options, lb_error *error)
{
    checker c = {.function = function,
                 .context = context,
                 .parameters = parameters,
                 .count = lb_narrow(count),
                 .error = error};
    c.options = options;
    if (c.options.step <= 0) c.options.step = defaults.step;
    if (c.options.atol <= 0) c.options.atol = defaults.atol;
    if (c.options.rtol <= 0) c.options.rtol = defaults.rtol;
    c.tape = lb_tape_new();
    c.before = lb_alloc((size_t)total_count(&c) * sizeof *c.before);
    lb_status status = LB_ERROR_MEMORY;
    if (c.tape && c.before) {
        copy_grads(&c, false);
        status = run_backward(&c);
        if (!status) status = compare_gradients(&c);
        copy_grads(&c, true);
    } else {
        lb_error_set(error, status, "lb_gradcheck: out of memory");
    }
    lb_release(c.before);
    lb_tape_free(c.tape);
    return status;
}
