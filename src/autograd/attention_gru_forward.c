/* The forward pass of lb_attention_gru_sequence: each thread takes its tiles of rows through all steps. */
#include "autograd/attention_gru_internal.h"
#include "autograd/parts.h"
#include "tensor/gemm.h"
#include "tensor/row_tiles.h"

#include <string.h>

/* The data that all tiles read, and their traces. */
typedef struct forward_pass {
    lb_attention_gru_run run;
    lb_matrix weight_query, weight_context, weight_hh; /* as operands of the products */
    lb_real *traces; /* [batch, steps, trace_size]; NULL: there will be no backward */
} forward_pass;

/* Some rows of the batch, and the working memory of one thread, tile after tile in one block:
 *
 *     +---------+---------+-------+--------+---------+- - -
 *     | product |    x    | power | traces | product |
 *     +---------+---------+-------+--------+---------+- - -
 *     '--------------- tile 0 --------------'- tile 1 - -  */
typedef struct forward_tile {
    int64_t first, height;
    lb_real *product; /* [rows, 3 hidden]: W_hh h */
    lb_real *x;       /* [rows, 3 hidden]: the input's part of the gates, context included */
    lb_real *power;   /* [width]: of a query */
    lb_real *traces;  /* [rows, trace_size]: of one step, where backward will not come */
} forward_tile;

/* Divides a block among the parts of a tile, and returns how much it takes. */
static int64_t lay_out(const forward_pass *pass, lb_real *block, forward_tile *tile)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t rows = lb_row_tiles_of(run->batch).rows;
    lb_parts parts = {.block = block};
    tile->product = lb_parts_next(&parts, rows * 3 * run->hidden);
    tile->x = lb_parts_next(&parts, rows * 3 * run->hidden);
    tile->power = lb_parts_next(&parts, run->width);
    tile->traces = lb_parts_next(&parts, pass->traces ? 0 : rows * lb_attention_gru_trace_size(run));
    return parts.count;
}

/* The traces of the rows of a tile at one step, starting at trace `start`. */
static lb_attention_gru_traces traces_of(const forward_pass *pass, const forward_tile *tile, int64_t start)
{
    const lb_attention_gru_run *run = &pass->run;
    if (!pass->traces) return lb_attention_gru_traces_from(run, tile->traces, 1);
    return lb_attention_gru_traces_from(run, pass->traces + start * lb_attention_gru_trace_size(run),
                                        run->steps);
}

static void clear(lb_real *numbers, int64_t count)
{
    memset(numbers, 0, (size_t)count * sizeof *numbers);
}

/* After the end of a row, outputs are zero. */
static void leave_out(const lb_attention_gru_run *run, int64_t at, lb_real *trace)
{
    clear(run->outputs->data + at * run->hidden, run->hidden);
    clear(run->contexts->data + at * run->depth, run->depth);
    clear(run->weights->data + at * run->keys, run->keys);
    clear(trace, lb_attention_gru_trace_size(run));
}

/* The products that depend only on the states: queries and W_hh h. */
static void multiply_states(const forward_pass *pass, const forward_tile *tile, int64_t present,
                            lb_attention_gru_traces traces)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden;
    lb_matrix states = lb_plain(run->final->data + tile->first * hidden, hidden);
    lb_gemm_serial(present, run->width, hidden, states, pass->weight_query, 0, traces.query, traces.stride);
    lb_gemm_serial(present, 3 * hidden, hidden, states, pass->weight_hh, 0, tile->product, 3 * hidden);
}

/* Completes the input part of the gates by adding the part of the contexts. */
static void multiply_contexts(const forward_pass *pass, const forward_tile *tile, int64_t present,
                              int64_t start)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_matrix contexts = lb_plain(run->contexts->data + start * run->depth, run->steps * run->depth);
    lb_gemm_serial(present, 3 * run->hidden, run->depth, contexts, pass->weight_context, 1, tile->x,
                   3 * run->hidden);
}

/* All rows of a tile take the step side by side. The memory of the final state holds the state before and after it. */
static void forward_step(const forward_pass *pass, const forward_tile *tile, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t hidden = run->hidden, first = tile->first, start = first * run->steps + t;
    int64_t present = lb_gru_input_height(&run->x, first, tile->height, t);
    lb_attention_gru_traces traces = traces_of(pass, tile, start);
    multiply_states(pass, tile, present, traces);
    for (int64_t i = 0; i < tile->height; i++) {
        int64_t at = start + i * run->steps;
        if (!lb_gru_input_has(&run->x, first + i, t)) {
            leave_out(run, at, traces.gates + i * traces.stride);
            continue;
        }
        lb_attended to = lb_attention_gru_attended(run, first + i, tile->power);
        lb_attend(&to, traces.query + i * traces.stride, run->weights->data + at * run->keys,
                  run->contexts->data + at * run->depth);
        memcpy(tile->x + i * 3 * hidden, lb_gru_input_row(&run->x, at),
               (size_t)(3 * hidden) * sizeof(lb_real));
    }
    multiply_contexts(pass, tile, present, start);
    for (int64_t i = 0; i < present; i++)
        if (lb_gru_input_has(&run->x, first + i, t))
            lb_gru_gates(hidden, tile->x + i * 3 * hidden, tile->product + i * 3 * hidden,
                         run->in.bias_hh->data, run->final->data + (first + i) * hidden,
                         run->outputs->data + (start + i * run->steps) * hidden,
                         traces.gates + i * traces.stride);
}

static void all_steps(const forward_pass *pass, const forward_tile *tile)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t begin = tile->first * run->hidden, count = tile->height * run->hidden;
    memcpy(run->final->data + begin, run->in.initial->data + begin, (size_t)count * sizeof(lb_real));
    for (int64_t t = 0; t < run->steps; t++) forward_step(pass, tile, t);
}

/* A single step would not recover the cost of the powers, unless other steps use the same keys. */
static lb_key_powers *powers_for(const lb_attention_gru_run *run)
{
    return run->steps > 1 ? lb_key_powers_new(run->node, run->in.keys)
                          : lb_key_powers_kept(run->node, run->in.keys);
}

static lb_status keep_traces(lb_node *node, forward_pass *pass)
{
    lb_attention_gru_saved *saved = lb_tape_alloc(node->tape, sizeof *saved);
    pass->traces =
        lb_op_reals(node, pass->run.batch * pass->run.steps * lb_attention_gru_trace_size(&pass->run));
    if (!saved || !pass->traces) return LB_ERROR_MEMORY;
    *saved = (lb_attention_gru_saved){.traces = pass->traces, .powers = pass->run.powers};
    node->saved = saved;
    return LB_OK;
}

static bool transpose_weights(forward_pass *pass)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t rows = run->batch * run->steps;
    return lb_op_transposed_weight(run->node, run->in.weight_query, 0, run->hidden, rows,
                                   &pass->weight_query) &&
           lb_op_transposed_weight(run->node, run->in.weight_hh, 0, run->hidden, rows, &pass->weight_hh) &&
           lb_op_transposed_weight(run->node, run->in.weight_context, run->context_column, run->depth, rows,
                                   &pass->weight_context);
}

lb_status lb_attention_gru_forward(lb_node *node)
{
    forward_pass pass = {.run = lb_attention_gru_run_of(node)};
    pass.run.powers = powers_for(&pass.run);
    if (lb_tape_status(node->tape) || (node->records && keep_traces(node, &pass)) ||
        !transpose_weights(&pass))
        return LB_ERROR_MEMORY;
    lb_row_tiles tiles = lb_row_tiles_of(pass.run.batch);
    int64_t size = lay_out(&pass, NULL, &(forward_tile){0});
    lb_real *memory = lb_op_reals(node, tiles.count * size);
    if (!memory) return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t i = 0; i < tiles.count; i++) {
        forward_tile tile = {.first = i * tiles.rows, .height = lb_row_tile_height(tiles, i, pass.run.batch)};
        lay_out(&pass, memory + i * size, &tile);
        all_steps(&pass, &tile);
    }
    return LB_OK;
}
