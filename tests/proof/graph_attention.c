/* Attention and what it needs, with random operands. */
#include "autograd/op.h"
#include "proof/graph.h"

#include <math.h>

static lb_normalizer random_normalizer(proof_graph *g)
{
    return (lb_normalizer)proof_below(&g->dice, 3);
}

static lb_tensor *make_additive(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t width = proof_length(g), depth = proof_length(g);
    lb_tensor *v = proof_operand(g, proof_chance(g) ? LB_SHAPE(width) : LB_SHAPE(1, width));
    lb_tensor *query = proof_operand(g, LB_SHAPE(batch, queries, width));
    lb_tensor *key = proof_operand(g, LB_SHAPE(batch, keys, width));
    lb_tensor *value = proof_operand(g, LB_SHAPE(batch, keys, depth));
    lb_tensor *mask = proof_mask(g, LB_SHAPE(batch, keys));
    if (proof_chance(g)) return lb_attend_additive(query, key, value, v, mask);
    return lb_attend_additive_by(query, key, value, v, mask, random_normalizer(g));
}

/* An operand of dot attention: the heads are columns, or an axis. */
static lb_tensor *with_heads(proof_graph *g, bool axis, int64_t batch, int64_t heads, int64_t rows,
                             int64_t width)
{
    return proof_operand(g,
                         axis ? LB_SHAPE(batch, heads, rows, width) : LB_SHAPE(batch, rows, heads * width));
}

/* A mask as something to be added to the scores, or numbers that want a gradient; or NULL. */
static lb_tensor *make_bias(proof_graph *g, lb_shape shape)
{
    if (proof_once_in(&g->dice, 3)) return NULL;
    if (proof_chance(g)) return proof_operand(g, shape);
    lb_tensor *bias = proof_mask(g, shape);
    for (int64_t i = 0; bias && lb_is_sound(bias) && i < lb_count(bias); i++)
        bias->data[i] = bias->data[i] == 0 ? (lb_real)-INFINITY : (lb_real)0.5;
    return bias;
}

static lb_dot_options random_options(proof_graph *g, int64_t heads, int64_t kv_heads)
{
    static const double softcaps[] = {0, 0, 0.5, 3};
    lb_dot_options options = {.heads = heads, .kv_heads = kv_heads, .scale = (lb_real)0.6};
    if (kv_heads == heads && proof_chance(g)) options.kv_heads = 0;
    options.softcap = (lb_real)softcaps[proof_below(&g->dice, LB_LENGTH(softcaps))];
    if (proof_spoils(g)) options.softcap = -1;
    options.cap_biased = proof_chance(g);
    options.normalizer = random_normalizer(g);
    options.window = (lb_window){.on = proof_chance(g),
                                 .left = (int64_t)proof_below(&g->dice, 4) - 1,
                                 .right = (int64_t)proof_below(&g->dice, 4) - 1};
    options.first = (int64_t)proof_below(&g->dice, 4);
    return options;
}

static lb_tensor *make_dot(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t kv_heads = 1 + (int64_t)proof_below(&g->dice, 3), width = proof_length(g),
            depth = proof_length(g);
    uint64_t which = proof_below(&g->dice, 3);
    int64_t heads = which == 2 ? kv_heads * (1 + (int64_t)proof_below(&g->dice, 2)) : kv_heads;
    bool axis = proof_chance(g);
    lb_shape weights = LB_SHAPE(batch, heads, queries, keys);
    lb_tensor *mask = proof_mask(g, proof_broadcasting(g, weights));
    lb_tensor *bias = make_bias(g, proof_broadcasting(g, weights));
    lb_tensor *query = with_heads(g, axis, batch, heads, queries, width);
    lb_tensor *key = with_heads(g, axis, batch, kv_heads, keys, width);
    lb_tensor *value = with_heads(g, axis, batch, kv_heads, keys, depth);
    lb_dot_options options = random_options(g, heads, kv_heads);
    options.dropout = proof_once_in(&g->dice, 8) ? (lb_real)0.3 : 0;
    g->drops = options.dropout > 0;
    if (proof_spoils(g)) options.heads = heads = proof_chance(g) ? 0 : 7;
    if (which == 0)
        return lb_attend_dot(query, key, value, mask, bias, heads, options.scale, options.dropout);
    if (which == 2) return lb_attend_dot_with(query, key, value, mask, bias, options);
    return lb_attend_dot_by(query, key, value, mask, bias, heads, options.scale, options.dropout,
                            options.normalizer);
}

/* Query, keys and values as columns of one tensor, or of two. */
static lb_tensor *make_packed(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t kv_heads = 1 + (int64_t)proof_below(&g->dice, 3), width = 1 + proof_length(g);
    int64_t heads = kv_heads * (1 + (int64_t)proof_below(&g->dice, 2)), own = heads * width,
            seen = 2 * kv_heads * width + (proof_chance(g) ? proof_length(g) : 0);
    bool one = proof_chance(g);
    lb_shape weights = LB_SHAPE(batch, heads, queries, one ? queries : keys);
    lb_tensor *mask = proof_mask(g, proof_broadcasting(g, weights));
    lb_tensor *bias = make_bias(g, proof_broadcasting(g, weights));
    lb_tensor *query = proof_operand(g, LB_SHAPE(batch, queries, one ? own + seen : own));
    lb_tensor *key = one ? NULL : proof_operand(g, LB_SHAPE(batch, keys, seen));
    lb_dot_options options = random_options(g, heads, kv_heads);
    if (proof_spoils(g)) width += 7;
    return lb_attend_packed(query, key, mask, bias, width, options);
}

static lb_tensor *make_window(proof_graph *g)
{
    static const double deviations[] = {0.5, 1, 3};
    lb_shape shape = proof_random_shape(g, 3, 3);
    double deviation = proof_spoils(g) ? 0 : deviations[proof_below(&g->dice, LB_LENGTH(deviations))];
    lb_tensor *weights = proof_operand(g, shape);
    return lb_gaussian_window(weights, proof_operand(g, LB_SHAPE(shape.dim[0], shape.dim[1], 1)), deviation);
}

static lb_tensor *make_hard(proof_graph *g)
{
    int64_t keys = proof_length(g), classes = 1 + proof_length(g);
    lb_tokens rows = proof_some_tokens(g, classes);
    lb_tensor *logits = proof_operand(g, LB_SHAPE(rows.batch, rows.length, keys, classes));
    lb_tensor *scores = proof_operand(g, LB_SHAPE(rows.batch, rows.length, keys));
    lb_tensor *mask = proof_mask(g, LB_SHAPE(rows.batch, keys));
    return lb_attend_hard(logits, scores, mask, proof_chance(g) ? rows.lengths : NULL);
}

/* Steps of monotonic attention after the beliefs `before`, which may be NULL. */
static lb_tensor *move_on(proof_graph *g, lb_tokens tokens, int64_t keys, int64_t classes, lb_tensor *before,
                          lb_tensor *mask)
{
    int64_t batch = tokens.batch, steps = tokens.length, moves = 1 + proof_length(g);
    lb_tensor *logits = proof_operand(g, LB_SHAPE(batch, steps, keys, classes));
    lb_tensor *scores = proof_operand(g, LB_SHAPE(batch, steps, keys));
    lb_tensor *jumps = proof_chance(g) ? proof_operand(g, LB_SHAPE(batch, steps, moves)) : NULL;
    return lb_attend_monotonic(logits, scores, jumps, before, mask, tokens);
}

static lb_tensor *make_monotonic(proof_graph *g)
{
    int64_t keys = proof_length(g), classes = 1 + proof_length(g);
    lb_tokens tokens = proof_some_tokens(g, classes);
    lb_tensor *mask = proof_mask(g, LB_SHAPE(tokens.batch, keys));
    lb_tensor *first = move_on(g, tokens, keys, classes, NULL, mask);
    if (proof_chance(g)) return first;
    lb_tokens later = proof_tokens(g, tokens.batch, proof_length(g), classes);
    return move_on(g, later, keys, classes, lb_op_output(first, 2), mask);
}

static lb_tensor *make_relative_bias(proof_graph *g)
{
    bool causal = proof_chance(g);
    int64_t buckets = causal ? 2 + proof_length(g) : 4 + 2 * proof_length(g);
    int64_t exact = buckets / (causal ? 2 : 4), heads = proof_length(g);
    lb_relative_options options = {.queries = proof_length(g), .keys = proof_length(g), .causal = causal};
    options.first = (int64_t)proof_below(&g->dice, 12);
    if (proof_chance(g)) options.farthest = exact + 1 + (int64_t)proof_below(&g->dice, 12);
    if (proof_spoils(g)) options.farthest = exact;
    if (proof_spoils(g)) options.keys = -1;
    return lb_relative_bias(proof_operand(g, LB_SHAPE(buckets, heads)), options);
}

static lb_tensor *make_alibi_bias(proof_graph *g)
{
    int64_t heads = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    if (proof_spoils(g)) heads = -1;
    return lb_alibi_bias(g->tape, heads, queries, keys, (int64_t)proof_below(&g->dice, 5));
}

static lb_tensor *make_rotary(proof_graph *g)
{
    static const double bases[] = {0, 10, 100};
    int64_t batch = proof_length(g), heads = 1 + (int64_t)proof_below(&g->dice, 3), rows = proof_length(g);
    int64_t rotated = 2 * proof_length(g);
    bool all = rotated == 0 || proof_chance(g);
    lb_rotary_options options = {
        .heads = heads, .rotated = all ? 0 : rotated, .interleaved = proof_chance(g)};
    options.first = (int64_t)proof_below(&g->dice, 5);
    options.base = bases[proof_below(&g->dice, LB_LENGTH(bases))];
    if (proof_spoils(g)) options.first = -1;
    if (proof_spoils(g)) options.rotated = proof_chance(g) ? rotated + 1 : -2;
    int64_t width = all ? rotated : rotated + proof_length(g);
    lb_tensor *x = with_heads(g, proof_chance(g), batch, heads, rows, width);
    return proof_chance(g) ? lb_rotary_first(x, 1, options) : lb_rotary(x, options);
}

static const proof_maker makers[] = {
    {"additive attention", make_additive, false},
    {"dot attention", make_dot, false},
    {"packed attention", make_packed, false},
    {"window", make_window, false},
    {"hard attention", make_hard, false},
    {"monotonic attention", make_monotonic, false},
    {"relative bias", make_relative_bias, false},
    {"alibi bias", make_alibi_bias, true},
    {"rotary", make_rotary, false},
};
const proof_family proof_attention = {makers, LB_LENGTH(makers)};
