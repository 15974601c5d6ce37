/* The backward pass of lb_attention_gru_sequence: each thread takes its tiles of rows back through all steps. Gradients
 * of weights wait until all steps are done: then each is one large product. */
#include "autograd/attention_gru_internal.h"
#include "autograd/gru_gradient.h"
#include "autograd/parts.h"
#include "tensor/gemm.h"
#include "tensor/row_tiles.h"

#include <string.h>

/* The working memory of the op; `all` is the number of rows times the number of steps:
 *
 *     +--------+----+--------+----------+--------+--------+- - -
 *     | dstate | dv | dquery | dcontext | tile 0 | tile 1 |
 *     +--------+----+--------+----------+--------+--------+- - -  */
typedef struct backward_memory {
    lb_real *dstate;   /* [batch, hidden] */
    lb_real *dv;       /* [tiles, width] */
    lb_real *dquery;   /* [all, width] */
    lb_real *dcontext; /* [all, depth] */
    lb_real *tiles;    /* [tiles, tile_size]: see backward_tile */
    int64_t tile_size;
} backward_memory;

/* Some rows of the batch, and the working memory of one thread. There is room even for gradients that are not required,
 * because the kernel computes all of them:
 *
 *     +---------+-------+------------+--------------+
 *     | dscores | power | spare_keys | spare_values |
 *     +---------+-------+------------+--------------+ */
typedef struct backward_tile {
    int64_t first, height;
    lb_real *dv;           /* [width], in backward_memory */
    lb_real *dscores;      /* [keys] */
    lb_real *power;        /* [width]: of a query */
    lb_real *spare_keys;   /* [keys, width]; NULL if the keys require a gradient */
    lb_real *spare_values; /* [keys, depth]; NULL if the values require a gradient */
} backward_tile;

/* The data that all tiles read and write. */
typedef struct backward_pass {
    lb_attention_gru_run run;
    lb_attention_gru_traces traces; /* of all rows and steps */
    lb_gru_gradient gates;          /* of all rows and steps */
    backward_memory memory;
} backward_pass;

/* Divides a block among the parts of a tile, and returns how much it takes. */
static int64_t lay_out_tile(const lb_attention_gru_run *run, lb_real *block, backward_tile *tile)
{
    int64_t keys = lb_wants_grad(run->in.keys) ? 0 : run->keys;
    int64_t values = lb_wants_grad(run->in.values) ? 0 : run->keys;
    lb_parts parts = {.block = block};
    tile->dscores = lb_parts_next(&parts, run->keys);
    tile->power = lb_parts_next(&parts, run->width);
    tile->spare_keys = lb_parts_next(&parts, keys * run->width);
    tile->spare_values = lb_parts_next(&parts, values * run->depth);
    return parts.count;
}

/* The same for the work of the whole op. */
static int64_t lay_out(const lb_attention_gru_run *run, lb_real *block, backward_memory *memory)
{
    int64_t all = run->batch * run->steps, tiles = lb_row_tiles_of(run->batch).count;
    lb_parts parts = {.block = block};
    memory->dstate = lb_parts_next(&parts, run->batch * run->hidden);
    memory->dv = lb_parts_next(&parts, tiles * run->width);
    memory->dquery = lb_parts_next(&parts, all * run->width);
    memory->dcontext = lb_parts_next(&parts, all * run->depth);
    memory->tile_size = lay_out_tile(run, NULL, &(backward_tile){0});
    memory->tiles = lb_parts_next(&parts, tiles * memory->tile_size);
    return parts.count;
}

int64_t lb_attention_gru_backward_work(const lb_node *node)
{
    lb_attention_gru_run run = lb_attention_gru_run_of(node);
    return lay_out(&run, NULL, &(backward_memory){0});
}

static void clear(lb_real *numbers, int64_t count)
{
    memset(numbers, 0, (size_t)count * sizeof *numbers);
}

/* Each row of a batch has its own keys, so gradients are added directly. */
static lb_attended_grad grads_of(const backward_pass *pass, const backward_tile *tile, int64_t row,
                                 lb_real *dquery)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_tensor *keys = run->in.keys, *values = run->in.values;
    return (lb_attended_grad){
        .keys = lb_wants_grad(keys) ? keys->grad + row * run->keys * run->width : tile->spare_keys,
        .values = lb_wants_grad(values) ? values->grad + row * run->keys * run->depth : tile->spare_values,
        .v = tile->dv,
        .query = dquery,
        .scores = tile->dscores};
}

/* Computes the gradients of the query of row and step `at`, and of its keys and values. */
static void attend_backward(const backward_pass *pass, const backward_tile *tile, int64_t row, int64_t at)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_attended to = lb_attention_gru_attended(run, row, tile->power);
    lb_attend_backward(&to, pass->traces.query + at * pass->traces.stride,
                       run->weights->data + at * run->keys, pass->memory.dcontext + at * run->depth,
                       run->weights->grad + at * run->keys,
                       grads_of(pass, tile, row, pass->memory.dquery + at * run->width));
}

/* Turns the gradient of the state after step `at` into that of the gates; dx [3 hidden]. */
static void gates_backward(const backward_pass *pass, int64_t row, int64_t at, lb_real *dx)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_gru_gates_backward(run->hidden, pass->traces.gates + at * pass->traces.stride,
                          run->outputs->grad + at * run->hidden, dx, pass->memory.dstate + row * run->hidden);
    memcpy(pass->memory.dcontext + at * run->depth, run->contexts->grad + at * run->depth,
           (size_t)run->depth * sizeof(lb_real));
}

/* After the end of a row there is no gradient. */
static void leave_out(const backward_pass *pass, int64_t at, lb_real *dx)
{
    const lb_attention_gru_run *run = &pass->run;
    clear(dx, 3 * run->hidden);
    clear(pass->memory.dcontext + at * run->depth, run->depth);
    clear(pass->memory.dquery + at * run->width, run->width);
}

/* Passes the gradient of the gates on to the contexts. */
static void multiply_gates(const backward_pass *pass, lb_gru_gradient gates, int64_t present, int64_t start)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_tensor *weight = run->in.weight_context;
    lb_gemm_serial(present, run->depth, 3 * run->hidden, lb_plain(gates.x, gates.x_stride),
                   lb_plain(weight->data + run->context_column, lb_dim(weight, 1)), 1,
                   pass->memory.dcontext + start * run->depth, run->steps * run->depth);
}

/* Adds the gradients of the states through W_hh h and the queries. */
static void multiply_into_states(const backward_pass *pass, lb_gru_gradient gates, int64_t first,
                                 int64_t present, int64_t start)
{
    const lb_attention_gru_run *run = &pass->run;
    lb_real *dstate = pass->memory.dstate + first * run->hidden;
    lb_matrix dquery = lb_plain(pass->memory.dquery + start * run->width, run->steps * run->width);
    lb_gru_add_state_gradient(gates, present, run->in.weight_hh, dstate);
    lb_gemm_serial(present, run->hidden, run->width, dquery,
                   lb_plain(run->in.weight_query->data, run->hidden), 1, dstate, run->hidden);
}

static void backward_step(const backward_pass *pass, const backward_tile *tile, int64_t t)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t first = tile->first, steps = run->steps, start = first * steps + t;
    int64_t present = lb_gru_input_height(&run->x, first, tile->height, t);
    lb_gru_gradient gates = lb_gru_gradient_rows(pass->gates, start, steps);
    for (int64_t i = 0; i < tile->height; i++) {
        lb_real *dx = gates.x + i * gates.x_stride;
        if (lb_gru_input_has(&run->x, first + i, t))
            gates_backward(pass, first + i, start + i * steps, dx);
        else
            leave_out(pass, start + i * steps, dx);
    }
    multiply_gates(pass, gates, present, start);
    for (int64_t i = 0; i < present; i++)
        if (lb_gru_input_has(&run->x, first + i, t))
            attend_backward(pass, tile, first + i, start + i * steps);
    multiply_into_states(pass, gates, first, present, start);
}

/* Clears the gradients of the keys and values of the tile now, so that they stay in the cache. dv and the spare memory
 * belong to the tile. */
static void begin_grads(const backward_pass *pass, const backward_tile *tile)
{
    const lb_attention_gru_run *run = &pass->run;
    int64_t before = tile->first * run->keys, count = tile->height * run->keys;
    clear(tile->dv, run->width);
    if (lb_wants_grad(run->in.keys))
        lb_op_begin_grad(run->node, LB_AGRU_KEYS, before * run->width, count * run->width);
    else
        clear(tile->spare_keys, run->keys * run->width);
    if (lb_wants_grad(run->in.values))
        lb_op_begin_grad(run->node, LB_AGRU_VALUES, before * run->depth, count * run->depth);
    else
        clear(tile->spare_values, run->keys * run->depth);
}

/* The last columns of the weight += gradient' input, over all rows and steps, as one product. */
static void add_product(lb_tensor *weight, int64_t inputs, int64_t rows, lb_matrix gradient, lb_matrix input)
{
    int64_t stride = lb_dim(weight, 1);
    if (lb_wants_grad(weight))
        lb_gemm(lb_dim(weight, 0), inputs, rows, gradient, input, 1, weight->grad + stride - inputs, stride);
}

/* Adds the results of the tiles to the operands that all rows or steps share. */
static void give_gradients(const backward_pass *pass, int64_t tiles)
{
    const lb_attention_gru_run *run = &pass->run;
    const lb_gru_gradient *gates = &pass->gates;
    int64_t all = run->batch * run->steps;
    lb_matrix previous = lb_plain(pass->traces.previous, pass->traces.stride);
    lb_op_add_grad(run->in.initial, pass->memory.dstate);
    lb_op_add_grad_rows(run->in.v, tiles, pass->memory.dv);
    lb_gru_give_input_gradient(run->node, LB_AGRU_X, &run->x, *gates);
    lb_gru_add_weight_gradient(*gates, all, previous, run->in.weight_hh, run->in.bias_hh);
    add_product(run->in.weight_query, run->hidden, all, lb_transposed(pass->memory.dquery, run->width),
                previous);
    add_product(run->in.weight_context, run->depth, all, lb_transposed(gates->x, gates->x_stride),
                lb_plain(run->contexts->data, run->depth));
}

static backward_pass pass_of(const lb_node *node)
{
    const lb_attention_gru_saved *saved = node->saved;
    backward_pass pass = {.run = lb_attention_gru_run_of(node)};
    pass.run.powers = saved->powers;
    pass.traces = lb_attention_gru_traces_from(&pass.run, saved->traces, 1);
    pass.gates = lb_gru_gradient_in(node, LB_AGRU_X, &pass.run.x, pass.traces.gates, pass.traces.stride);
    lay_out(&pass.run, node->work, &pass.memory);
    memcpy(pass.memory.dstate, pass.run.final->grad,
           (size_t)(pass.run.batch * pass.run.hidden) * sizeof(lb_real));
    return pass;
}

void lb_attention_gru_backward(lb_node *node)
{
    backward_pass pass = pass_of(node);
    const lb_attention_gru_run *run = &pass.run;
    lb_row_tiles tiles = lb_row_tiles_of(run->batch);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t i = 0; i < tiles.count; i++) {
        backward_tile tile = {.first = i * tiles.rows,
                              .height = lb_row_tile_height(tiles, i, run->batch),
                              .dv = pass.memory.dv + i * run->width};
        lay_out_tile(run, pass.memory.tiles + i * pass.memory.tile_size, &tile);
        begin_grads(&pass, &tile);
        for (int64_t t = run->steps - 1; t >= 0; t--) backward_step(&pass, &tile, t);
    }
    give_gradients(&pass, tiles.count);
}
