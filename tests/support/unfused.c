#include "support/unfused.h"

#include "autograd/op.h"
#include "nn/layers.h"

#include <math.h>

static lb_unfused_result no_memory(lb_tape *tape)
{
    lb_tensor *poison = lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory");
    return (lb_unfused_result){{poison, poison, poison, poison}};
}

/* Time step `t` of x [batch, time, width] as [batch, width]. */
static lb_tensor *at_time(lb_tensor *x, int64_t t)
{
    lb_tensor *step = lb_slice(x, 1, t, 1);
    return lb_is_sound(step) ? lb_reshape(step, LB_SHAPE(lb_dim(step, 0), lb_dim(step, 2))) : step;
}

/* One step of a GRU: x [batch, 3 hidden] is the input part of the gates. */
static lb_tensor *gru_step(lb_tensor *x, lb_tensor *state, lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = lb_dim(weight_hh, 1);
    lb_tensor *h = lb_affine(state, weight_hh, bias_hh);
    lb_tensor *r = lb_sigmoid(lb_add(lb_slice(x, 1, 0, hidden), lb_slice(h, 1, 0, hidden)));
    lb_tensor *z = lb_sigmoid(lb_add(lb_slice(x, 1, hidden, hidden), lb_slice(h, 1, hidden, hidden)));
    lb_tensor *gated = lb_mul(r, lb_slice(h, 1, 2 * hidden, hidden));
    lb_tensor *n = lb_tanh(lb_add(lb_slice(x, 1, 2 * hidden, hidden), gated));
    return lb_add(n, lb_mul(z, lb_sub(state, n)));
}

/* One step of an LSTM: x [batch, 4 hidden] is the input part of the gates, state [batch, 2 hidden] is [h; c]. */
static lb_tensor *lstm_step(lb_tensor *x, lb_tensor *state, lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = lb_dim(weight_hh, 1);
    lb_tensor *h = lb_slice(state, 1, 0, hidden), *c = lb_slice(state, 1, hidden, hidden);
    lb_tensor *sums = lb_add(x, lb_affine(h, weight_hh, bias_hh)), *gate[4];
    lb_split_axis(sums, 1, (const int64_t[]){hidden, hidden, hidden, hidden}, 4, gate);
    c = lb_add(lb_mul(lb_sigmoid(gate[1]), c), lb_mul(lb_sigmoid(gate[0]), lb_tanh(gate[2])));
    h = lb_mul(lb_sigmoid(gate[3]), lb_tanh(c));
    return lb_concat((lb_tensor *[]){h, c}, 2, 1);
}

/* a where mask is 1, b where it is 0; mask [batch, 1]. */
static lb_tensor *choose(lb_tensor *mask, lb_tensor *a, lb_tensor *b)
{
    return lb_add(b, lb_mul(mask, lb_sub(a, b)));
}

/* A GRU or an LSTM, whose state has two parts. */
typedef lb_tensor *step_function(lb_tensor *x, lb_tensor *state, lb_tensor *weight_hh, lb_tensor *bias_hh);

static lb_unfused_result run_sequence(step_function *step, int64_t parts, lb_tensor *x, lb_tensor *initial,
                                      lb_tensor *weight_hh, lb_tensor *bias_hh, const int32_t *lengths,
                                      bool reverse)
{
    int64_t batch = lb_dim(x, 0), steps = lb_dim(x, 1), hidden = lb_dim(weight_hh, 1);
    lb_tensor *state = initial ? initial : lb_tensor_new(x->tape, LB_SHAPE(batch, parts * hidden), NULL);
    lb_tensor *mask = lengths ? lb_length_mask(x->tape, lengths, batch, steps) : NULL;
    lb_tensor **outputs = lb_tape_alloc(x->tape, (size_t)steps * sizeof *outputs);
    if (!outputs) return no_memory(x->tape);
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = reverse ? steps - 1 - i : i;
        lb_tensor *next = step(at_time(x, t), state, weight_hh, bias_hh);
        lb_tensor *present = mask ? lb_slice(mask, 1, t, 1) : NULL;
        lb_tensor *output = parts == 1 ? next : lb_slice(next, 1, 0, hidden);
        state = present ? choose(present, next, state) : next;
        outputs[t] = present ? lb_mul(present, output) : output;
    }
    return (lb_unfused_result){{lb_stack(outputs, (int)steps, 1), state}};
}

lb_unfused_result lb_unfused_gru_sequence(lb_tensor *x, lb_tensor *initial, lb_tensor *weight_hh,
                                          lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_tensor *poison =
        lb_check_operands("unfused_gru_sequence", "x weight_hh bias_hh", LB_INPUTS(x, weight_hh, bias_hh));
    if (poison) return (lb_unfused_result){{poison, poison}};
    return run_sequence(gru_step, 1, x, initial, weight_hh, bias_hh, lengths, reverse);
}

lb_unfused_result lb_unfused_lstm_sequence(lb_tensor *x, lb_tensor *initial, lb_tensor *weight_hh,
                                           lb_tensor *bias_hh, const int32_t *lengths, bool reverse)
{
    lb_tensor *poison =
        lb_check_operands("unfused_lstm_sequence", "x weight_hh bias_hh", LB_INPUTS(x, weight_hh, bias_hh));
    if (poison) return (lb_unfused_result){{poison, poison}};
    return run_sequence(lstm_step, 2, x, initial, weight_hh, bias_hh, lengths, reverse);
}

lb_unfused_result lb_unfused_attend_additive(lb_tensor *query, lb_tensor *keys, lb_tensor *values,
                                             lb_tensor *v, lb_tensor *mask, lb_normalizer normalizer)
{
    lb_tensor *poison = lb_check_operands("unfused_attend_additive", "query keys values v",
                                          LB_INPUTS(query, keys, values, v));
    if (poison) return (lb_unfused_result){{poison, poison}};
    int64_t batch = lb_dim(keys, 0), queries = lb_dim(query, 1), count = lb_dim(keys, 1),
            width = lb_dim(keys, 2);
    lb_tensor *each_query = lb_reshape(query, LB_SHAPE(batch, queries, 1, width));
    lb_tensor *each_key = lb_reshape(keys, LB_SHAPE(batch, 1, count, width));
    lb_tensor *product = lb_mul(lb_tanh(lb_add(each_query, each_key)), lb_reshape(v, LB_SHAPE(width)));
    lb_tensor *scores = lb_sum(product, -1);
    if (mask)
        scores = lb_masked_fill(scores, lb_reshape(mask, LB_SHAPE(batch, 1, count)), -(lb_real)INFINITY);
    lb_tensor *weights = lb_normalized(scores, normalizer);
    return (lb_unfused_result){{lb_matmul(weights, values), weights}};
}

lb_unfused_result lb_unfused_attend_dot(lb_tensor *query, lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                                        lb_tensor *bias, lb_real scale, lb_normalizer normalizer)
{
    lb_tensor *scores = lb_scale(lb_matmul_transposed(query, false, keys, true), scale);
    if (bias) scores = lb_add(scores, bias);
    if (mask) scores = lb_masked_fill(scores, mask, -(lb_real)INFINITY);
    lb_tensor *weights = lb_normalized(scores, normalizer);
    return (lb_unfused_result){{lb_matmul(weights, values), weights}};
}

lb_unfused_result lb_unfused_attention_gru_sequence(const lb_attention_gru_operands *in)
{
    lb_tensor *poison =
        lb_check_operands("unfused_attention_gru_sequence",
                          "x initial keys values weight_query v weight_context weight_hh bias_hh",
                          LB_INPUTS(in->x, in->initial, in->keys, in->values, in->weight_query, in->v,
                                    in->weight_context, in->weight_hh, in->bias_hh));
    if (poison) return (lb_unfused_result){{poison, poison, poison, poison}};
    int64_t batch = lb_dim(in->x, 0), steps = lb_dim(in->x, 1), width = lb_dim(in->keys, 2);
    int64_t first = lb_dim(in->weight_context, 1) - lb_dim(in->values, 2);
    lb_tensor *state = in->initial;
    lb_tensor *there = in->lengths ? lb_length_mask(in->x->tape, in->lengths, batch, steps) : NULL;
    lb_tensor **outputs = lb_tape_alloc(in->x->tape, 3 * (size_t)steps * sizeof *outputs);
    if (!outputs) return no_memory(in->x->tape);
    lb_tensor **contexts = outputs + steps, **weights = contexts + steps;
    for (int64_t t = 0; t < steps; t++) {
        lb_tensor *query = lb_reshape(lb_affine(state, in->weight_query, NULL), LB_SHAPE(batch, 1, width));
        lb_unfused_result attended =
            lb_unfused_attend_additive(query, in->keys, in->values, in->v, in->mask, in->normalizer);
        contexts[t] = at_time(attended.output[0], 0);
        weights[t] = at_time(attended.output[1], 0);
        lb_tensor *gates =
            lb_add(at_time(in->x, t), lb_affine_columns(contexts[t], in->weight_context, first, NULL));
        lb_tensor *next = gru_step(gates, state, in->weight_hh, in->bias_hh);
        lb_tensor *present = there ? lb_slice(there, 1, t, 1) : NULL;
        state = present ? choose(present, next, state) : next;
        outputs[t] = present ? lb_mul(present, next) : next;
        contexts[t] = present ? lb_mul(present, contexts[t]) : contexts[t];
        weights[t] = present ? lb_mul(present, weights[t]) : weights[t];
    }
    int count = (int)steps;
    return (lb_unfused_result){
        {lb_stack(outputs, count, 1), lb_stack(contexts, count, 1), lb_stack(weights, count, 1), state}};
}

lb_tensor *lb_unfused_normalize(lb_tensor *x, lb_tensor *weight, lb_tensor *bias, lb_real epsilon)
{
    lb_tensor *poison = lb_check_operands("unfused_normalize", "x weight bias", LB_INPUTS(x, weight, bias));
    if (poison) return poison;
    lb_shape column = x->shape;
    column.dim[column.ndim - 1] = 1;
    lb_tensor *near = lb_sub(x, lb_slice(x, -1, 0, 1)); /* exact for close numbers, however large */
    lb_tensor *centred = lb_sub(near, lb_reshape(lb_mean(near, -1), column));
    lb_tensor *variance = lb_reshape(lb_mean(lb_mul(centred, centred), -1), column);
    lb_tensor *shift = lb_tensor_new(x->tape, (lb_shape){0}, &epsilon);
    /* 1 / sqrt(a) = exp(-ln(a) / 2) */
    lb_tensor *inverse = lb_exp(lb_scale(lb_log(lb_add(variance, shift)), (lb_real)-0.5));
    return lb_add(lb_mul(lb_mul(centred, inverse), weight), bias);
}

/* The target of one row: 1 - smoothing, and the rest shared by the classes that are not at -inf. */
static void want(int64_t classes, const lb_real *logits, int32_t target, lb_real smoothing, lb_real *wanted)
{
    int64_t visible = 0;
    for (int64_t i = 0; i < classes; i++) visible += logits[i] != -(lb_real)INFINITY;
    for (int64_t i = 0; i < classes; i++)
        wanted[i] = logits[i] == -(lb_real)INFINITY ? 0 : smoothing / (lb_real)visible;
    wanted[target] += 1 - smoothing;
}

lb_tensor *lb_unfused_cross_entropy(lb_tensor *logits, lb_tokens targets, int32_t ignored, lb_real smoothing)
{
    lb_tensor *poison = lb_check_operands("unfused_cross_entropy", "logits", LB_INPUTS(logits));
    if (poison) return poison;
    int64_t classes = lb_dim(logits, -1), rows = targets.batch * targets.length, counted = 0;
    lb_tensor *wanted = lb_tensor_new(logits->tape, logits->shape, NULL);
    if (!lb_is_sound(wanted)) return wanted;
    for (int64_t row = 0; row < rows; row++) {
        if (targets.id[row] == ignored) continue;
        counted++;
        want(classes, logits->data + row * classes, targets.id[row], smoothing, wanted->data + row * classes);
    }
    /* A class that is not wanted adds nothing, even if its logarithm is -inf. */
    lb_tensor *logarithms = lb_masked_fill(lb_log_softmax(logits), wanted, 0);
    lb_tensor *sum = lb_sum_all(lb_mul(wanted, logarithms));
    return lb_scale(sum, counted ? -1 / (lb_real)counted : 0);
}
