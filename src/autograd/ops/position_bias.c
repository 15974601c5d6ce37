/* Biases of attention by the distance of query and key: learned, or falling. */
#include "autograd/op.h"
#include "base/transcendental.h"
#include "lookback/ops.h"

#include <math.h>
#include <stdlib.h>

/* Rounding must not put the first distance of a bucket into the one before: log 2 / log 32 is less than 1 / 5. */
static const double ROUNDING = 1e-9;

/* Distances up to `exact` have a bucket each; beyond, buckets grow with the logarithm, up to the last one. */
static int64_t bucket_of_distance(int64_t distance, int64_t buckets, int64_t farthest)
{
    int64_t exact = buckets / 2;
    if (distance < exact) return distance;
    double share = lb_log64((double)distance / (double)exact) / lb_log64((double)farthest / (double)exact);
    int64_t bucket = exact + (int64_t)(share * (double)(buckets - exact) + ROUNDING);
    return bucket < buckets - 1 ? bucket : buckets - 1;
}

/* The bucket of a key `away` positions after the query. */
static int64_t bucket_of(const lb_relative_options *options, int64_t buckets, int64_t away)
{
    if (options->causal) return bucket_of_distance(away < 0 ? -away : 0, buckets, options->farthest);
    int64_t half = buckets / 2;
    return (away > 0 ? half : 0) + bucket_of_distance(llabs(away), half, options->farthest);
}

static lb_status relative_shape(const lb_node *node, lb_shape *out)
{
    const lb_relative_options *options = node->attributes;
    lb_shape table = node->in[0]->shape;
    char text[LB_SHAPE_TEXT];
    if (table.ndim != 2)
        return lb_op_fail(node, LB_ERROR_SHAPE, "expected table[buckets,heads], found table%s",
                          lb_shape_format(table, text));
    int64_t least = options->causal ? 2 : 4, exact = table.dim[0] / least;
    if (table.dim[0] < least || (!options->causal && table.dim[0] % 2))
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "expected %s of at least %lld buckets, found table%s",
                          options->causal ? "a number" : "an even number", (long long)least,
                          lb_shape_format(table, text));
    if (options->farthest <= exact)
        return lb_op_fail(node, LB_ERROR_ARGUMENT,
                          "expected a farthest distance of more than %lld, found %lld", (long long)exact,
                          (long long)options->farthest);
    if (options->queries < 0 || options->keys < 0)
        return lb_op_fail(node, LB_ERROR_ARGUMENT, "found %lld queries and %lld keys, expected 0 or more",
                          (long long)options->queries, (long long)options->keys);
    *out = LB_SHAPE(table.dim[1], options->queries, options->keys);
    return LB_OK;
}

/* Visits each number of the bias with that of the table. */
static void visit_bias(lb_node *node, bool backward)
{
    const lb_relative_options *options = node->attributes;
    lb_tensor *table = node->in[0], *bias = node->out[0];
    int64_t buckets = lb_dim(table, 0), heads = lb_dim(table, 1), cells = options->queries * options->keys;
    for (int64_t i = 0; i < options->queries; i++)
        for (int64_t k = 0; k < options->keys; k++) {
            int64_t row = bucket_of(options, buckets, k - (options->first + i)) * heads;
            int64_t at = i * options->keys + k;
            for (int64_t h = 0; h < heads; h++)
                if (backward)
                    table->grad[row + h] += bias->grad[h * cells + at];
                else
                    bias->data[h * cells + at] = table->data[row + h];
        }
}

LB_PASSES(relative_forward, relative_backward, visit_bias)

static const lb_op relative_op = {
    .name = "relative_bias",
    .operands = "table",
    .formula = "y_hik = table_(bucket(k - i), h)",
    .derivative = "dtable_bh += sum of dy_hik over the i and k of the bucket",
    .shape = relative_shape,
    .forward = relative_forward,
    .backward = LB_TRAINING(relative_backward),
};

/** A learned bias of attention for each head and distance. Half of the buckets hold one distance each, the others
 *  ranges that grow up to `farthest`; the last one also holds all beyond. Unless `causal`, keys before and after a
 *  query use one half of the table each.
 *  Shapes: table [buckets, heads] -> [heads, queries, keys], a bias for lb_attend_dot.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT for an odd number of buckets for both ways, or if `farthest` is within
 *          the exact ones.
 *  Source: T5, Raffel et al. 2020, arXiv:1910.10683, section 2.1, where the table has 32 buckets up to 128. */
lb_tensor *lb_relative_bias(lb_tensor *table, lb_relative_options options)
{
    if (options.farthest == 0) options.farthest = 128;
    return lb_op_apply(&relative_op, LB_INPUTS(table), &options, sizeof options);
}

/* 2^(-8/n), 2^(-16/n), ... for the power of two `n`. */
static double slope_of_power(int64_t n, int64_t head)
{
    return lb_pow64(2, -8.0 * (double)(head + 1) / (double)n);
}

static double slope_of(int64_t heads, int64_t head)
{
    int64_t power = 1;
    while (power * 2 <= heads) power *= 2;
    if (head < power) return slope_of_power(power, head);
    return slope_of_power(2 * power, 2 * (head - power)); /* every other slope of twice as many heads */
}

/** A bias of attention that falls with the distance: -slope |i - k|. The slopes of n heads are 2^(-8/n), 2^(-16/n),
 *  ...; if n is no power of two, those of the power below, then every other one of the power above. It has no
 *  parameters and no gradient.
 *  Shapes: -> [heads, queries, keys], a bias for lb_attend_dot; the first query is at position `first`, the first key
 *          at 0.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY.
 *  Source: ALiBi, Press, Smith, Lewis 2022, arXiv:2108.12409. */
lb_tensor *lb_alibi_bias(lb_tape *tape, int64_t heads, int64_t queries, int64_t keys, int64_t first)
{
    if (heads < 0 || queries < 0 || keys < 0)
        return lb_tape_fail(tape, LB_ERROR_SHAPE,
                            "lb_alibi_bias: found %lld heads, %lld queries and %lld keys, expected 0 or more",
                            (long long)heads, (long long)queries, (long long)keys);
    lb_tensor *bias = lb_tensor_new(tape, LB_SHAPE(heads, queries, keys), NULL);
    if (!lb_is_sound(bias)) return bias;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < queries; i++)
            for (int64_t k = 0; k < keys; k++)
                bias->data[(h * queries + i) * keys + k] =
                    (lb_real)(-slope_of(heads, h) * (double)llabs(first + i - k));
    return bias;
}
