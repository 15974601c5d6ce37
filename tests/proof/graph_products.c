/* Matrix products and their relatives, with random operands. */
#include "autograd/op.h"
#include "proof/graph.h"

static lb_shape with_last(lb_shape shape, int64_t last)
{
    shape.dim[shape.ndim - 1] = last;
    return shape;
}

static lb_tensor *make_matmul(proof_graph *g)
{
    lb_shape a = proof_random_shape(g, 2, 4), batch = a, b;
    batch.ndim -= 2;
    int64_t inner = lb_shape_dim(a, -1), rows = lb_shape_dim(a, -2), columns = proof_length(g);
    bool turned_a = proof_chance(g), turned_b = proof_chance(g);
    b = proof_broadcasting(g, batch);
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
    lb_shape shape = proof_random_shape(g, 1, 3);
    int64_t inputs = lb_shape_dim(shape, -1), outputs = proof_length(g), more = proof_length(g);
    lb_tensor *bias = proof_chance(g) ? proof_operand(g, LB_SHAPE(outputs)) : NULL,
              *x = proof_operand(g, shape);
    uint64_t which = proof_below(&g->dice, 4);
    if (which == 3)
        return lb_affine_rows(x, proof_operand(g, LB_SHAPE(outputs + more, inputs)), more, outputs,
                              proof_chance(g) ? proof_operand(g, LB_SHAPE(outputs + more)) : NULL);
    if (which == 0 && g->sort != PROOF_SMOOTH && proof_chance(g))
        return lb_affine_relu(x, proof_operand(g, LB_SHAPE(outputs, inputs)), bias);
    if (which == 0) return lb_affine(x, proof_operand(g, LB_SHAPE(outputs, inputs)), bias);
    lb_tensor *weight = proof_operand(g, LB_SHAPE(outputs, inputs + more));
    int64_t first = (int64_t)proof_below(&g->dice, (uint64_t)more + 1);
    return which == 1 ? lb_affine_columns(x, weight, first, bias)
                      : lb_affine_pair(x, proof_operand(g, with_last(shape, more)), weight, bias);
}

static lb_tensor *make_pair_affine(proof_graph *g)
{
    int64_t batch = proof_length(g), queries = proof_length(g), keys = proof_length(g);
    int64_t width = proof_length(g), outputs = proof_length(g);
    lb_tensor *query = proof_operand(g, LB_SHAPE(batch, queries, width));
    lb_tensor *key = proof_operand(g, LB_SHAPE(batch, keys, width));
    lb_tensor *weight = proof_operand(g, LB_SHAPE(outputs, width));
    return lb_pair_affine(query, key, weight, proof_chance(g) ? proof_operand(g, LB_SHAPE(outputs)) : NULL);
}

static lb_tensor *make_convolve(proof_graph *g)
{
    int64_t count = proof_length(g), reach = proof_length(g);
    int64_t width = 2 * reach + (proof_spoils(g) ? 0 : 1);
    lb_tensor *x = proof_operand(g, proof_random_shape(g, 2, 2));
    return lb_convolve(x, proof_operand(g, LB_SHAPE(count, 1, width)));
}

static const proof_maker makers[] = {
    {"matmul", make_matmul, true},
    {"affine", make_affine, true},
    {"pair affine", make_pair_affine, true},
    {"convolve", make_convolve, true},
};
const proof_family proof_products = {makers, LB_LENGTH(makers)};
