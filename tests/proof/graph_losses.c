/* Lookups, losses and mixtures over classes, with random operands. */
#include "proof/graph.h"

#include <math.h>

static lb_tensor *make_lookup(proof_graph *g)
{
    int64_t rows = proof_length(g), width = proof_length(g);
    lb_tensor *table = proof_operand(g, LB_SHAPE(rows, width));
    return lb_embedding_lookup(proof_some_tokens(g, rows), table);
}

static lb_real random_smoothing(proof_graph *g)
{
    if (proof_spoils(g)) return 2;
    return proof_chance(g) ? 0 : (lb_real)0.2;
}

static lb_tensor *make_loss(proof_graph *g)
{
    int64_t classes = 1 + proof_length(g);
    lb_tokens targets = proof_some_tokens(g, classes);
    lb_shape flat = LB_SHAPE(targets.batch * targets.length, classes);
    lb_tensor *logits =
        proof_operand(g, proof_chance(g) ? flat : LB_SHAPE(targets.batch, targets.length, classes));
    int32_t ignored = proof_chance(g) ? LB_PAD : -100;
    lb_real smoothing = random_smoothing(g);
    switch (proof_below(&g->dice, 4)) {
    case 0:
        return lb_cross_entropy(logits, targets, ignored);
    case 1:
        return lb_cross_entropy_smoothed(logits, targets, ignored, smoothing);
    case 2:
        return lb_cross_entropy_weighted(logits, proof_constant(g, LB_SHAPE(classes)), targets, ignored,
                                         smoothing);
    default:
        return lb_entmax_loss(logits, targets, ignored, smoothing, (lb_normalizer)proof_below(&g->dice, 3));
    }
}

static lb_tensor *make_soft_loss(proof_graph *g)
{
    int64_t batch = proof_length(g), length = proof_length(g), classes = 1 + proof_length(g);
    lb_shape shape = LB_SHAPE(batch, length, classes);
    lb_tensor *logits = proof_operand(g, shape), *targets = proof_constant(g, shape);
    lb_tensor *weight = proof_chance(g) ? proof_constant(g, LB_SHAPE(classes)) : NULL;
    lb_tensor *mask = proof_mask(g, LB_SHAPE(batch, length));
    return lb_cross_entropy_soft(logits, targets, weight, mask, random_smoothing(g));
}

static lb_tensor *make_squared_error(proof_graph *g)
{
    lb_shape shape = LB_SHAPE(proof_length(g), proof_length(g));
    lb_tensor *found = proof_operand(g, shape), *target = proof_operand(g, shape);
    for (int64_t i = 0; lb_is_sound(target) && i < lb_count(target); i++)
        if (isnan(target->data[i])) g->spoilt = true; /* a target that is no number is refused */
    return lb_mean_squared_error(found, target);
}

/* The weights are those of an attention: they sum to 1. */
static lb_tensor *make_copies(proof_graph *g)
{
    int64_t steps = proof_length(g), classes = 1 + proof_length(g);
    lb_tokens symbols = proof_some_tokens(g, classes);
    lb_tensor *weights = lb_softmax(proof_operand(g, LB_SHAPE(symbols.batch, steps, symbols.length)));
    lb_tensor *gate = proof_operand(g, LB_SHAPE(symbols.batch, steps, 1));
    return lb_copy_mixture(proof_operand(g, LB_SHAPE(symbols.batch, steps, classes)), weights, gate, symbols);
}

static const proof_maker makers[] = {
    {"lookup", make_lookup, false},      {"loss", make_loss, true},
    {"soft loss", make_soft_loss, true}, {"squared error", make_squared_error, true},
    {"copies", make_copies, true},
};
const proof_family proof_losses = {makers, LB_LENGTH(makers)};
