#include "proof/graph.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LB_REAL_IS_DOUBLE
static const double LARGEST = DBL_MAX, SMALLEST = DBL_MIN;
#else
static const double LARGEST = FLT_MAX, SMALLEST = FLT_MIN;
#endif

enum { MOST_OPS = 10, MOST_SMOOTH_OPS = 5, MOST_ELEMENTS = 20000 };

void proof_graph_init(proof_graph *g, proof_sort sort, uint64_t seed)
{
    *g = (proof_graph){.sort = sort, .seed = seed};
}

void proof_graph_free(proof_graph *g)
{
    for (int i = 0; i < g->leaves; i++) {
        free(g->leaf[i]->data);
        free(g->leaf[i]->grad);
        free(g->leaf[i]);
    }
}

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

static void add_to_pool(proof_graph *g, lb_tensor *tensor)
{
    if (g->pooled < LB_LENGTH(g->pool)) g->pool[g->pooled++] = tensor;
}

static void keep(proof_graph *g, lb_tensor *result, bool grows)
{
    if (g->results == PROOF_RESULTS) return;
    g->random[g->results] = g->drops;
    g->result[g->results++] = result;
    int outputs = result->node && result->node->op->outputs ? result->node->op->outputs : 1;
    if (!grows) {
        add_to_pool(g, result);
        for (int i = 1; i < outputs && result->node->out[0] == result; i++)
            add_to_pool(g, lb_op_output(result, i));
    } else if (g->results < PROOF_RESULTS) {
        /* So that values do not grow from op to op. */
        lb_tensor *small = lb_tanh(result);
        g->random[g->results] = false;
        g->result[g->results++] = small;
        add_to_pool(g, small);
    }
}

/* An error has to name the op, and may only come from operands that do not match. */
static void check_error(proof_graph *g, const lb_tensor *result, int maker)
{
    lb_status status = lb_tensor_status(result);
    const char *message = lb_tensor_error(result);
    bool known = result && !lb_is_sound(result) &&
                 (status == LB_ERROR_SHAPE || status == LB_ERROR_ARGUMENT || status == LB_ERROR_INDEX);
    if (!*g->why && (!g->spoilt || !known || strncmp(message, "lb_", 3) != 0))
        snprintf(g->why, sizeof g->why, "%s: maker %d: status %d: %.250s",
                 g->spoilt ? "an error without a name" : "operands that match are refused", maker, status,
                 message);
    lb_tape_clear_error(g->tape);
}

void proof_graph_build(proof_graph *g, lb_tape *tape)
{
    g->tape = tape;
    g->dice = proof_dice_new(g->seed, "graph");
    g->used = g->pooled = g->results = 0;
    int ops = 1 + (int)proof_below(&g->dice, g->sort == PROOF_SMOOTH ? MOST_SMOOTH_OPS : MOST_OPS);
    for (int i = 0; i < ops; i++) {
        int maker = (int)proof_below(&g->dice, (uint64_t)proof_maker_count);
        g->spoilt = g->drops = false;
        lb_tensor *result = proof_makers[maker].make(g);
        if (lb_is_sound(result) && lb_tape_status(tape) == LB_OK)
            keep(g, result, proof_makers[maker].grows);
        else
            check_error(g, result, maker);
    }
}
