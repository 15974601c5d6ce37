#include "autograd/tape.h"
#include "lookback/nn.h"

#include "autograd/op.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>
#include <string.h>

enum { BUCKETS = 32, FARTHEST = 128 }; /* of T5 */

const char *const lb_positional_names[] = {[LB_POSITIONAL_SINUSOIDAL] = "sinusoidal",
                                           [LB_POSITIONAL_LEARNED] = "learned",
                                           [LB_POSITIONAL_RELATIVE] = "relative",
                                           [LB_POSITIONAL_ALIBI] = "alibi",
                                           [LB_POSITIONAL_ROTARY] = "rotary",
                                           [LB_POSITIONAL_NONE] = "none",
                                           NULL};

lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config)
{
    config.kind =
        (lb_positional_kind)lb_params_choose(params, name, "kind", (int)config.kind, lb_positional_names);
    bool learned = config.kind == LB_POSITIONAL_LEARNED, relative = config.kind == LB_POSITIONAL_RELATIVE;
    if (learned || relative) lb_params_need(params, name, "width", config.width);
    if (learned) lb_params_need(params, name, "max_length", config.max_length);
    if (relative) lb_params_need(params, name, "heads", config.heads);
    *positional = (lb_positional){.name = lb_params_scope(params, "", name), .config = config};
    if (learned)
        positional->weight = lb_params_add(params, name, "weight", LB_SHAPE(config.max_length, config.width),
                                           (lb_init){LB_INIT_NORMAL, 0.02});
    if (relative)
        positional->weight = lb_params_add(params, name, "weight", LB_SHAPE(BUCKETS, config.heads),
                                           (lb_init){LB_INIT_NORMAL, 1 / sqrt((double)config.width)});
    return lb_params_status(params);
}

enum { BASE = 10000 }; /* the longest wavelength is this times 2 pi */

static lb_tensor *sinusoids(lb_tape *tape, int64_t first, int64_t length, int64_t width)
{
    const lb_real *rows = lb_tape_sinusoids(tape, BASE, width, first, length);
    return lb_tensor_new(tape, LB_SHAPE(length, width), rows);
}

/* One row for each position from 0 to the largest, which are then looked up. */
static lb_tensor *sinusoids_at(lb_tokens position, int64_t width)
{
    int64_t largest = 0, count = position.batch * position.length;
    for (int64_t i = 0; i < count; i++) largest = position.id[i] > largest ? position.id[i] : largest;
    const lb_real *table = lb_tape_sinusoids(position.tape, BASE, width, 0, largest + 1);
    lb_tensor *rows = lb_tensor_new(position.tape, LB_SHAPE(position.batch, position.length, width), NULL);
    if (!table || !lb_is_sound(rows)) return rows;
    for (int64_t i = 0; i < count; i++)
        memcpy(rows->data + i * width, table + position.id[i] * width, (size_t)width * sizeof *rows->data);
    return rows;
}

lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first)
{
    lb_tensor *poison = lb_check_operands("positional_forward", "x", &x, 1);
    if (poison) return poison;
    const lb_positional_config *c = &positional->config;
    const char *outer = lb_tape_enter(x->tape, positional->name);
    int64_t length = x->shape.ndim == 3 ? lb_dim(x, 1) : 0;
    char text[LB_SHAPE_TEXT];
    lb_tensor *sum;
    /* The shape is checked here, because the sum would broadcast. */
    if (x->shape.ndim != 3 || lb_dim(x, 2) != c->width)
        sum = lb_tape_fail(x->tape, LB_ERROR_SHAPE, "expected x of shape [batch,length,%lld], found %s",
                           (long long)c->width, lb_shape_format(x->shape, text));
    else if (first < 0)
        sum = lb_tape_fail(x->tape, LB_ERROR_INDEX, "found position %lld, expected 0 or more",
                           (long long)first);
    else if (c->kind == LB_POSITIONAL_LEARNED && first + length > c->max_length)
        sum = lb_tape_fail(x->tape, LB_ERROR_INDEX,
                           "position %lld is out of range: there are %lld learned positions",
                           (long long)(first + length - 1), (long long)c->max_length);
    else if (c->kind == LB_POSITIONAL_LEARNED)
        sum = lb_add(x, lb_slice(lb_on_tape(x->tape, positional->weight), 0, first, length));
    else if (c->kind != LB_POSITIONAL_SINUSOIDAL)
        sum = x;
    else
        sum = lb_add(x, sinusoids(x->tape, first, length, c->width));
    lb_tape_leave(x->tape, outer);
    return sum;
}

lb_tensor *lb_positional_forward_at(const lb_positional *positional, lb_tensor *x, lb_tokens position)
{
    lb_tensor *poison = lb_check_operands("positional_forward_at", "x", &x, 1);
    if (poison) return poison;
    const lb_positional_config *c = &positional->config;
    const char *outer = lb_tape_enter(x->tape, positional->name);
    lb_shape expected = LB_SHAPE(position.batch, position.length, c->width);
    char text[LB_SHAPE_TEXT], wanted[LB_SHAPE_TEXT];
    lb_tensor *sum;
    if (!lb_shape_equal(x->shape, expected))
        sum = lb_tape_fail(x->tape, LB_ERROR_SHAPE, "expected x of shape %s, found %s",
                           lb_shape_format(expected, wanted), lb_shape_format(x->shape, text));
    else if (c->kind == LB_POSITIONAL_LEARNED)
        sum = lb_add(x, lb_embedding_lookup(position, positional->weight));
    else
        sum = lb_add(x, sinusoids_at(position, c->width));
    lb_tape_leave(x->tape, outer);
    return sum;
}

lb_tensor *lb_positional_bias(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries)
{
    const lb_positional_config *c = &positional->config;
    lb_tensor *bias = NULL;
    const char *outer = lb_tape_enter(tape, positional->name);
    if (c->kind == LB_POSITIONAL_RELATIVE)
        bias = lb_relative_bias(lb_on_tape(tape, positional->weight),
                                (lb_relative_options){.queries = queries,
                                                      .keys = first + queries,
                                                      .first = first,
                                                      .farthest = FARTHEST,
                                                      .causal = c->causal});
    if (c->kind == LB_POSITIONAL_ALIBI) bias = lb_alibi_bias(tape, c->heads, queries, first + queries, first);
    lb_tape_leave(tape, outer);
    return bias;
}
