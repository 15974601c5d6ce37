#include "lookback/nn.h"

#include "autograd/op.h"
#include "nn/embedding.h"

#include <math.h>
#include <stdio.h>

enum { SUFFIX_LENGTH = 32, NAME_LENGTH = 64 };

static lb_tensor *add_weight(lb_params *params, const char *module, const char *name, const char *suffix,
                             lb_shape shape, int64_t hidden)
{
    char full[NAME_LENGTH];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    return lb_params_add(params, module, full, shape, (lb_init){LB_INIT_UNIFORM, 1 / sqrt((double)hidden)});
}

lb_status lb_gru_cell_init(lb_gru_cell *cell, lb_params *params, const char *name, const char *suffix,
                           int64_t input, int64_t hidden)
{
    *cell = (lb_gru_cell){.name = lb_params_scope(params, "", name)};
    cell->weight_ih = add_weight(params, name, "weight_ih", suffix, LB_SHAPE(3 * hidden, input), hidden);
    cell->weight_hh = add_weight(params, name, "weight_hh", suffix, LB_SHAPE(3 * hidden, hidden), hidden);
    cell->bias_ih = add_weight(params, name, "bias_ih", suffix, LB_SHAPE(3 * hidden), hidden);
    cell->bias_hh = add_weight(params, name, "bias_hh", suffix, LB_SHAPE(3 * hidden), hidden);
    return lb_params_status(params);
}

lb_tensor *lb_gru_cell_forward(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state)
{
    const char *outer = lb_module_enter(x, cell->name);
    lb_tensor *gates = lb_affine(x, cell->weight_ih, cell->bias_ih);
    /* A sequence of one step. */
    lb_shape step = LB_SHAPE(-1, 1, lb_is_sound(gates) ? lb_dim(gates, -1) : 1);
    lb_tensor *outputs =
        lb_gru_sequence(lb_reshape(gates, step), NULL, state, cell->weight_hh, cell->bias_hh, NULL, false);
    lb_tensor *next = lb_op_output(outputs, 1);
    lb_module_leave(x, outer);
    return next;
}

lb_status lb_gru_init(lb_gru *gru, lb_params *params, const char *name, lb_gru_config config)
{
    if (config.layers == 0) config.layers = 1;
    if (config.layers < 0) {
        lb_params_fail(params, LB_ERROR_ARGUMENT, "%s: found %d layers, expected at least 1", name,
                       config.layers);
        config.layers = 1; /* which is poison */
    }
    *gru = (lb_gru){.name = lb_params_scope(params, "", name), .config = config};
    gru->directions = config.bidirectional ? 2 : 1;
    int cells = config.layers * gru->directions;
    gru->cell = lb_params_alloc(params, (size_t)cells * sizeof *gru->cell);
    for (int i = 0; gru->cell && i < cells; i++) {
        int layer = i / gru->directions;
        char suffix[SUFFIX_LENGTH];
        snprintf(suffix, sizeof suffix, "_l%d%s", layer, i % gru->directions ? "_reverse" : "");
        int64_t input = layer ? config.hidden * gru->directions : config.input;
        lb_gru_cell_init(&gru->cell[i], params, name, suffix, input, config.hidden);
    }
    return lb_params_status(params);
}

/* A run of one GRU over one batch. */
typedef struct run {
    const lb_gru *gru;
    lb_tape *tape;
    lb_tensor *const *initial;
    const int32_t *lengths;
    lb_gru_result result;
} run;

/* The outputs of one layer, given the input part of the gates in each direction. */
static lb_tensor *run_layer(const run *r, int layer, const lb_gates *gates)
{
    lb_tensor *side[2] = {NULL};
    for (int direction = 0; direction < r->gru->directions; direction++) {
        int index = layer * r->gru->directions + direction;
        const lb_gru_cell *cell = &r->gru->cell[index];
        lb_tensor *initial = r->initial ? r->initial[index] : NULL;
        side[direction] = lb_gru_sequence(gates[direction].x, gates[direction].tokens, initial,
                                          cell->weight_hh, cell->bias_hh, r->lengths, direction == 1);
        r->result.final[index] = lb_op_output(side[direction], 1);
    }
    return r->gru->directions == 2 ? lb_concat(side, 2, -1) : side[0];
}

/* All layers, from the gates of the first. */
static lb_gru_result run_layers(run r, const lb_gates *first_gates)
{
    const lb_gru *gru = r.gru;
    r.result.final =
        lb_tape_alloc(r.tape, (size_t)(gru->config.layers * gru->directions) * sizeof(lb_tensor *));
    if (!r.result.final) return (lb_gru_result){.outputs = first_gates[0].x};
    r.result.outputs = run_layer(&r, 0, first_gates);
    for (int layer = 1; layer < gru->config.layers; layer++) {
        lb_tensor *x = lb_dropout(r.result.outputs, gru->config.dropout);
        lb_gates gates[2];
        for (int direction = 0; direction < gru->directions; direction++) {
            const lb_gru_cell *cell = &gru->cell[layer * gru->directions + direction];
            gates[direction] = (lb_gates){.x = lb_affine(x, cell->weight_ih, cell->bias_ih)};
        }
        r.result.outputs = run_layer(&r, layer, gates);
    }
    return r.result;
}

/* If there was no memory for the cells, params has the error. */
static lb_gru_result no_cells(lb_tape *tape)
{
    return (lb_gru_result){.outputs =
                               lb_tape_fail(tape, LB_ERROR_MEMORY, "out of memory for the cells of a GRU")};
}

lb_gru_result lb_gru_forward(const lb_gru *gru, lb_tensor *x, lb_tensor *const *initial,
                             const int32_t *lengths)
{
    if (!gru->cell) return no_cells(x ? x->tape : NULL);
    if (!x || !x->tape)
        return (lb_gru_result){.outputs = lb_affine(x, gru->cell->weight_ih, gru->cell->bias_ih)};
    const char *outer = lb_tape_enter(x->tape, gru->name);
    lb_gates gates[2];
    for (int direction = 0; direction < gru->directions; direction++)
        gates[direction] =
            (lb_gates){.x = lb_affine(x, gru->cell[direction].weight_ih, gru->cell[direction].bias_ih)};
    lb_gru_result result =
        run_layers((run){.gru = gru, .tape = x->tape, .initial = initial, .lengths = lengths}, gates);
    lb_tape_leave(x->tape, outer);
    return result;
}

lb_gru_result lb_gru_forward_tokens(const lb_gru *gru, const lb_embedding *embedding, lb_tokens tokens,
                                    lb_tensor *const *initial)
{
    if (!gru->cell) return no_cells(tokens.tape);
    const char *outer = lb_tape_enter(tokens.tape, gru->name);
    lb_gates gates[2];
    for (int direction = 0; direction < gru->directions; direction++) {
        const lb_gru_cell *cell = &gru->cell[direction];
        lb_tensor *table = lb_embedding_table(embedding, tokens.tape, tokens.batch * tokens.length,
                                              cell->weight_ih, cell->bias_ih);
        gates[direction] = lb_embedding_gates(embedding, &tokens, table, cell->weight_ih, cell->bias_ih);
    }
    lb_gru_result result = run_layers(
        (run){.gru = gru, .tape = tokens.tape, .initial = initial, .lengths = tokens.lengths}, gates);
    lb_tape_leave(tokens.tape, outer);
    return result;
}
