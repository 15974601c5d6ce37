#include "lookback/train.h"

#include "lookback/op.h"
#include "models/decode/model.h"
#include "train/scheduled_sampling.h"

#include <math.h>

/* With more logits than this, threads share the work. */
enum { MANY = 1 << 13 };

/* The first token at which the cumulative softmax of the logits exceeds `share`, in [0, 1). */
static int32_t token_at(const lb_real *logits, int64_t classes, double share)
{
    int32_t likeliest = lb_argmax(logits, classes);
    double maximum = (double)logits[likeliest], sum = 0;
    for (int64_t i = 0; i < classes; i++) sum += exp((double)logits[i] - maximum);
    double left = share * sum;
    for (int64_t i = 0; i < classes; i++) {
        left -= exp((double)logits[i] - maximum);
        if (left < 0) return (int32_t)i;
    }
    return likeliest; /* because of rounding */
}

/* Replaces tokens of `id`; the token at t comes from the logits at t - 1. */
static void mix(lb_tokens right, const lb_tensor *logits, lb_scheduled_sampling sampling, int64_t step,
                int32_t *id)
{
    lb_rng replace = {sampling.seed, lb_rng_stream("scheduled_sampling.replace"), (uint32_t)step};
    lb_rng draw = {sampling.seed, lb_rng_stream("scheduled_sampling.draw"), (uint32_t)step};
    int64_t classes = lb_dim(logits, -1), tokens = right.batch * right.length;
#pragma omp parallel for schedule(static) if (tokens * classes > MANY)
    for (int64_t i = 0; i < tokens; i++) {
        int64_t t = i % right.length;
        if (t == 0 || t >= right.lengths[i / right.length]) continue;
        if (lb_rng_uniform(replace, (uint64_t)i) >= sampling.probability) continue;
        const lb_real *before = logits->data + (i - 1) * classes;
        id[i] = sampling.likeliest ? lb_argmax(before, classes)
                                   : token_at(before, classes, lb_rng_uniform(draw, (uint64_t)i));
    }
}

static lb_tensor *forward_without_gradient(const lb_model *model, lb_tokens source, lb_tokens target_in)
{
    lb_mode mode = lb_tape_mode(target_in.tape);
    lb_tape_set_mode(target_in.tape, LB_MODE_EVALUATE);
    /* Softmax turns logarithms of probabilities into these probabilities. */
    lb_tensor *logits = lb_model_log_probabilities(model, lb_model_forward(model, source, target_in));
    lb_tape_set_mode(target_in.tape, mode);
    return logits;
}

lb_tokens lb_scheduled_tokens(const lb_model *model, lb_tokens source, lb_tokens target_in,
                              lb_scheduled_sampling sampling, int64_t step)
{
    lb_tokens none = {.tape = target_in.tape};
    if (sampling.probability == 0) return target_in;
    if (!(sampling.probability > 0 && sampling.probability <= 1)) {
        lb_tape_fail(target_in.tape, LB_ERROR_ARGUMENT,
                     "lb_scheduled_tokens: invalid probability %g, expected 0 to 1", sampling.probability);
        return none;
    }
    const lb_tensor *logits = forward_without_gradient(model, source, target_in);
    if (lb_tape_status(target_in.tape)) return none;
    int32_t *id, *lengths;
    lb_tokens mixed = lb_tokens_copy(target_in, &id, &lengths);
    if (mixed.batch > 0) mix(target_in, logits, sampling, step, id);
    return mixed;
}
