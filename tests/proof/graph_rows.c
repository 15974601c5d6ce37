/* Ops that work along an axis, or on the order of elements, with random operands. */
#include "autograd/op.h"
#include "proof/graph.h"

static lb_tensor *make_softmax(proof_graph *g)
{
    static lb_tensor *(*const functions[])(lb_tensor *) = {lb_softmax, lb_log_softmax, lb_sparsemax,
                                                           lb_entmax15};
    lb_tensor *x = proof_operand(g, proof_random_shape(g, 1, 4));
    return functions[proof_below(&g->dice, LB_LENGTH(functions))](x);
}

static lb_tensor *make_reduce(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 0, 4);
    lb_tensor *x = proof_operand(g, shape);
    /* The mean of nothing is NaN, which has no differences. */
    bool sums = proof_chance(g) || (g->sort == PROOF_SMOOTH && lb_shape_count(shape) == 0);
    if (shape.ndim == 0 || proof_once_in(&g->dice, 3)) return sums ? lb_sum_all(x) : lb_mean_all(x);
    int axis = proof_random_axis(g, shape.ndim);
    if (proof_chance(g)) return sums ? lb_sum_keep(x, axis) : lb_mean_keep(x, axis);
    return sums ? lb_sum(x, axis) : lb_mean(x, axis);
}

static lb_tensor *make_along(proof_graph *g)
{
    static lb_tensor *(*const functions[])(lb_tensor *, int) = {lb_cumsum, lb_reduce_max, lb_log_sum_exp};
    lb_shape shape = proof_random_shape(g, 1, 4);
    lb_tensor *x = proof_operand(g, shape);
    int axis = proof_random_axis(g, shape.ndim);
    /* The largest of nothing is -inf, which has no differences. */
    bool sums = g->sort == PROOF_SMOOTH && lb_shape_count(shape) == 0;
    return functions[sums ? 0 : proof_below(&g->dice, LB_LENGTH(functions))](x, axis);
}

static lb_tensor *make_reshape(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 0, 4), to = {.ndim = shape.ndim};
    int axes[LB_MAX_DIMS];
    lb_tensor *x = proof_operand(g, shape);
    for (int d = 0; d < shape.ndim; d++) axes[d] = d;
    for (int d = shape.ndim - 1; d > 0; d--) {
        int other = (int)proof_below(&g->dice, (uint64_t)d + 1), axis = axes[d];
        axes[d] = axes[other];
        axes[other] = axis;
    }
    if (proof_chance(g)) return lb_permute(x, shape.ndim, axes);
    for (int d = 0; d < shape.ndim; d++) to.dim[d] = shape.dim[axes[d]];
    if (lb_shape_count(to) > 0 && to.ndim && proof_chance(g)) to.dim[0] = -1;
    return lb_reshape(x, to);
}

static lb_tensor *make_join(proof_graph *g)
{
    enum { MOST = LB_MAX_INPUTS + 3 };
    lb_shape shape = proof_random_shape(g, 1, 3);
    lb_tensor *parts[MOST];
    int count = 1 + (int)proof_below(&g->dice, proof_once_in(&g->dice, 4) ? MOST : 3);
    int axis = proof_random_axis(g, shape.ndim), at = axis < 0 ? axis + shape.ndim : axis;
    bool stacks = proof_once_in(&g->dice, 3);
    for (int i = 0; i < count; i++) {
        if (!stacks && at < shape.ndim) shape.dim[at] = proof_length(g);
        parts[i] = proof_operand(g, shape);
    }
    return stacks ? lb_stack(parts, count, axis) : lb_concat(parts, count, axis);
}

static lb_tensor *make_slice(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 1, 4);
    int axis = proof_random_axis(g, shape.ndim), at = axis < 0 ? axis + shape.ndim : axis;
    int64_t all = at < shape.ndim ? shape.dim[at] : 1;
    int64_t first = (int64_t)proof_below(&g->dice, (uint64_t)all + 1);
    int64_t length = (int64_t)proof_below(&g->dice, (uint64_t)(all - first) + 1);
    if (proof_spoils(g)) length = proof_chance(g) ? all + 1 : -1;
    return lb_slice(proof_operand(g, shape), axis, first, length);
}

static lb_tensor *make_split(proof_graph *g)
{
    enum { MOST = 3 };
    lb_shape shape = proof_random_shape(g, 1, 4);
    int axis = proof_random_axis(g, shape.ndim), at = axis < 0 ? axis + shape.ndim : axis;
    int count = 1 + (int)proof_below(&g->dice, MOST);
    int64_t length[MOST] = {0}, left = at < shape.ndim ? shape.dim[at] : 1;
    lb_tensor *parts[MOST];
    for (int i = 0; i < count; i++) {
        length[i] = i + 1 < count ? (int64_t)proof_below(&g->dice, (uint64_t)left + 1) : left;
        left -= length[i];
    }
    if (proof_spoils(g)) length[0] = proof_chance(g) ? length[0] + 1 : -1;
    lb_split_axis(proof_operand(g, shape), axis, length, count, parts);
    return parts[proof_below(&g->dice, (uint64_t)count)];
}

static lb_tensor *make_normalize(proof_graph *g)
{
    lb_shape shape = proof_random_shape(g, 1, 3), width = LB_SHAPE(lb_shape_dim(shape, -1));
    lb_real epsilon = g->sort == PROOF_SMOOTH || proof_chance(g) ? (lb_real)0.1 : (lb_real)1e-5;
    lb_tensor *x = proof_operand(g, shape), *weight = proof_operand(g, width);
    lb_tensor *bias = proof_operand(g, width);
    if (proof_chance(g)) return lb_standardize(x, weight, bias, epsilon);
    lb_tensor *normal = lb_add_standardize(x, proof_operand(g, shape), weight, bias, epsilon, 0);
    return proof_chance(g) ? lb_op_output(normal, 1) : normal;
}

static const proof_maker makers[] = {
    {"softmax", make_softmax, true},     {"reduce", make_reduce, true},
    {"along an axis", make_along, true}, {"reshape", make_reshape, false},
    {"join", make_join, false},          {"slice", make_slice, false},
    {"split", make_split, false},        {"normalize", make_normalize, true},
};
const proof_family proof_rows = {makers, LB_LENGTH(makers)};
