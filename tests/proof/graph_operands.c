/* Random operands: shapes, leaves, earlier results, masks and tokens. */
#include "proof/graph.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef LB_REAL_IS_DOUBLE
static const double LARGEST = DBL_MAX, SMALLEST = DBL_MIN;
#else
static const double LARGEST = FLT_MAX, SMALLEST = FLT_MIN;
#endif

enum { MOST_ELEMENTS = 20000 };

int64_t proof_length(proof_graph *g)
{
    static const int64_t lengths[] = {0, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 17, 33};
    if (g->sort == PROOF_SMOOTH)
        return proof_once_in(&g->dice, 16) ? 0 : 1 + (int64_t)proof_below(&g->dice, 4);
    return lengths[proof_below(&g->dice, proof_once_in(&g->dice, 8) ? LB_LENGTH(lengths) : 11)];
}

bool proof_spoils(proof_graph *g)
{
    if (g->sort == PROOF_SMOOTH || !proof_once_in(&g->dice, 24)) return false;
    g->spoilt = true;
    return true;
}

static double leaf_value(const proof_graph *g, proof_dice *dice, bool positive, bool extreme)
{
    const double extremes[] = {0,        -0.0,         1,     -1, INFINITY, -INFINITY, NAN, LARGEST, -LARGEST,
                               SMALLEST, SMALLEST / 4, 1e-20, 80, -80,      200,       -1e4};
    double unit = (double)proof_below(dice, 1000003) / 1000003;
    if (extreme && proof_once_in(dice, 3)) return extremes[proof_below(dice, LB_LENGTH(extremes))];
    if (positive && g->sort == PROOF_SMOOTH) return 0.5 + 1.5 * unit;
    return 3 * unit - 1.5;
}

static lb_tensor *make_leaf(const proof_graph *g, lb_shape shape, bool positive)
{
    size_t count = (size_t)lb_shape_count(shape);
    lb_tensor *leaf = calloc(1, sizeof *leaf);
    if (!leaf) abort();
    *leaf = (lb_tensor){.shape = shape, .requires_grad = true};
    leaf->data = calloc(count + 1, sizeof *leaf->data);
    leaf->grad = calloc(count + 1, sizeof *leaf->grad);
    if (!leaf->data || !leaf->grad) abort();
    proof_dice dice = proof_dice_new(g->seed * PROOF_LEAVES + (uint64_t)g->leaves, "leaf");
    bool extreme = g->sort == PROOF_EXTREME && proof_once_in(&dice, 2), equal = proof_once_in(&dice, 8);
    for (size_t i = 0; i < count; i++)
        leaf->data[i] =
            (lb_real)(equal && i ? (double)leaf->data[0] : leaf_value(g, &dice, positive, extreme));
    return leaf;
}

static lb_tensor *next_leaf(proof_graph *g, lb_shape shape, bool positive)
{
    if (g->used == PROOF_LEAVES) {
        lb_tensor *constant = lb_tensor_new(g->tape, shape, NULL);
        for (int64_t i = 0; lb_is_sound(constant) && i < lb_count(constant); i++)
            constant->data[i] = (lb_real)0.75;
        return constant;
    }
    if (g->used == g->leaves) {
        g->leaf[g->leaves] = make_leaf(g, shape, positive);
        g->leaves++;
    }
    return lb_on_tape(g->tape, g->leaf[g->used++]);
}

/* Another shape, which may match all the same. */
static lb_shape spoil(proof_graph *g, lb_shape shape)
{
    if (shape.ndim < LB_MAX_DIMS && proof_once_in(&g->dice, 3))
        shape.dim[shape.ndim++] = 1 + (int64_t)proof_below(&g->dice, 3);
    else if (shape.ndim && proof_once_in(&g->dice, 2))
        shape.ndim--;
    else if (shape.ndim)
        shape.dim[proof_below(&g->dice, (uint64_t)shape.ndim)] = proof_length(g);
    return shape;
}

/* An earlier result that has this shape, or that can be given it; NULL if there is none, or by chance. */
static lb_tensor *find_in_pool(proof_graph *g, lb_shape shape)
{
    int first = g->pooled ? (int)proof_below(&g->dice, (uint64_t)g->pooled) : 0;
    bool reshaped = proof_once_in(&g->dice, 2);
    if (proof_once_in(&g->dice, 4)) return NULL;
    for (int i = 0; i < g->pooled; i++) {
        lb_tensor *found = g->pool[(first + i) % g->pooled];
        if (lb_shape_equal(found->shape, shape)) return found;
        if (reshaped && lb_count(found) == lb_shape_count(shape)) return lb_reshape(found, shape);
    }
    return NULL;
}

lb_tensor *proof_operand(proof_graph *g, lb_shape shape)
{
    if (proof_spoils(g)) {
        if (proof_once_in(&g->dice, 4)) return NULL;
        shape = spoil(g, shape);
    }
    if (lb_shape_count(shape) > MOST_ELEMENTS) return lb_tensor_new(g->tape, shape, NULL);
    lb_tensor *found = find_in_pool(g, shape);
    return found ? found : next_leaf(g, shape, false);
}

lb_tensor *proof_positive(proof_graph *g, lb_shape shape)
{
    return g->sort == PROOF_SMOOTH ? next_leaf(g, shape, true) : proof_operand(g, shape);
}

lb_tensor *proof_mask(proof_graph *g, lb_shape shape)
{
    if (proof_once_in(&g->dice, 3)) return NULL;
    if (proof_spoils(g)) shape = spoil(g, shape);
    lb_tensor *mask = lb_tensor_new(g->tape, shape, NULL);
    bool hides_all = proof_once_in(&g->dice, 6);
    for (int64_t i = 0; lb_is_sound(mask) && i < lb_count(mask); i++)
        mask->data[i] = hides_all || proof_once_in(&g->dice, 3) ? 0 : 1;
    return mask;
}

lb_tensor *proof_constant(proof_graph *g, lb_shape shape)
{
    if (proof_spoils(g)) shape = spoil(g, shape);
    lb_tensor *constant = lb_tensor_new(g->tape, shape, NULL);
    bool has_zeros = proof_once_in(&g->dice, 3);
    for (int64_t i = 0; lb_is_sound(constant) && i < lb_count(constant); i++)
        constant->data[i] = has_zeros && proof_once_in(&g->dice, 3)
                                ? 0
                                : (lb_real)(1 + proof_below(&g->dice, 1000)) / (lb_real)1000;
    return constant;
}

lb_tokens proof_tokens(proof_graph *g, int64_t batch, int64_t length, int64_t count)
{
    int32_t *id, *lengths;
    if (count == 0) batch = 0; /* there is no id */
    lb_tokens tokens = lb_tokens_new(g->tape, batch, length, &id, &lengths);
    for (int64_t i = 0; i < batch * length; i++) id[i] = (int32_t)proof_below(&g->dice, (uint64_t)count);
    for (int64_t i = 0; i < batch; i++) lengths[i] = (int32_t)proof_below(&g->dice, (uint64_t)length + 1);
    if (batch * length > 0 && proof_spoils(g)) id[0] = proof_once_in(&g->dice, 2) ? -1 : (int32_t)count;
    if (batch && proof_spoils(g)) lengths[0] = proof_once_in(&g->dice, 2) ? -1 : (int32_t)length + 1;
    return tokens;
}

lb_shape proof_random_shape(proof_graph *g, int least, int most)
{
    if (g->pooled && proof_once_in(&g->dice, 2)) {
        lb_shape earlier = g->pool[proof_below(&g->dice, (uint64_t)g->pooled)]->shape;
        if (earlier.ndim >= least && earlier.ndim <= most) return earlier;
    }
    lb_shape shape = {.ndim = least + (int)proof_below(&g->dice, (uint64_t)most - (uint64_t)least + 1)};
    for (int d = 0; d < shape.ndim; d++) shape.dim[d] = proof_length(g);
    return shape;
}

lb_shape proof_broadcasting(proof_graph *g, lb_shape whole)
{
    int left_out = (int)proof_below(&g->dice, (uint64_t)whole.ndim + 1);
    lb_shape shape = {.ndim = whole.ndim - left_out};
    for (int d = 0; d < shape.ndim; d++)
        shape.dim[d] = proof_once_in(&g->dice, 4) ? 1 : whole.dim[d + left_out];
    return shape;
}

int proof_random_axis(proof_graph *g, int ndim)
{
    int axis = (int)proof_below(&g->dice, (uint64_t)ndim);
    if (proof_spoils(g)) return ndim + axis;
    return proof_once_in(&g->dice, 2) ? axis : axis - ndim;
}

bool proof_chance(proof_graph *g)
{
    return proof_once_in(&g->dice, 2);
}

lb_tokens proof_some_tokens(proof_graph *g, int64_t count)
{
    int64_t batch = proof_length(g), length = proof_length(g);
    return proof_tokens(g, batch, length, count);
}
