/* Recurrent layers over sequences, with random operands. */
#include "proof/graph.h"

/* The input of a layer: gates, or a table of them. */
static lb_tensor *make_gates(proof_graph *g, bool table, lb_tokens tokens, int64_t rows, int64_t width)
{
    return proof_operand(g, table ? LB_SHAPE(rows, width) : LB_SHAPE(tokens.batch, tokens.length, width));
}

typedef lb_tensor *layer(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial, lb_tensor *weight_hh,
                         lb_tensor *bias_hh, const int32_t *lengths, bool reverse);

/* A layer whose state is `states` vectors. */
static lb_tensor *make_layer(proof_graph *g, layer *run, int64_t gates, int64_t states)
{
    int64_t hidden = proof_length(g), rows = proof_length(g);
    lb_tokens tokens = proof_some_tokens(g, rows);
    bool table = proof_chance(g), padded = proof_chance(g), reverse = proof_chance(g);
    lb_tensor *x = make_gates(g, table, tokens, rows, gates * hidden);
    lb_tensor *initial = proof_chance(g) ? proof_operand(g, LB_SHAPE(tokens.batch, states * hidden)) : NULL;
    lb_tensor *weight = proof_operand(g, LB_SHAPE(gates * hidden, hidden));
    lb_tensor *bias = proof_operand(g, LB_SHAPE(gates * hidden));
    return run(x, table ? &tokens : NULL, initial, weight, bias, padded ? tokens.lengths : NULL, reverse);
}

static lb_tensor *make_gru(proof_graph *g)
{
    return make_layer(g, lb_gru_sequence, 3, 1);
}

static lb_tensor *make_lstm(proof_graph *g)
{
    return make_layer(g, lb_lstm_sequence, 4, 2);
}

static lb_tensor *make_attention_gru(proof_graph *g)
{
    int64_t hidden = proof_length(g), rows = proof_length(g), keys = proof_length(g);
    int64_t width = proof_length(g), depth = proof_length(g), more = proof_length(g);
    lb_tokens tokens = proof_some_tokens(g, rows);
    bool table = proof_chance(g);
    lb_attention_gru_operands in = {.tokens = table ? &tokens : NULL,
                                    .lengths = proof_chance(g) ? tokens.lengths : NULL};
    in.x = make_gates(g, table, tokens, rows, 3 * hidden);
    in.initial = proof_operand(g, LB_SHAPE(tokens.batch, hidden));
    in.keys = proof_operand(g, LB_SHAPE(tokens.batch, keys, width));
    in.values = proof_operand(g, LB_SHAPE(tokens.batch, keys, depth));
    in.mask = proof_mask(g, LB_SHAPE(tokens.batch, keys));
    in.weight_query = proof_operand(g, LB_SHAPE(width, hidden));
    in.v = proof_operand(g, LB_SHAPE(1, width));
    in.weight_context = proof_operand(g, LB_SHAPE(3 * hidden, depth + more));
    in.weight_hh = proof_operand(g, LB_SHAPE(3 * hidden, hidden));
    in.bias_hh = proof_operand(g, LB_SHAPE(3 * hidden));
    in.normalizer = (lb_normalizer)proof_below(&g->dice, 3);
    return lb_attention_gru_sequence(&in);
}

static const proof_maker makers[] = {
    {"gru", make_gru, false},
    {"lstm", make_lstm, false},
    {"attention gru", make_attention_gru, false},
};
const proof_family proof_recurrent = {makers, LB_LENGTH(makers)};
