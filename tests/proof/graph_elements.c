/* Ops that compute element by element, with random operands. */
#include "proof/graph.h"

#include <math.h>
#include <stdio.h>

static lb_tensor *make_arithmetic(proof_graph *g)
{
    lb_shape a = proof_random_shape(g, 0, 4), b = proof_broadcasting(g, a);
    uint64_t which = proof_below(&g->dice, 4);
    lb_tensor *x = proof_operand(g, a), *y = which == 3 ? proof_positive(g, b) : proof_operand(g, b);
    if (which != 3 && proof_chance(g)) {
        lb_tensor *swapped = x;
        x = y;
        y = swapped;
    }
    return which == 0 ? lb_add(x, y) : which == 1 ? lb_sub(x, y) : which == 2 ? lb_mul(x, y) : lb_div(x, y);
}

static lb_tensor *make_larger(proof_graph *g)
{
    lb_shape a = proof_random_shape(g, 0, 4), b = proof_broadcasting(g, a);
    lb_tensor *x = proof_operand(g, a), *y = proof_operand(g, b);
    bool turned = proof_chance(g);
    return proof_chance(g) ? lb_maximum(turned ? y : x, turned ? x : y)
                           : lb_minimum(turned ? y : x, turned ? x : y);
}

/* A negative number has whole powers only, and differences only with a constant exponent. */
static lb_tensor *make_power(proof_graph *g)
{
    static const double exponents[] = {0, 1, 2, 3, 0.5, -1, -2};
    enum { OF_ALL = 4 }; /* these are smooth everywhere */
    lb_shape shape = proof_random_shape(g, 0, 4);
    if (proof_chance(g)) {
        lb_tensor *base = proof_positive(g, shape);
        return lb_pow(base, proof_operand(g, proof_broadcasting(g, shape)));
    }
    uint64_t which = proof_below(&g->dice, LB_LENGTH(exponents));
    lb_real exponent = (lb_real)exponents[which];
    lb_tensor *base = which < OF_ALL ? proof_operand(g, shape) : proof_positive(g, shape);
    return lb_pow(base, lb_tensor_new(g->tape, (lb_shape){.ndim = 0}, &exponent));
}

static lb_tensor *make_unary(proof_graph *g)
{
    enum { SQUARE_ROOT, LOGARITHM, OTHERS };
    static lb_tensor *(*const functions[])(lb_tensor *) = {[SQUARE_ROOT] = lb_sqrt,
                                                           [LOGARITHM] = lb_log,
                                                           lb_exp,
                                                           lb_tanh,
                                                           lb_sigmoid,
                                                           lb_relu,
                                                           lb_abs,
                                                           lb_softplus};
    lb_shape shape = proof_random_shape(g, 0, 4);
    uint64_t which = proof_below(&g->dice, LB_LENGTH(functions) + 2);
    if (which == LB_LENGTH(functions)) return lb_scale(proof_operand(g, shape), (lb_real)-1.7);
    if (which > LB_LENGTH(functions)) return lb_add_scalar(proof_operand(g, shape), (lb_real)0.3);
    return functions[which](which < OTHERS ? proof_positive(g, shape) : proof_operand(g, shape));
}

static lb_tensor *make_where(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 0, 4), some = proof_broadcasting(g, shape);
    lb_tensor *condition = proof_mask(g, some);
    if (!condition) condition = proof_operand(g, some);
    lb_tensor *x = proof_operand(g, proof_broadcasting(g, shape));
    return lb_where(condition, x, proof_operand(g, proof_broadcasting(g, shape)));
}

static lb_tensor *make_masked_fill(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 0, 4);
    lb_tensor *mask = proof_mask(g, proof_broadcasting(g, shape)), *x = proof_operand(g, shape);
    lb_real value = g->sort == PROOF_EXTREME && proof_chance(g) ? (lb_real)-INFINITY : (lb_real)-2.5;
    return mask ? lb_masked_fill(x, mask, value) : lb_relu(x);
}

/* Larger numbers may overflow. */
static const double LARGEST_FLOAT = 3.4e38;

/* The step between the smallest numbers of float. */
static const double SMALLEST_STEP = 1.5e-45;

/* The reference of dropout knows only the first numbers of a tape. */
static void check_dropout(proof_graph *g, const lb_tensor *x, const lb_tensor *y, double share)
{
    for (int64_t i = 0; i < lb_count(x); i++) {
        double expected = (double)x->data[i] / (1 - share), found = (double)y->data[i];
        bool kept = fabs(found - expected) <= 1e-5 * fabs(expected) + SMALLEST_STEP || !isfinite(expected) ||
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
    if (proof_spoils(g)) share = proof_chance(g) ? 1 : (lb_real)NAN;
    lb_tensor *x = proof_operand(g, proof_random_shape(g, 0, 3)), *y = lb_dropout(x, share);
    g->drops = true;
    if (lb_is_sound(y)) check_dropout(g, x, y, y == x ? 0 : (double)share);
    return y;
}

static const proof_maker makers[] = {
    {"arithmetic", make_arithmetic, true}, {"larger", make_larger, false},
    {"power", make_power, true},           {"unary", make_unary, true},
    {"where", make_where, false},          {"masked fill", make_masked_fill, true},
    {"dropout", make_dropout, true},
};
const proof_family proof_elements = {makers, LB_LENGTH(makers)};
