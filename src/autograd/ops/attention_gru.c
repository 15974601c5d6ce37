/* A GRU that attends: at each step it asks the keys with its own state and reads the answer with its input. One op for
 * all steps, because each step needs the one before. lb_plain_attention_gru_sequence is the same in small steps. */
#include "autograd/gru_gradient.h"
#include "autograd/key_powers.h"
#include "autograd/op.h"
#include "autograd/ops.h"
#include "tensor/attention_kernel.h"
#include "tensor/elementary.h"
#include "tensor/gemm.h"
#include "tensor/gru_kernel.h"
#include "tensor/row_tiles.h"

#include <string.h>

enum { X, INITIAL, KEYS, VALUES, MASK, W_QUERY, V, W_CONTEXT, W_HIDDEN, BIAS };
enum { OUTPUTS, CONTEXTS, WEIGHTS, FINAL };

typedef struct extent {
    lb_gru_input x;
    int64_t batch, steps, hidden, width, depth, keys;
    int64_t saved; /* numbers kept for a row and step: gates, previous state, query */
} extent;

static extent extent_of(const lb_node *node)
{
    extent e = {.x = lb_gru_input_of(node, X)};
    e.batch = e.x.batch;
    e.steps = e.x.steps;
    e.hidden = e.x.hidden;
    e.keys = lb_dim(node->in[KEYS], 1);
    e.width = lb_dim(node->in[KEYS], 2);
    e.depth = lb_dim(node->in[VALUES], 2);
    e.saved = LB_GRU_SAVED * e.hidden + e.width;
    return e;
}

static lb_status check_attended(const lb_node *node)
{
    lb_shape keys = node->in[KEYS]->shape, values = node->in[VALUES]->shape;
    if (keys.ndim != 3 || keys.dim[0] != lb_gru_input_of(node, X).batch)
        return lb_op_misfit(node, "batches differ", X, KEYS);
    if (values.ndim != 3 || values.dim[0] != keys.dim[0] || values.dim[1] != keys.dim[1])
        return lb_op_misfit(node, "one value for each key is needed", KEYS, VALUES);
    if (node->in[MASK] && !lb_shape_equal(node->in[MASK]->shape, LB_SHAPE(keys.dim[0], keys.dim[1])))
        return lb_op_misfit(node, "the mask must be [batch, keys]", MASK, KEYS);
    if (lb_count(node->in[V]) != keys.dim[2]) return lb_op_misfit(node, "widths differ", V, KEYS);
    return LB_OK;
}

static lb_status output_shapes(const lb_node *node, lb_shape *out)
{
    lb_status status = lb_gru_input_check(node, X, INITIAL, W_HIDDEN, BIAS);
    if (status) return status;
    if (check_attended(node)) return LB_ERROR_SHAPE;
    extent e = extent_of(node);
    if (!lb_shape_equal(node->in[W_QUERY]->shape, LB_SHAPE(e.width, e.hidden)))
        return lb_op_misfit(node, "a query would not fit a key", W_QUERY, KEYS);
    lb_shape context = node->in[W_CONTEXT]->shape;
    if (context.ndim != 2 || context.dim[0] != 3 * e.hidden || context.dim[1] < e.depth)
        return lb_op_misfit(node, "a context would not fit the gates", W_CONTEXT, VALUES);
    out[OUTPUTS] = LB_SHAPE(e.batch, e.steps, e.hidden);
    out[CONTEXTS] = LB_SHAPE(e.batch, e.steps, e.depth);
    out[WEIGHTS] = LB_SHAPE(e.batch, e.steps, e.keys);
    out[FINAL] = LB_SHAPE(e.batch, e.hidden);
    return LB_OK;
}

/* What a row of the batch attends to. */
static lb_attended attended_by(const lb_node *node, const extent *e, int64_t row)
{
    return (lb_attended){
        .count = e->keys,
        .width = e->width,
        .depth = e->depth,
        .keys = node->in[KEYS]->data + row * e->keys * e->width,
        .values = node->in[VALUES]->data + row * e->keys * e->depth,
        .mask = node->in[MASK] ? node->in[MASK]->data + row * e->keys : NULL,
        .v = node->in[V]->data,
    };
}

/* The same by powers: those of the keys of its tile, in which it is number `place`, and memory for a query's; or NULL, NULL. */
static lb_attended attended_in_tile(const lb_node *node, const extent *e, int64_t row, int64_t place,
                                    const lb_real *powers, lb_real *power)
{
    lb_attended to = attended_by(node, e, row);
    to.powers = powers ? powers + place * e->keys * e->width : NULL;
    to.power = power;
    return to;
}

/* The powers of all keys stand behind all that is kept for rows and steps. One step alone would not win back what they cost. */
static int64_t powers_count(const extent *e)
{
    return e->steps > 1 ? e->batch * e->keys * e->width : 0;
}

static lb_key_powers powers_behind(const extent *e, lb_real *rows, int64_t kept, bool filled)
{
    return (lb_key_powers){
        .all = powers_count(e) ? rows + kept : NULL, .row = e->keys * e->width, .filled = filled};
}

/* Where the last parts of a saved row begin; what lb_gru_gates saves begins it. */
static int64_t previous_at(const extent *e)
{
    return LB_GRU_SAVED_PREVIOUS * e->hidden;
}

static int64_t query_at(const extent *e)
{
    return LB_GRU_SAVED * e->hidden;
}

/* Columns of W_CONTEXT that meet the input, which has been multiplied already. */
static int64_t before_context(const lb_node *node, const extent *e)
{
    return lb_dim(node->in[W_CONTEXT], 1) - e->depth;
}

/* The weights of the forward pass as its products take them. */
typedef struct forward_weights {
    lb_matrix query, hidden, context;
} forward_weights;

/* Working memory of a tile of the forward pass. */
typedef struct forward_memory {
    const lb_real *powers; /* [rows, keys, width]; NULL where those of this tile are not to be had */
    lb_real *product;      /* [rows, 3 hidden]: W_hh h */
    lb_real *x;            /* [rows, 3 hidden]: the input's part of the gates, context included */
    lb_real *power;        /* [width]: of a query */
    lb_real *saved;        /* [rows, saved], if nothing is kept for backward: of one step */
} forward_memory;

static int64_t forward_count(const extent *e, int64_t rows)
{
    return rows * (6 * e->hidden + e->saved) + e->width;
}

static forward_memory carve_forward(const extent *e, int64_t rows, lb_real *memory)
{
    forward_memory m = {.product = memory};
    m.x = m.product + rows * 3 * e->hidden;
    m.power = m.x + rows * 3 * e->hidden;
    m.saved = m.power + e->width;
    return m;
}

/* Behind the end of a row there is nothing. */
static void forward_nothing(lb_node *node, const extent *e, int64_t at, lb_real *saved)
{
    memset(node->out[OUTPUTS]->data + at * e->hidden, 0, (size_t)e->hidden * sizeof(lb_real));
    memset(node->out[CONTEXTS]->data + at * e->depth, 0, (size_t)e->depth * sizeof(lb_real));
    memset(node->out[WEIGHTS]->data + at * e->keys, 0, (size_t)e->keys * sizeof(lb_real));
    memset(saved, 0, (size_t)e->saved * sizeof(lb_real));
}

static void forward_step(lb_node *node, const extent *e, const forward_weights *weights, int64_t first,
                         int64_t height, int64_t t, forward_memory m)
{
    int64_t hidden = e->hidden, start = first * e->steps + t;
    int64_t present = lb_gru_input_height(&e->x, first, height, t);
    lb_real *state = node->out[FINAL]->data + first * hidden;
    lb_real *saved = node->saved ? (lb_real *)node->saved + start * e->saved : m.saved;
    int64_t saved_stride = node->saved ? e->steps * e->saved : e->saved;
    lb_gemm_serial(present, e->width, hidden, lb_plain(state, hidden), weights->query, 0, saved + query_at(e),
                   saved_stride);
    lb_gemm_serial(present, 3 * hidden, hidden, lb_plain(state, hidden), weights->hidden, 0, m.product,
                   3 * hidden);
    for (int64_t row = 0; row < height; row++) {
        int64_t at = start + row * e->steps;
        lb_real *x = m.x + row * 3 * hidden;
        if (t >= lb_gru_input_length(&e->x, first + row)) {
            forward_nothing(node, e, at, saved + row * saved_stride);
            continue;
        }
        lb_attended to = attended_in_tile(node, e, first + row, row, m.powers, m.power);
        lb_attend(&to, saved + row * saved_stride + query_at(e), node->out[WEIGHTS]->data + at * e->keys,
                  node->out[CONTEXTS]->data + at * e->depth);
        memcpy(x, lb_gru_input_row(&e->x, at), (size_t)(3 * hidden) * sizeof *x);
    }
    lb_gemm_serial(present, 3 * hidden, e->depth,
                   lb_plain(node->out[CONTEXTS]->data + start * e->depth, e->steps * e->depth),
                   weights->context, 1, m.x, 3 * hidden);
    for (int64_t row = 0; row < present; row++)
        if (t < lb_gru_input_length(&e->x, first + row))
            lb_gru_gates(hidden, m.x + row * 3 * hidden, m.product + row * 3 * hidden, node->in[BIAS]->data,
                         state + row * hidden, node->out[OUTPUTS]->data + (start + row * e->steps) * hidden,
                         saved + row * saved_stride);
}

static lb_status forward(lb_node *node)
{
    extent e = extent_of(node);
    lb_row_tiles tiles = lb_row_tiles_of(e.batch);
    int64_t each = forward_count(&e, tiles.rows), rows = e.batch * e.steps;
    int64_t kept = node->records ? rows * e.saved : 0;
    lb_real *memory = lb_op_reals(node, tiles.count * each);
    lb_real *saved = lb_op_reals(node, kept + powers_count(&e));
    lb_key_powers powers =
        powers_count(&e) ? powers_behind(&e, saved, kept, false) : lb_key_powers_kept(node, node->in[KEYS]);
    if (lb_tape_status(node->tape)) return LB_ERROR_MEMORY;
    if (node->records) node->saved = saved;
    forward_weights weights;
    if (!lb_op_transposed_weight(node, node->in[W_QUERY], 0, e.hidden, rows, &weights.query) ||
        !lb_op_transposed_weight(node, node->in[W_HIDDEN], 0, e.hidden, rows, &weights.hidden) ||
        !lb_op_transposed_weight(node, node->in[W_CONTEXT], before_context(node, &e), e.depth, rows,
                                 &weights.context))
        return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++) {
        int64_t first = tile * tiles.rows, height = lb_row_tile_height(tiles, tile, e.batch);
        forward_memory m = carve_forward(&e, tiles.rows, memory + tile * each);
        m.powers = lb_key_powers_of_rows(powers, node->in[KEYS], first, height);
        memcpy(node->out[FINAL]->data + first * e.hidden, node->in[INITIAL]->data + first * e.hidden,
               (size_t)(height * e.hidden) * sizeof(lb_real));
        for (int64_t t = 0; t < e.steps; t++) forward_step(node, &e, &weights, first, height, t, m);
    }
    return LB_OK;
}

/* Gradients of the whole op that are gathered row by row, and used in large products once all steps are done. */
typedef struct backward_memory {
    lb_gru_gradient gates;
    lb_key_powers powers;
    lb_real *dstate;   /* [batch, hidden] */
    lb_real *dquery;   /* [batch * steps, width] */
    lb_real *dcontext; /* [batch * steps, depth] */
    lb_real *dv;       /* [tiles, width] */
    lb_real *dscores;  /* [tiles, keys] */
    lb_real *power;    /* [tiles, width]: of a query */
    lb_real *unwanted; /* [tiles, keys, width + depth]: of keys and values that want no gradient */
} backward_memory;

static int64_t backward_work(const lb_node *node)
{
    extent e = extent_of(node);
    int64_t all = e.batch * e.steps, tiles = lb_row_tiles_of(e.batch).count;
    return e.batch * e.hidden + tiles * (2 * e.width + e.keys + e.keys * (e.width + e.depth)) +
           all * (e.width + e.depth);
}

/* Shares out the work's memory: first the state's gradient and what must begin at zero, then the rest. */
static backward_memory carve_backward(const lb_node *node, const extent *e, int64_t tiles)
{
    lb_real *work = node->work;
    int64_t all = e->batch * e->steps;
    backward_memory m = {.dstate = work};
    m.gates = lb_gru_gradient_in(node, X, &e->x, node->saved, e->saved);
    m.powers = powers_behind(e, node->saved, all * e->saved, true);
    m.dv = m.dstate + e->batch * e->hidden;
    m.unwanted = m.dv + tiles * e->width;
    m.dscores = m.unwanted + tiles * e->keys * (e->width + e->depth);
    memcpy(m.dstate, node->out[FINAL]->grad, (size_t)(e->batch * e->hidden) * sizeof *work);
    memset(m.dv, 0, (size_t)(m.dscores - m.dv) * sizeof *work);
    m.power = m.dscores + tiles * e->keys;
    m.dquery = m.power + tiles * e->width;
    m.dcontext = m.dquery + all * e->width;
    return m;
}

/* Rows of a batch attend to keys of their own: the gradients go where they belong at once. */
static lb_attended_grad grads_of(const lb_node *node, const extent *e, int64_t tile, int64_t row,
                                 const backward_memory *m)
{
    lb_real *unwanted = m->unwanted + tile * e->keys * (e->width + e->depth);
    const lb_tensor *keys = node->in[KEYS], *values = node->in[VALUES];
    return (lb_attended_grad){
        .keys = lb_wants_grad(keys) ? keys->grad + row * e->keys * e->width : unwanted,
        .values =
            lb_wants_grad(values) ? values->grad + row * e->keys * e->depth : unwanted + e->keys * e->width,
        .v = m->dv + tile * e->width,
    };
}

/* Behind the end of a row there is no gradient. */
static void backward_nothing(const extent *e, int64_t at, lb_real *dx, backward_memory m)
{
    memset(dx, 0, (size_t)(3 * e->hidden) * sizeof *dx);
    memset(m.dcontext + at * e->depth, 0, (size_t)e->depth * sizeof *dx);
    memset(m.dquery + at * e->width, 0, (size_t)e->width * sizeof *dx);
}

static void backward_step(lb_node *node, const extent *e, int64_t tile, int64_t first, int64_t height,
                          int64_t t, backward_memory m)
{
    int64_t hidden = e->hidden, start = first * e->steps + t;
    int64_t present = lb_gru_input_height(&e->x, first, height, t);
    lb_gru_gradient now = lb_gru_gradient_rows(m.gates, start, e->steps);
    const lb_real *powers = lb_key_powers_of_rows(m.powers, node->in[KEYS], first, height);
    for (int64_t row = 0; row < height; row++) {
        int64_t at = start + row * e->steps;
        lb_real *dx = now.x + row * now.x_stride;
        if (t >= lb_gru_input_length(&e->x, first + row)) {
            backward_nothing(e, at, dx, m);
            continue;
        }
        lb_gru_gates_backward(hidden, (lb_real *)node->saved + at * e->saved,
                              node->out[OUTPUTS]->grad + at * hidden, dx, m.dstate + (first + row) * hidden);
        memcpy(m.dcontext + at * e->depth, node->out[CONTEXTS]->grad + at * e->depth,
               (size_t)e->depth * sizeof(lb_real));
    }
    lb_gemm_serial(
        present, e->depth, 3 * hidden, lb_plain(now.x, now.x_stride),
        lb_plain(node->in[W_CONTEXT]->data + before_context(node, e), lb_dim(node->in[W_CONTEXT], 1)), 1,
        m.dcontext + start * e->depth, e->steps * e->depth);
    for (int64_t row = 0; row < present; row++) {
        int64_t at = start + row * e->steps;
        if (t >= lb_gru_input_length(&e->x, first + row)) continue;
        lb_attended to = attended_in_tile(node, e, first + row, row, powers, m.power + tile * e->width);
        lb_attend_backward(&to, (const lb_real *)node->saved + at * e->saved + query_at(e),
                           node->out[WEIGHTS]->data + at * e->keys, m.dcontext + at * e->depth,
                           node->out[WEIGHTS]->grad + at * e->keys, m.dscores + tile * e->keys,
                           grads_of(node, e, tile, first + row, &m), m.dquery + at * e->width);
    }
    lb_gru_add_state_gradient(now, present, node->in[W_HIDDEN], m.dstate + first * hidden);
    lb_gemm_serial(present, hidden, e->width, lb_plain(m.dquery + start * e->width, e->steps * e->width),
                   lb_plain(node->in[W_QUERY]->data, hidden), 1, m.dstate + first * hidden, hidden);
}

/* The weight's last columns += gradient' input, over all rows and steps: one product. */
static void add_product(lb_tensor *weight, int64_t inputs, int64_t rows, lb_matrix gradient, lb_matrix input)
{
    int64_t stride = lb_dim(weight, 1);
    if (lb_wants_grad(weight))
        lb_gemm(lb_dim(weight, 0), inputs, rows, gradient, input, 1, weight->grad + stride - inputs, stride);
}

/* What rows attend to. */
static void begin_grads(const lb_node *node, const extent *e, int64_t first, int64_t height)
{
    int64_t keys = first * e->keys, count = height * e->keys;
    if (lb_wants_grad(node->in[KEYS])) lb_op_begin_grad(node, KEYS, keys * e->width, count * e->width);
    if (lb_wants_grad(node->in[VALUES])) lb_op_begin_grad(node, VALUES, keys * e->depth, count * e->depth);
}

static void backward(lb_node *node)
{
    extent e = extent_of(node);
    lb_row_tiles tiles = lb_row_tiles_of(e.batch);
    backward_memory m = carve_backward(node, &e, tiles.count);
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++) {
        int64_t first = tile * tiles.rows, height = lb_row_tile_height(tiles, tile, e.batch);
        begin_grads(node, &e, first, height);
        for (int64_t t = e.steps - 1; t >= 0; t--) backward_step(node, &e, tile, first, height, t, m);
    }
    int64_t all = e.batch * e.steps;
    lb_matrix previous = lb_plain((const lb_real *)node->saved + previous_at(&e), e.saved);
    lb_op_add_grad(node->in[INITIAL], m.dstate);
    lb_op_add_grad_rows(node->in[V], tiles.count, m.dv);
    lb_gru_give_input_gradient(node, X, &e.x, m.gates);
    lb_gru_add_weight_gradient(m.gates, all, previous, node->in[W_HIDDEN], node->in[BIAS]);
    add_product(node->in[W_QUERY], e.hidden, all, lb_transposed(m.dquery, e.width), previous);
    add_product(node->in[W_CONTEXT], e.depth, all, lb_transposed(m.gates.x, m.gates.x_stride),
                lb_plain(node->out[CONTEXTS]->data, e.depth));
}

static double dot(const lb_real *weight, int64_t row, int64_t width, const double *x)
{
    double sum = 0;
    for (int64_t j = 0; j < width; j++) sum += (double)weight[row * width + j] * x[j];
    return sum;
}

static void reference_attend(const lb_node *node, const extent *e, int64_t row, const double *state,
                             double *weights, double *context)
{
    lb_attended to = attended_by(node, e, row);
    double sum = 0;
    for (int64_t k = 0; k < e->keys; k++) {
        double score = 0;
        for (int64_t i = 0; i < e->width; i++)
            score += (double)to.v[i] * tanh(dot(node->in[W_QUERY]->data, i, e->hidden, state) +
                                            (double)to.keys[k * e->width + i]);
        weights[k] = to.mask && to.mask[k] == 0 ? 0 : exp(score);
        sum += weights[k];
    }
    for (int64_t k = 0; k < e->keys; k++) {
        weights[k] = sum > 0 ? weights[k] / sum : 0;
        for (int64_t i = 0; i < e->depth; i++) context[i] += weights[k] * (double)to.values[k * e->depth + i];
    }
}

static double gate(const lb_node *node, int64_t which, const double *state)
{
    return (double)node->in[BIAS]->data[which] +
           dot(node->in[W_HIDDEN]->data, which, lb_dim(node->in[W_HIDDEN], 1), state);
}

static double context_part(const lb_node *node, const extent *e, int64_t which, const double *context)
{
    const lb_real *weight = node->in[W_CONTEXT]->data + which * lb_dim(node->in[W_CONTEXT], 1);
    return dot(weight + before_context(node, e), 0, e->depth, context);
}

static void reference(const lb_node *node, double *const *out)
{
    extent e = extent_of(node);
    for (int64_t row = 0; row < e.batch; row++) {
        double *state = out[FINAL] + row * e.hidden;
        for (int64_t j = 0; j < e.hidden; j++) state[j] = (double)node->in[INITIAL]->data[row * e.hidden + j];
        for (int64_t t = 0; t < lb_gru_input_length(&e.x, row); t++) {
            int64_t at = row * e.steps + t;
            double *context = out[CONTEXTS] + at * e.depth, *next = out[OUTPUTS] + at * e.hidden, x[3];
            reference_attend(node, &e, row, state, out[WEIGHTS] + at * e.keys, context);
            for (int64_t j = 0; j < e.hidden; j++) {
                for (int64_t g = 0; g < 3; g++)
                    x[g] = (double)lb_gru_input_row(&e.x, at)[g * e.hidden + j] +
                           context_part(node, &e, g * e.hidden + j, context);
                double r = 1 / (1 + exp(-x[0] - gate(node, j, state)));
                double z = 1 / (1 + exp(-x[1] - gate(node, e.hidden + j, state)));
                double n = tanh(x[2] + r * gate(node, 2 * e.hidden + j, state));
                next[j] = (1 - z) * n + z * state[j];
            }
            memcpy(state, next, (size_t)e.hidden * sizeof *state);
        }
    }
}

static lb_tensor *masked_case(lb_tensor *const *in)
{
    return lb_attention_gru_sequence(in[X], NULL, in[INITIAL], in[KEYS], in[VALUES], in[MASK], in[W_QUERY],
                                     in[V], in[W_CONTEXT], in[W_HIDDEN], in[BIAS], NULL);
}

static lb_tensor *table_case(lb_tensor *const *in)
{
    static const int32_t id[] = {4, 1, 0, 0, 3, 1, 4, 4, 0, 2, 2, 2}, lengths[] = {2, 4, 0};
    lb_tokens tokens = {in[X]->tape, 3, 4, id, lengths};
    return lb_attention_gru_sequence(in[X], &tokens, in[INITIAL], in[KEYS], in[VALUES], in[MASK], in[W_QUERY],
                                     in[V], in[W_CONTEXT], in[W_HIDDEN], in[BIAS], lengths);
}

static const lb_op_case cases[] = {
    {"masked",
     10,
     {LB_DIMS(3, 4, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[MASK] = true},
     .apply = masked_case},
    {"several tiles",
     10,
     {LB_DIMS(17, 2, 3), LB_DIMS(17, 1), LB_DIMS(17, 3, 2), LB_DIMS(17, 3, 1), LB_DIMS(17, 3), LB_DIMS(2, 1),
      LB_DIMS(1, 2), LB_DIMS(3, 1), LB_DIMS(3, 1), LB_DIMS(3)},
     .fixed = {[MASK] = true},
     .apply = masked_case},
    {"a table, padded",
     10,
     {LB_DIMS(5, 6), LB_DIMS(3, 2), LB_DIMS(3, 5, 3), LB_DIMS(3, 5, 4), LB_DIMS(3, 5), LB_DIMS(3, 2),
      LB_DIMS(1, 3), LB_DIMS(6, 7), LB_DIMS(6, 2), LB_DIMS(6)},
     .fixed = {[MASK] = true},
     .apply = table_case},
};

static const lb_op attention_gru_op = {
    .name = "attention_gru_sequence",
    .operands = "x initial keys values mask? weight_query v weight_context weight_hh bias_hh",
    .formula = "c_t = attend(W_q h_(t-1)), h_t = gru(x_t + W_c c_t, h_(t-1))",
    .derivative = "back through time; each weight's gradient is one product over all steps",
    .outputs = 4,
    .shape = output_shapes,
    .forward = forward,
    .work = backward_work,
    .backward = backward,
    .can_set = 1U << X | 1U << KEYS | 1U << VALUES,
    .reference = reference,
    .cases = cases,
    .case_count = LB_LENGTH(cases),
};

/** A GRU whose input at each step is joined by what its last state attends to, by additive attention.
 *  Shapes: x [batch, time, 3 hidden] = W_ih input + b_ih without the context's part; or, with `tokens` [batch, time], a table
 *          [rows, 3 hidden] of which each token reads its row in place (NULL: no table); initial [batch, hidden];
 *          keys [batch, K, width], projected; values [batch, K, depth]; mask [batch, K] or NULL;
 *          weight_query [width, hidden]; v [1, width]; weight_context [3 hidden, depth or more], of which the last
 *          `depth` columns count: weight_ih will do; weight_hh [3 hidden, hidden]; bias_hh [3 hidden]
 *          -> outputs [batch, time, hidden]; output 1: contexts [batch, time, depth]; output 2: weights [batch, time, K];
 *          all zero behind a row's end; output 3: the final state [batch, hidden].
 *  Mask:   as lb_attend_additive. Lengths: [batch], alive until lb_tape_reset, or NULL if all rows are full.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT if a length is not within 0..time; LB_ERROR_INDEX if a token is not a row.
 *  Cost:   O(batch time (hidden^2 + K (width + depth))); one fork for all steps.
 *  Source: Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A. Differs: PyTorch's GRU, no maxout layer. */
lb_tensor *lb_attention_gru_sequence(lb_tensor *x, const lb_tokens *tokens, lb_tensor *initial,
                                     lb_tensor *keys, lb_tensor *values, lb_tensor *mask,
                                     lb_tensor *weight_query, lb_tensor *v, lb_tensor *weight_context,
                                     lb_tensor *weight_hh, lb_tensor *bias_hh, const int32_t *lengths)
{
    lb_gru_attributes all = {.tokens = tokens ? *tokens : (lb_tokens){0}, .lengths = lengths};
    return lb_op_apply(
        &attention_gru_op,
        LB_INPUTS(x, initial, keys, values, mask, weight_query, v, weight_context, weight_hh, bias_hh), &all,
        sizeof all);
}

static const lb_op *const ops[] = {&attention_gru_op};
const lb_op_family lb_family_attention_gru = {ops, LB_LENGTH(ops)};
