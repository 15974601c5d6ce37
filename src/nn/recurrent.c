/* GRUs and LSTMs: cells, and layers in one or two directions over tensors or tokens. */
#include "autograd/tape.h"
#include "lookback/nn.h"

#include "autograd/op.h"
#include "nn/layers.h"
#include "nn/params.h"

#include <math.h>
#include <stdio.h>

enum { SUFFIX_LENGTH = 32, NAME_LENGTH = 64 };

const char *const lb_cell_names[] = {[LB_CELL_GRU] = "gru", [LB_CELL_LSTM] = "lstm", NULL};

static lb_tensor *add_weight(lb_params *params, const char *module, const char *name, const char *suffix,
                             lb_shape shape, int64_t hidden)
{
    char full[NAME_LENGTH];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    return lb_params_add(params, module, full, shape, (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)hidden)});
}

static lb_status init_cell(lb_recurrent_cell *cell, lb_cell_kind kind, lb_params *params, const char *name,
                           const char *suffix, int64_t input, int64_t hidden)
{
    int64_t rows = (kind == LB_CELL_LSTM ? 4 : 3) * hidden;
    lb_params_need(params, name, "input", input);
    lb_params_need(params, name, "hidden", hidden);
    *cell = (lb_recurrent_cell){.name = lb_params_scope(params, "", name), .kind = kind};
    cell->weight_ih = add_weight(params, name, "weight_ih", suffix, LB_SHAPE(rows, input), hidden);
    cell->weight_hh = add_weight(params, name, "weight_hh", suffix, LB_SHAPE(rows, hidden), hidden);
    cell->bias_ih = add_weight(params, name, "bias_ih", suffix, LB_SHAPE(rows), hidden);
    cell->bias_hh = add_weight(params, name, "bias_hh", suffix, LB_SHAPE(rows), hidden);
    return lb_params_status(params);
}

lb_status lb_gru_cell_init(lb_gru_cell *cell, lb_params *params, const char *name, const char *suffix,
                           int64_t input, int64_t hidden)
{
    return init_cell(cell, LB_CELL_GRU, params, name, suffix, input, hidden);
}

lb_status lb_lstm_cell_init(lb_lstm_cell *cell, lb_params *params, const char *name, const char *suffix,
                            int64_t input, int64_t hidden)
{
    return init_cell(cell, LB_CELL_LSTM, params, name, suffix, input, hidden);
}

lb_tensor *lb_recurrent_sequence(const lb_recurrent_cell *cell, lb_tensor *x, const lb_tokens *tokens,
                                 lb_tensor *initial, const int32_t *lengths, bool reverse)
{
    return (cell->kind == LB_CELL_LSTM ? lb_lstm_sequence : lb_gru_sequence)(
        x, tokens, initial, cell->weight_hh, cell->bias_hh, lengths, reverse);
}

/* A sequence of one step. */
static lb_tensor *step_cell(const lb_recurrent_cell *cell, lb_tensor *x, lb_tensor *state)
{
    const char *outer = lb_module_enter(x, cell->name);
    lb_tensor *gates = lb_affine(x, cell->weight_ih, cell->bias_ih);
    lb_shape step = LB_SHAPE(-1, 1, lb_is_sound(gates) ? lb_dim(gates, -1) : 1);
    lb_tensor *outputs = lb_recurrent_sequence(cell, lb_reshape(gates, step), NULL, state, NULL, false);
    lb_tensor *next = lb_op_output(outputs, 1);
    lb_module_leave(x, outer);
    return next;
}

lb_tensor *lb_gru_cell_forward(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state)
{
    return step_cell(cell, x, state);
}

lb_tensor *lb_gru_cell_forward_reset_first(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state)
{
    const char *outer = lb_module_enter(x, cell->name);
    int64_t hidden = lb_dim(cell->weight_hh, 1);
    lb_tensor *read = lb_affine(x, cell->weight_ih, cell->bias_ih);
    /* A learned state is not on a tape, and is multiplied only by parameters. */
    if (lb_is_sound(read) && lb_is_sound(state) && !state->tape) state = lb_on_tape(read->tape, state);
    lb_tensor *sums = lb_add(read, lb_affine(state, cell->weight_hh, cell->bias_hh));
    lb_tensor *r = lb_sigmoid(lb_slice(sums, 1, 0, hidden)),
              *z = lb_sigmoid(lb_slice(sums, 1, hidden, hidden));
    /* Only the rows of n count here, as only those of r and z did before. */
    lb_tensor *again = lb_add(read, lb_affine(lb_mul(r, state), cell->weight_hh, cell->bias_hh));
    lb_tensor *n = lb_tanh(lb_slice(again, 1, 2 * hidden, hidden));
    lb_tensor *next = lb_add(n, lb_mul(z, lb_sub(state, n)));
    lb_module_leave(x, outer);
    return next;
}

lb_tensor *lb_lstm_cell_forward(const lb_lstm_cell *cell, lb_tensor *x, lb_tensor *state)
{
    return step_cell(cell, x, state);
}

lb_status lb_recurrent_init(lb_recurrent *layers, lb_params *params, const char *name,
                            lb_recurrent_config config)
{
    if (config.layers == 0) config.layers = 1;
    if (config.layers < 0) {
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found %lld layers, expected at least 1", name,
                       (long long)config.layers);
        config.layers = 1; /* the error is recorded, and it is poison */
    }
    config.kind = (lb_cell_kind)lb_params_choose(params, name, "kind", (int)config.kind, lb_cell_names);
    *layers = (lb_recurrent){.name = lb_params_scope(params, "", name), .config = config};
    layers->directions = config.bidirectional ? 2 : 1;
    int64_t cells = config.layers * layers->directions;
    layers->cell = lb_params_alloc(params, (size_t)cells * sizeof *layers->cell);
    for (int64_t i = 0; layers->cell && i < cells; i++) {
        int64_t layer = i / layers->directions;
        char suffix[SUFFIX_LENGTH];
        snprintf(suffix, sizeof suffix, "_l%lld%s", (long long)layer,
                 i % layers->directions ? "_reverse" : "");
        int64_t input = layer ? config.hidden * layers->directions : config.input;
        init_cell(&layers->cell[i], config.kind, params, name, suffix, input, config.hidden);
    }
    return lb_params_status(params);
}

lb_status lb_gru_init(lb_gru *gru, lb_params *params, const char *name, lb_gru_config config)
{
    config.kind = LB_CELL_GRU;
    return lb_recurrent_init(gru, params, name, config);
}

lb_status lb_lstm_init(lb_lstm *lstm, lb_params *params, const char *name, lb_lstm_config config)
{
    config.kind = LB_CELL_LSTM;
    return lb_recurrent_init(lstm, params, name, config);
}

/* A forward pass over one batch. */
typedef struct pass {
    const lb_recurrent *layers;
    lb_tape *tape;
    lb_tensor *const *initial;
    const int32_t *lengths;
    const lb_embedding *embedding; /* what the first layer reads, unless it is a tensor */
    const lb_tokens *tokens;
} pass;

/* The input part of the gates of a cell that reads x; NULL: the embedded tokens. */
static lb_gates gates_of(const pass *p, const lb_recurrent_cell *cell, lb_tensor *x)
{
    if (x) return (lb_gates){.x = lb_affine(x, cell->weight_ih, cell->bias_ih)};
    lb_tensor *table = lb_embedding_table(p->embedding, p->tape, p->tokens->batch * p->tokens->length,
                                          cell->weight_ih, cell->bias_ih);
    return lb_embedding_gates(p->embedding, p->tokens, table, cell->weight_ih, cell->bias_ih);
}

static lb_recurrent_result run_layers(const pass *p, lb_tensor *x)
{
    const lb_recurrent *layers = p->layers;
    const lb_recurrent_cell *cell = layers->cell;
    const int64_t directions = layers->directions, count = layers->config.layers;
    lb_recurrent_result result = {
        .final = cell ? lb_tape_alloc(p->tape, (size_t)(count * directions) * sizeof(lb_tensor *)) : NULL};
    if (!result.final) { /* if there are no cells, params has the error, too */
        result.outputs = lb_tape_fail(p->tape, LB_ERROR_MEMORY, "out of memory for recurrent cells");
        return result;
    }
    const char *outer = lb_tape_enter(p->tape, layers->name);
    for (int64_t layer = 0; layer < count; layer++) {
        lb_tensor *side[2] = {NULL};
        if (layer > 0) x = lb_dropout(result.outputs, layers->config.dropout);
        for (int64_t direction = 0; direction < directions; direction++, cell++) {
            int64_t index = cell - layers->cell;
            lb_tensor *initial = p->initial ? p->initial[index] : NULL;
            lb_gates gates = gates_of(p, cell, x);
            side[direction] =
                lb_recurrent_sequence(cell, gates.x, gates.tokens, initial, p->lengths, direction == 1);
            result.final[index] = lb_op_output(side[direction], 1);
        }
        result.outputs = directions == 2 ? lb_concat(side, 2, -1) : side[0];
        result.outputs = lb_announce_at(result.outputs, NULL, layer, "state");
    }
    lb_tape_leave(p->tape, outer);
    return result;
}

lb_recurrent_result lb_recurrent_forward(const lb_recurrent *layers, lb_tensor *x, lb_tensor *const *initial,
                                         const int32_t *lengths)
{
    if (layers->cell && (!x || !x->tape))
        return (lb_recurrent_result){.outputs = lb_affine(x, layers->cell->weight_ih, layers->cell->bias_ih)};
    return run_layers(&(pass){layers, x ? x->tape : NULL, initial, lengths, NULL, NULL}, x);
}

lb_recurrent_result lb_recurrent_forward_tokens(const lb_recurrent *layers, const lb_embedding *embedding,
                                                lb_tokens tokens, lb_tensor *const *initial)
{
    return run_layers(&(pass){layers, tokens.tape, initial, tokens.lengths, embedding, &tokens}, NULL);
}

lb_gru_result lb_gru_forward(const lb_gru *gru, lb_tensor *x, lb_tensor *const *initial,
                             const int32_t *lengths)
{
    return lb_recurrent_forward(gru, x, initial, lengths);
}

lb_gru_result lb_gru_forward_tokens(const lb_gru *gru, const lb_embedding *embedding, lb_tokens tokens,
                                    lb_tensor *const *initial)
{
    return lb_recurrent_forward_tokens(gru, embedding, tokens, initial);
}

lb_lstm_result lb_lstm_forward(const lb_lstm *lstm, lb_tensor *x, lb_tensor *const *initial,
                               const int32_t *lengths)
{
    return lb_recurrent_forward(lstm, x, initial, lengths);
}

lb_lstm_result lb_lstm_forward_tokens(const lb_lstm *lstm, const lb_embedding *embedding, lb_tokens tokens,
                                      lb_tensor *const *initial)
{
    return lb_recurrent_forward_tokens(lstm, embedding, tokens, initial);
}
