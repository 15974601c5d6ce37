/* The kinds of positions: rows that are added to tokens, and biases that are added to scores. */
#include "autograd/op.h"
#include "autograd/tape.h"
#include "base/transcendental.h"
#include "lookback/nn.h"
#include "lookback/op.h"
#include "lookback/ops.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 10000 };                 /* the longest wavelength is this times 2 pi */
enum { BUCKETS = 32, FARTHEST = 128 }; /* of T5 */
enum { UNITS = 32, THRESHOLD = 512 };  /* of FIRE */

const char *const lb_positional_names[] = {[LB_POSITIONAL_SINUSOIDAL] = "sinusoidal",
                                           [LB_POSITIONAL_LEARNED] = "learned",
                                           [LB_POSITIONAL_RELATIVE] = "relative",
                                           [LB_POSITIONAL_ALIBI] = "alibi",
                                           [LB_POSITIONAL_ROTARY] = "rotary",
                                           [LB_POSITIONAL_NONE] = "none",
                                           [LB_POSITIONAL_FIRE] = "fire",
                                           [LB_POSITIONAL_RANDOM] = "random",
                                           NULL};

/* ---- What is added to the tokens: [length, width]. ---- */

static lb_tensor *sinusoids(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t length)
{
    const lb_real *rows = lb_tape_sinusoids(tape, BASE, positional->config.width, first, length);
    return lb_tensor_new(tape, LB_SHAPE(length, positional->config.width), rows);
}

static void init_learned(lb_positional *positional, lb_params *params)
{
    const lb_positional_config *c = &positional->config;
    lb_params_need(params, positional->name, "width", c->width);
    lb_params_need(params, positional->name, "max_length", c->max_length);
    positional->weight = lb_params_add(params, positional->name, "weight", LB_SHAPE(c->max_length, c->width),
                                       (lb_init){LB_INIT_NORMAL, 0.02});
}

static lb_tensor *learned(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t length)
{
    int64_t most = positional->config.max_length;
    if (first + length > most)
        return lb_tape_fail(tape, LB_ERROR_INDEX,
                            "position %lld is out of range: there are %lld learned positions",
                            (long long)(first + length - 1), (long long)most);
    return lb_slice(lb_on_tape(tape, positional->weight), 0, first, length);
}

/* A row for each position from 0 to the largest. */
static lb_tensor *table_for(const lb_positional *positional, lb_tokens position)
{
    int64_t largest = 0;
    if (positional->config.kind == LB_POSITIONAL_LEARNED) return positional->weight;
    for (int64_t i = 0; i < position.batch * position.length; i++)
        largest = position.id[i] > largest ? position.id[i] : largest;
    return sinusoids(positional, position.tape, 0, largest + 1);
}

static void init_random(lb_positional *positional, lb_params *params)
{
    lb_params_need(params, positional->name, "max_length", positional->config.max_length);
}

/* In training, sorted positions are drawn from a range between their number and max_length, whose logarithm is uniform:
 * so those of a long sequence are known from short ones, and so are positions without gaps, which follow without
 * drawing. Each set of positions in the range is equally likely. */
static lb_tensor *random_sinusoids(const lb_positional *positional, lb_tape *tape, int64_t first,
                                   int64_t length)
{
    int64_t end = first + length, most = positional->config.max_length, width = positional->config.width;
    if (lb_tape_mode(tape) != LB_MODE_TRAIN || end >= most || end == 0)
        return sinusoids(positional, tape, first, length);
    const lb_real *table = lb_tape_sinusoids(tape, BASE, width, 0, most);
    lb_tensor *rows = lb_tensor_uninitialised(tape, LB_SHAPE(length, width));
    if (!table || !lb_is_sound(rows)) return rows;
    lb_rng rng = lb_tape_rng(tape);
    double share = lb_rng_uniform(rng, (uint64_t)most);
    int64_t range = (int64_t)((double)end * lb_pow64((double)(most + 1) / (double)end, share));
    for (int64_t at = 0, taken = 0; taken < end; at++) {
        if (lb_rng_below(rng, (uint64_t)at, (uint64_t)(range - at)) >= (uint64_t)(end - taken)) continue;
        if (taken >= first)
            memcpy(rows->data + (taken - first) * width, table + at * width, (size_t)width * sizeof *table);
        taken++;
    }
    return rows;
}

/* ---- What is added to the scores of self-attention: [heads, queries, keys]. ---- */

static void init_relative(lb_positional *positional, lb_params *params)
{
    const lb_positional_config *c = &positional->config;
    lb_params_need(params, positional->name, "width", c->width);
    lb_params_need(params, positional->name, "heads", c->heads);
    positional->weight = lb_params_add(params, positional->name, "weight", LB_SHAPE(BUCKETS, c->heads),
                                       (lb_init){LB_INIT_NORMAL, 1 / sqrt((double)c->width)});
}

static lb_tensor *relative(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries)
{
    return lb_relative_bias(lb_on_tape(tape, positional->weight),
                            (lb_relative_options){.queries = queries,
                                                  .keys = first + queries,
                                                  .first = first,
                                                  .farthest = FARTHEST,
                                                  .causal = positional->config.causal});
}

static lb_tensor *alibi(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries)
{
    return lb_alibi_bias(tape, positional->config.heads, queries, first + queries, first);
}

/* A bias of the last layer would be the same for all keys, and so without effect. */
static void init_fire(lb_positional *positional, lb_params *params)
{
    const char *name = positional->name;
    lb_params_need(params, name, "heads", positional->config.heads);
    positional->slope = lb_params_add(params, name, "slope", LB_SHAPE(1), (lb_init){LB_INIT_CONSTANT, 0.1});
    positional->threshold =
        lb_params_add(params, name, "threshold", LB_SHAPE(1), (lb_init){LB_INIT_CONSTANT, 1});
    lb_linear_init(&positional->inner, params, lb_params_scope(params, name, "linear1"),
                   (lb_linear_config){.inputs = 1, .outputs = UNITS});
    lb_linear_init(&positional->outer, params, lb_params_scope(params, name, "linear2"),
                   (lb_linear_config){.inputs = UNITS, .outputs = positional->config.heads, .no_bias = true});
}

/* log(1 + c x), of distances that are not negative. */
static lb_tensor *log_distance(lb_tensor *c, lb_tensor *x)
{
    return lb_log(lb_add_scalar(lb_mul(x, c), 1));
}

/* Both ways, keys after a query have a negative distance, and the later of the two counts as its position. */
static lb_tensor *fire(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries)
{
    const lb_real LEAST = (lb_real)1e-6; /* for the quotient of zeros */
    int64_t keys = first + queries, cells = queries * keys;
    lb_tensor *distance = lb_tensor_uninitialised(tape, LB_SHAPE(cells, 1)),
              *sign = lb_tensor_uninitialised(tape, LB_SHAPE(cells, 1)),
              *later = lb_tensor_uninitialised(tape, LB_SHAPE(cells, 1));
    if (!lb_is_sound(distance) || !lb_is_sound(sign) || !lb_is_sound(later)) return later;
    for (int64_t i = 0; i < cells; i++) {
        int64_t query = first + i / keys, key = i % keys;
        distance->data[i] = (lb_real)llabs(query - key);
        sign->data[i] = query < key ? -1 : 1;
        later->data[i] = (lb_real)(query < key ? key : query);
    }
    lb_tensor *c = lb_abs(lb_on_tape(tape, positional->slope));
    lb_tensor *threshold = lb_scale(lb_abs(lb_on_tape(tape, positional->threshold)), THRESHOLD);
    lb_tensor *all = lb_add_scalar(log_distance(c, lb_maximum(later, threshold)), LEAST);
    lb_tensor *share = lb_mul(sign, lb_div(log_distance(c, distance), all));
    lb_tensor *bias =
        lb_linear_forward(&positional->outer, lb_linear_forward_relu(&positional->inner, share));
    static const int heads_first[] = {1, 0};
    return lb_reshape(lb_permute(bias, 2, heads_first), LB_SHAPE(positional->config.heads, queries, keys));
}

/* ---- The kinds. ---- */

typedef lb_tensor *positions_of(const lb_positional *positional, lb_tape *tape, int64_t first,
                                int64_t length);

/* What is NULL does nothing. */
static const struct positional_type {
    void (*init)(lb_positional *positional, lb_params *params);
    positions_of *rows, *bias;
} types[] = {
    [LB_POSITIONAL_SINUSOIDAL] = {.rows = sinusoids},
    [LB_POSITIONAL_LEARNED] = {init_learned, .rows = learned},
    [LB_POSITIONAL_RELATIVE] = {init_relative, .bias = relative},
    [LB_POSITIONAL_ALIBI] = {.bias = alibi},
    [LB_POSITIONAL_ROTARY] = {0},
    [LB_POSITIONAL_NONE] = {0},
    [LB_POSITIONAL_FIRE] = {init_fire, .bias = fire},
    [LB_POSITIONAL_RANDOM] = {init_random, .rows = random_sinusoids},
};

lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config)
{
    config.kind =
        (lb_positional_kind)lb_params_choose(params, name, "kind", (int)config.kind, lb_positional_names);
    *positional = (lb_positional){.name = lb_params_scope(params, "", name), .config = config};
    if (types[config.kind].init) types[config.kind].init(positional, params);
    return lb_params_status(params);
}

lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first)
{
    lb_tensor *poison = lb_check_operands("positional_forward", "x", &x, 1);
    if (poison) return poison;
    const lb_positional_config *c = &positional->config;
    const char *outer = lb_tape_enter(x->tape, positional->name);
    char text[LB_SHAPE_TEXT];
    lb_tensor *sum = x;
    /* The shape is checked here, because the sum would broadcast. */
    if (x->shape.ndim != 3 || lb_dim(x, 2) != c->width)
        sum = lb_tape_fail(x->tape, LB_ERROR_SHAPE, "expected x of shape [batch,length,%lld], found %s",
                           (long long)c->width, lb_shape_format(x->shape, text));
    else if (first < 0)
        sum = lb_tape_fail(x->tape, LB_ERROR_INDEX, "found position %lld, expected 0 or more",
                           (long long)first);
    else if (types[c->kind].rows)
        sum = lb_add(x, types[c->kind].rows(positional, x->tape, first, lb_dim(x, 1)));
    lb_tape_leave(x->tape, outer);
    return sum;
}

lb_tensor *lb_positional_forward_at(const lb_positional *positional, lb_tensor *x, lb_tokens position)
{
    assert(types[positional->config.kind].rows); /* a kind that is added to x */
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
    else
        sum = lb_add(x, lb_embedding_lookup(position, table_for(positional, position)));
    lb_tape_leave(x->tape, outer);
    return sum;
}

lb_tensor *lb_positional_bias(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries)
{
    positions_of *bias = types[positional->config.kind].bias;
    if (!bias) return NULL;
    const char *outer = lb_tape_enter(tape, positional->name);
    lb_tensor *scores = bias(positional, tape, first, queries);
    lb_tape_leave(tape, outer);
    return scores;
}
