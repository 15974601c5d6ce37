/* Each public op with random operands and attributes. */
#include "proof/graph.h"

#include <math.h>
#include <stdio.h>

/* Often that of an earlier result, so that ops follow on each other. */
static lb_shape random_shape(proof_graph *g, int least, int most)
{
    if (g->pooled && proof_once_in(&g->dice, 2)) {
        lb_shape earlier = g->pool[proof_below(&g->dice, (uint64_t)g->pooled)]->shape;
        if (earlier.ndim >= least && earlier.ndim <= most) return earlier;
    }
    lb_shape shape = {.ndim = least + (int)proof_below(&g->dice, (uint64_t)most - (uint64_t)least + 1)};
    for (int d = 0; d < shape.ndim; d++) shape.dim[d] = proof_length(g);
    return shape;
}

static lb_shape with_last(lb_shape shape, int64_t last)
{
    shape.dim[shape.ndim - 1] = last;
    return shape;
}

/* A shape that broadcasts to this one. */
static lb_shape broadcasting(proof_graph *g, lb_shape whole)
{
    int left_out = (int)proof_below(&g->dice, (uint64_t)whole.ndim + 1);
    lb_shape shape = {.ndim = whole.ndim - left_out};
    for (int d = 0; d < shape.ndim; d++)
        shape.dim[d] = proof_once_in(&g->dice, 4) ? 1 : whole.dim[d + left_out];
    return shape;
}

static int random_axis(proof_graph *g, int ndim)
{
    int axis = (int)proof_below(&g->dice, (uint64_t)ndim);
    if (proof_spoils(g)) return ndim + axis;
    return proof_once_in(&g->dice, 2) ? axis : axis - ndim;
}

static bool chance(proof_graph *g)
{
    return proof_once_in(&g->dice, 2);
}

static lb_tensor *make_arithmetic(proof_graph *g)
{
    lb_shape a = random_shape(g, 0, 4), b = broadcasting(g, a);
    uint64_t which = proof_below(&g->dice, 4);
    lb_tensor *x = proof_operand(g, a), *y = which == 3 ? proof_positive(g, b) : proof_operand(g, b);
    if (which != 3 && chance(g)) {
        lb_tensor *swapped = x;
        x = y;
        y = swapped;
    }
    return which == 0 ? lb_add(x, y) : which == 1 ? lb_sub(x, y) : which == 2 ? lb_mul(x, y) : lb_div(x, y);
}

static lb_tensor *make_unary(proof_graph *g)
{
    lb_shape shape = random_shape(g, 0, 4);
    switch (proof_below(&g->dice, 6)) {
    case 0:
        return lb_exp(proof_operand(g, shape));
    case 1:
        return lb_log(proof_positive(g, shape));
    case 2:
        return lb_tanh(proof_operand(g, shape));
    case 3:
        return lb_sigmoid(proof_operand(g, shape));
    case 4:
        return lb_relu(proof_operand(g, shape));
    default:
        return lb_scale(proof_operand(g, shape), (lb_real)-1.7);
    }
}

static lb_tensor *make_softmax(proof_graph *g)
{
    lb_tensor *x = proof_operand(g, random_shape(g, 1, 4));
    return chance(g) ? lb_softmax(x) : lb_log_softmax(x);
}

static lb_tensor *make_reduce(proof_graph *g)
{
    lb_shape shape = random_shape(g, 0, 4);
    lb_tensor *x = proof_operand(g, shape);
    /* The mean of nothing is NaN, which has no differences. */
    bool sums = chance(g) || (g->sort == PROOF_SMOOTH && lb_shape_count(shape) == 0);
    if (shape.ndim == 0 || proof_once_in(&g->dice, 3)) return sums ? lb_sum_all(x) : lb_mean_all(x);
    int axis = random_axis(g, shape.ndim);
    return sums ? lb_sum(x, axis) : lb_mean(x, axis);
}

static lb_tensor *make_matmul(proof_graph *g)
{
    lb_shape a = random_shape(g, 2, 4), batch = a, b;
    batch.ndim -= 2;
    int64_t inner = lb_shape_dim(a, -1), rows = lb_shape_dim(a, -2), columns = proof_length(g);
    bool turned_a = chance(g), turned_b = chance(g);
    b = broadcasting(g, batch);
    if (turned_a) {
        a.dim[a.ndim - 2] = inner;
        a.dim[a.ndim - 1] = rows;
    }
    b.dim[b.ndim++] = turned_b ? columns : inner;
    b.dim[b.ndim++] = turned_b ? inner : columns;
    lb_tensor *x = proof_operand(g, a), *y = proof_operand(g, b);
    return turned_a || turned_b ? lb_matmul_transposed(x, turned_a, y, turned_b) : lb_matmul(x, y);
}

static lb_tensor *make_affine(proof_graph *g)
{
    lb_shape shape = random_shape(g, 1, 3);
    int64_t inputs = lb_shape_dim(shape, -1), outputs = proof_length(g), more = proof_length(g);
    lb_tensor *bias = chance(g) ? proof_operand(g, LB_SHAPE(outputs)) : NULL, *x = proof_operand(g, shape);
    uint64_t which = proof_below(&g->dice, 3);
    if (which == 0) return lb_affine(x, proof_operand(g, LB_SHAPE(outputs, inputs)), bias);
    lb_tensor *weight = proof_operand(g, LB_SHAPE(outputs, inputs + more));
    int64_t first = (int64_t)proof_below(&g->dice, (uint64_t)more + 1);
    return which == 1 ? lb_affine_columns(x, weight, first, bias)
                      : lb_affine_pair(x, proof_operand(g, with_last(shape, more)), weight, bias);
}

static lb_tensor *make_reshape(proof_graph *g)
{
    lb_shape shape = random_shape(g, 0, 4), to = {.ndim = shape.ndim};
    int axes[LB_MAX_DIMS];
    lb_tensor *x = proof_operand(g, shape);
    for (int d = 0; d < shape.ndim; d++) axes[d] = d;
    for (int d = shape.ndim - 1; d > 0; d--) {
        int other = (int)proof_below(&g->dice, (uint64_t)d + 1), axis = axes[d];
        axes[d] = axes[other];
        axes[other] = axis;
    }
    if (chance(g)) return lb_permute(x, shape.ndim, axes);
    for (int d = 0; d < shape.ndim; d++) to.dim[d] = shape.dim[axes[d]];
    if (lb_shape_count(to) > 0 && to.ndim && chance(g)) to.dim[0] = -1;
    return lb_reshape(x, to);
}

static lb_tensor *make_join(proof_graph *g)
{
    enum { MOST = LB_MAX_INPUTS + 3 };
    lb_shape shape = random_shape(g, 1, 3);
    lb_tensor *parts[MOST];
    int count = 1 + (int)proof_below(&g->dice, proof_once_in(&g->dice, 4) ? MOST : 3);
    int axis = random_axis(g, shape.ndim), at = axis < 0 ? axis + shape.ndim : axis;
    bool stacks = proof_once_in(&g->dice, 3);
    for (int i = 0; i < count; i++) {
        if (!stacks && at < shape.ndim) shape.dim[at] = proof_length(g);
        parts[i] = proof_operand(g, shape);
    }
    return stacks ? lb_stack(parts, count, axis) : lb_concat(parts, count, axis);
}

static lb_tensor *make_slice(proof_graph *g)
{
    lb_shape shape = random_shape(g, 1, 4);
    int axis = random_axis(g, shape.ndim), at = axis < 0 ? axis + shape.ndim : axis;
    int64_t all = at < shape.ndim ? shape.dim[at] : 1;
    int64_t first = (int64_t)proof_below(&g->dice, (uint64_t)all + 1);
    int64_t length = (int64_t)proof_below(&g->dice, (uint64_t)(all - first) + 1);
    if (proof_spoils(g)) length = chance(g) ? all + 1 : -1;
    return lb_slice(proof_operand(g, shape), axis, first, length);
}

static lb_tensor *make_masked_fill(proof_graph *g)
{
    lb_shape shape = random_shape(g, 0, 4);
    lb_tensor *mask = proof_mask(g, broadcasting(g, shape)), *x = proof_operand(g, shape);
    lb_real value = g->sort == PROOF_EXTREME && chance(g) ? (lb_real)-INFINITY : (lb_real)-2.5;
    return mask ? lb_masked_fill(x, mask, value) : lb_relu(x);
}

static lb_tensor *make_normalize(proof_graph *g)
{
    lb_shape shape = random_shape(g, 1, 3), width = LB_SHAPE(lb_shape_dim(shape, -1));
    lb_real epsilon = g->sort == PROOF_SMOOTH || chance(g) ? (lb_real)0.1 : (lb_real)1e-5;
    lb_tensor *x = proof_operand(g, shape), *weight = proof_operand(g, width);
    return lb_normalize(x, weight, proof_operand(g, width), epsilon);
}

/* Larger numbers may overflow. */
static const double LARGEST_FLOAT = 3.4e38;

/* The reference of dropout knows only the first numbers of a tape. */
static void check_dropout(proof_graph *g, const lb_tensor *x, const lb_tensor *y, double share)
{
    for (int64_t i = 0; i < lb_count(x); i++) {
        double expected = (double)x->data[i] / (1 - share), found = (double)y->data[i];
        bool kept = fabs(found - expected) <= 1e-5 * fabs(expected) || !isfinite(expected) ||
                    (isinf(found) && fabs(expected) > LARGEST_FLOAT);
        if (!*g->why && !kept && (found != 0 || share == 0))
            snprintf(g->why, sizeof g->why, "lb_dropout: element %lld is %g, expected 0 or %g", (long long)i,
                     found, expected);
    }
}

static lb_tensor *make_dropout(proof_graph *g)
{
    static const double shares[] = {0, 0.3, 0.9};
    lb_real share = (lb_real)shares[proof_below(&g->dice, 3)];
    if (proof_spoils(g)) share = chance(g) ? 1 : (lb_real)NAN;
    lb_tensor *x = proof_operand(g, random_shape(g, 0, 3)), *y = lb_dropout(x, share);
    g->drops = true;
    if (lb_is_sound(y)) check_dropout(g, x, y, y == x ? 0 : (double)share);
    return y;
}

/* Tokens of random sizes. */
static lb_tokens some_tokens(proof_graph *g, int64_t count)
{
    int64_t batch = proof_length(g), length = proof_length(g);
    return proof_tokens(g, batch, length, count);
}

static lb_tensor *make_lookup(proof_graph *g)
{
    int64_t rows = proof_length(g), width = proof_length(g);
    lb_tensor *table = proof_operand(g, LB_SHAPE(rows, width));
    return lb_embedding_lookup(some_tokens(g, rows), table);
}

static lb_tensor *make_cross_entropy(proof_graph *g)
{
    int64_t classes = 1 + proof_length(g);
    lb_tokens targets = some_tokens(g, classes);
    lb_tensor *logits = proof_operand(g, LB_SHAPE(targets.batch, targets.length, classes));
    int32_t ignored = chance(g) ? LB_PAD : -100;
    if (chance(g)) return lb_cross_entropy(logits, targets, ignored);
    return lb_cross_entropy_smoothed(logits, targets, ignored, proof_spoils(g) ? 2 : (lb_real)0.2);
}

static lb_tensor *make_additive(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t width = proof_length(g), depth = proof_length(g);
    lb_tensor *v = proof_operand(g, chance(g) ? LB_SHAPE(width) : LB_SHAPE(1, width));
    lb_tensor *query = proof_operand(g, LB_SHAPE(batch, queries, width));
    lb_tensor *key = proof_operand(g, LB_SHAPE(batch, keys, width));
    lb_tensor *value = proof_operand(g, LB_SHAPE(batch, keys, depth));
    return lb_attend_additive(query, key, value, v, proof_mask(g, LB_SHAPE(batch, keys)));
}

/* An operand of dot attention: the heads are columns, or an axis. */
static lb_tensor *with_heads(proof_graph *g, bool axis, int64_t batch, int64_t heads, int64_t rows,
                             int64_t width)
{
    return proof_operand(g,
                         axis ? LB_SHAPE(batch, heads, rows, width) : LB_SHAPE(batch, rows, heads * width));
}

/* A mask as something to be added to the scores. */
static lb_tensor *make_bias(proof_graph *g, lb_shape shape)
{
    lb_tensor *bias = proof_mask(g, shape);
    for (int64_t i = 0; bias && lb_is_sound(bias) && i < lb_count(bias); i++)
        bias->data[i] = bias->data[i] == 0 ? (lb_real)-INFINITY : (lb_real)0.5;
    return bias;
}

static lb_tensor *make_dot(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t heads = 1 + (int64_t)proof_below(&g->dice, 3), width = proof_length(g), depth = proof_length(g);
    bool axis = chance(g);
    lb_shape weights = LB_SHAPE(batch, heads, queries, keys);
    lb_tensor *mask = proof_mask(g, broadcasting(g, weights));
    lb_tensor *bias = chance(g) ? make_bias(g, broadcasting(g, weights)) : NULL;
    lb_tensor *query = with_heads(g, axis, batch, heads, queries, width);
    lb_tensor *key = with_heads(g, axis, batch, heads, keys, width);
    lb_tensor *value = with_heads(g, axis, batch, heads, keys, depth);
    lb_real dropout = proof_once_in(&g->dice, 8) ? (lb_real)0.3 : 0;
    g->drops = dropout > 0;
    if (proof_spoils(g)) heads = chance(g) ? 0 : 7;
    return lb_attend_dot(query, key, value, mask, bias, heads, (lb_real)0.6, dropout);
}

/* The input of a GRU: gates, or a table of them. */
static lb_tensor *make_gates(proof_graph *g, bool table, lb_tokens tokens, int64_t rows, int64_t hidden)
{
    return proof_operand(g, table ? LB_SHAPE(rows, 3 * hidden)
                                  : LB_SHAPE(tokens.batch, tokens.length, 3 * hidden));
}

static lb_tensor *make_gru(proof_graph *g)
{
    int64_t hidden = proof_length(g), rows = proof_length(g);
    lb_tokens tokens = some_tokens(g, rows);
    bool table = chance(g), padded = chance(g), reverse = chance(g);
    lb_tensor *x = make_gates(g, table, tokens, rows, hidden);
    lb_tensor *initial = chance(g) ? proof_operand(g, LB_SHAPE(tokens.batch, hidden)) : NULL;
    lb_tensor *weight = proof_operand(g, LB_SHAPE(3 * hidden, hidden));
    lb_tensor *bias = proof_operand(g, LB_SHAPE(3 * hidden));
    return lb_gru_sequence(x, table ? &tokens : NULL, initial, weight, bias, padded ? tokens.lengths : NULL,
                           reverse);
}

static lb_tensor *make_attention_gru(proof_graph *g)
{
    int64_t hidden = proof_length(g), rows = proof_length(g), keys = proof_length(g);
    int64_t width = proof_length(g), depth = proof_length(g), more = proof_length(g);
    lb_tokens tokens = some_tokens(g, rows);
    bool table = chance(g);
    lb_attention_gru_operands in = {.tokens = table ? &tokens : NULL,
                                    .lengths = chance(g) ? tokens.lengths : NULL};
    in.x = make_gates(g, table, tokens, rows, hidden);
    in.initial = proof_operand(g, LB_SHAPE(tokens.batch, hidden));
    in.keys = proof_operand(g, LB_SHAPE(tokens.batch, keys, width));
    in.values = proof_operand(g, LB_SHAPE(tokens.batch, keys, depth));
    in.mask = proof_mask(g, LB_SHAPE(tokens.batch, keys));
    in.weight_query = proof_operand(g, LB_SHAPE(width, hidden));
    in.v = proof_operand(g, LB_SHAPE(1, width));
    in.weight_context = proof_operand(g, LB_SHAPE(3 * hidden, depth + more));
    in.weight_hh = proof_operand(g, LB_SHAPE(3 * hidden, hidden));
    in.bias_hh = proof_operand(g, LB_SHAPE(3 * hidden));
    return lb_attention_gru_sequence(&in);
}

const proof_maker proof_makers[] = {
    {make_arithmetic, true}, {make_unary, true},          {make_softmax, true},   {make_reduce, true},
    {make_matmul, true},     {make_affine, true},         {make_reshape, false},  {make_join, false},
    {make_slice, false},     {make_masked_fill, true},    {make_normalize, true}, {make_dropout, true},
    {make_lookup, false},    {make_cross_entropy, true},  {make_additive, false}, {make_dot, false},
    {make_gru, false},       {make_attention_gru, false},
};
const int proof_maker_count = LB_LENGTH(proof_makers);
