#include "autograd/fused/recurrence.h"

#include "base/alloc.h"
#include "tensor/arrays.h"
#include "tensor/cell_kernel.h"

/* ---- The input. ---- */

lb_gru_input lb_gru_input_of(const lb_node *node, int x)
{
    const lb_gru_attributes *attributes = node->attributes;
    const lb_tensor *gates = node->in[x];
    const lb_tokens *tokens = &attributes->tokens;
    bool table = tokens->tape != NULL;
    int64_t count = attributes->gates ? attributes->gates : 3;
    return (lb_gru_input){.x = gates,
                          .id = table ? tokens->id : NULL,
                          .lengths = attributes->lengths,
                          .batch = table ? tokens->batch : lb_dim(gates, 0),
                          .steps = table ? tokens->length : lb_dim(gates, 1),
                          .hidden = lb_dim(gates, -1) / count,
                          .gates = count};
}

static lb_status check_lengths(const lb_node *node, const lb_gru_input *input)
{
    for (int64_t row = 0; row < input->batch; row++) {
        int64_t length = lb_gru_input_length(input, row);
        if (length < 0 || length > input->steps)
            return lb_op_fail(node, LB_ERROR_ARGUMENT, "row %lld has length %lld, expected 0 to %lld",
                              (long long)row, (long long)length, (long long)input->steps);
    }
    return LB_OK;
}

lb_status lb_gru_input_check(const lb_node *node, int x, int initial, int weight_hh, int bias_hh)
{
    const lb_gru_attributes *attributes = node->attributes;
    const lb_tokens *tokens = &attributes->tokens;
    int64_t count = attributes->gates ? attributes->gates : 3, parts = count == 4 ? 2 : 1;
    lb_shape gates = node->in[x]->shape, weight = node->in[weight_hh]->shape;
    int64_t hidden = weight.ndim == 2 ? weight.dim[1] : -1;
    if (gates.ndim != (tokens->tape ? 2 : 3) || !lb_shape_equal(weight, LB_SHAPE(count * hidden, hidden)) ||
        lb_shape_dim(gates, -1) != count * hidden)
        return lb_op_misfit(node, "gate sizes do not match", x, weight_hh);
    if (!lb_shape_equal(node->in[bias_hh]->shape, LB_SHAPE(count * hidden)))
        return lb_op_misfit(node, "bias sizes do not match", bias_hh, weight_hh);
    if (tokens->tape &&
        lb_op_check_ids(node, tokens, gates.dim[0], NULL, "token id", "the table has", "rows"))
        return LB_ERROR_INDEX;
    lb_gru_input input = lb_gru_input_of(node, x);
    if (node->in[initial] && !lb_shape_equal(node->in[initial]->shape, LB_SHAPE(input.batch, parts * hidden)))
        return lb_op_misfit(node, "state sizes do not match", initial, x);
    return check_lengths(node, &input);
}

/* ---- The team. ---- */

/* What a step costs a thread, in multiply-adds. These numbers decide who computes what, and no bit of a result. "There"
 * is an AMD EPYC with AVX-512, where one core does 57 multiply-adds in a nanosecond in a product [m, 256] x [256, 512]
 * with 8, 16 or 32 rows. Times are converted at 40, for slower processors.
 *
 *     WORTH      26 us of work.
 *     FEWEST,    The kernel (tensor/gemm_vector_kernel.h) takes 8 rows together with AVX-512, then 4, then one by one.
 *     ENOUGH     There, 4 rows run at 55 multiply-adds in a nanosecond, 5 to 7 at 42 to 47, and 1 to 3 at 25 to 29.
 *     CACHE      1 MB, which is the second-level cache of a core there.
 *     FETCH      0.2 ns. There, a number of a weight of 64 MB takes 0.08 ns more than one of a weight of 1 MB.
 *     BARRIERS   Those in a step of the GRU with attention, forward and backward. A cell has two forward and one back.
 *     BARRIER,   1 us and 2 ns. There, between two cores, 0.05 to 0.07 us and 0.05 ns. They are set for 16 threads, on
 *     EXCHANGE   which small steps were faster without barriers (docs/adr/0008-threads.md). */
enum {
    WORTH = 1 << 20, /* of all steps, for which another thread is worth waking */
    FEWEST = 4,      /* rows of a group, the least that the kernel keeps in registers */
    ENOUGH = 8,      /* rows that the kernel is fast with */
    CACHE = 1 << 18, /* numbers of a weight that stay in the cache of a processor */
    FETCH = 8,       /* one number of a weight from further away */
    BARRIERS = 3,    /* in a step */
    BARRIER = 40000, /* a barrier */
    EXCHANGE = 80    /* a number that another processor has written before it */
};

static int64_t shares(int64_t count, int64_t places)
{
    return (count + places - 1) / places;
}

/* The rows of the largest group. More groups than tiles divide each tile. */
static int64_t rows_of(const lb_gru_input *x, lb_row_tiles tiles, int64_t groups)
{
    int64_t rows = groups > tiles.count ? shares(tiles.rows, groups / tiles.count)
                                        : shares(tiles.count, groups) * tiles.rows;
    return lb_smaller(rows, x->batch);
}

/* How long the slowest thread takes for a step. */
static int64_t cost_of(const lb_gru_input *x, lb_grid grid, int64_t rows, int64_t weights)
{
    int64_t panels = lb_panel_count(x->hidden), own = weights * shares(panels, grid.width) / panels;
    int64_t cost = rows * own;
    if (rows < ENOUGH) cost += cost / 2;
    if (own > CACHE) cost += FETCH * own;
    if (grid.width > 1) cost += BARRIERS * (BARRIER + EXCHANGE * rows * x->hidden);
    return cost;
}

lb_grid lb_recurrence_grid(const lb_gru_input *x, int64_t weights, int64_t beside)
{
    int64_t work = x->batch * x->steps * (weights + beside), panels = lb_panel_count(x->hidden),
            least = INT64_MAX, threads = lb_smaller(lb_smaller(lb_threads(), LB_MOST_IN_TEAM), work / WORTH);
    lb_row_tiles tiles = lb_row_tiles_of(x->batch);
    lb_grid best = {1, 1};
    if (threads < 2 || lb_in_parallel()) return best;
    /* Few rows have other bits side by side if the weight is read where it is: lb_recurrence_panels. */
    int64_t most = x->steps > 1 ? lb_smaller(threads, tiles.count * (tiles.rows / FEWEST)) : 1;
    for (int64_t groups = most; groups > 0; groups--) {
        lb_grid grid = {lb_narrow(groups), lb_narrow(lb_smaller(panels, threads / groups))};
        if (groups > tiles.count && groups % tiles.count != 0) continue;
        int64_t cost = cost_of(x, grid, rows_of(x, tiles, groups), weights);
        if (cost < least) best = grid;
        least = lb_smaller(least, cost);
    }
    return best;
}

lb_worker lb_worker_of(const lb_team_thread *thread, const lb_gru_input *x)
{
    lb_row_tiles tiles = lb_row_tiles_of(x->batch);
    int64_t groups = thread->grid.groups,
            parts = tiles.count > 0 && groups > tiles.count ? groups / tiles.count : 1;
    lb_worker worker = {
        .thread = thread, .x = x, .tiles = tiles, .part = thread->group % parts, .parts = parts};
    worker.end_tile = lb_share(tiles.count, thread->group / parts, groups / parts, &worker.first_tile);
    worker.first_row = lb_smaller(x->batch, worker.first_tile * tiles.rows + worker.part);
    worker.end_row = lb_smaller(x->batch, worker.end_tile * tiles.rows);
    int64_t panel, end = lb_share(lb_panel_count(x->hidden), thread->place, thread->grid.width, &panel);
    worker.first_unit = lb_smaller(x->hidden, panel * LB_PANEL);
    worker.end_unit = lb_smaller(x->hidden, end * LB_PANEL);
    return worker;
}

/* Of the group's rows in a tile, `height` from row `first` on, the number up to the last one that has a step at time t,
 * rounded up to the rows that the kernel multiplies together. */
static int64_t present_of(const lb_worker *worker, int64_t first, int64_t height, int64_t t)
{
    int64_t present = height;
    while (present > 0 && !lb_gru_input_has(worker->x, first + (present - 1) * worker->parts, t)) present--;
    return lb_smaller(shares(present, FEWEST) * FEWEST, height);
}

/* Rows of the group, one after the other, that are multiplied together at a step. */
typedef struct row_block {
    int64_t tile; /* the one after them */
    int64_t first, count;
} row_block;

/* The block of rows that have a step at time t after another block; `count` is 0 when there is none. */
static row_block block_after(const lb_worker *worker, int64_t t, row_block block)
{
    block.count = 0;
    for (bool whole = true; block.tile < worker->end_tile && whole; block.tile++) {
        int64_t first = block.tile * worker->tiles.rows + worker->part;
        int64_t rows = lb_row_tile_height(worker->tiles, block.tile, worker->x->batch) - worker->part;
        int64_t height = rows > 0 ? shares(rows, worker->parts) : 0,
                present = present_of(worker, first, height, t);
        if (block.count == 0) block.first = first;
        block.count += present;
        whole = present == height || block.count == 0;
    }
    return block;
}

void lb_worker_multiply(const lb_worker *worker, int64_t t, const lb_panels *weight, int64_t begin,
                        int64_t depth, lb_matrix a, lb_real beta, lb_real *c, int64_t stride)
{
    int64_t panel, end = lb_share(lb_panel_count(weight->columns), worker->thread->place,
                                  worker->thread->grid.width, &panel);
    for (row_block block = block_after(worker, t, (row_block){.tile = worker->first_tile}); block.count > 0;
         block = block_after(worker, t, block))
        lb_panels_multiply(weight, panel, end, begin, depth, block.count,
                           lb_plain(a.data + block.first * a.stride, worker->parts * a.stride), beta,
                           c + block.first * stride, worker->parts * stride);
}

void lb_worker_pack(const lb_worker *worker, const lb_panels *weight)
{
    int64_t first, end = lb_share(lb_panel_count(weight->columns), lb_worker_number(worker),
                                  lb_grid_threads(worker->thread->grid), &first);
    lb_panels_pack(weight, first, end);
}

bool lb_recurrence_panels(const lb_node *node, const lb_gru_input *x, const lb_tensor *weight, int64_t column,
                          int64_t inputs, int parts, lb_panels *panels)
{
    assert(lb_dim(weight, 0) % parts == 0 && column + inputs <= lb_dim(weight, 1));
    int64_t outputs = lb_dim(weight, 0) / parts, size = lb_panels_size(inputs, outputs);
    lb_matrix from = lb_op_rounded(node, lb_transposed(weight->data + column, lb_dim(weight, 1)));
    lb_real *packed = x->steps > 1 ? lb_op_reals(node, parts * size) : NULL;
    if (!packed && (x->steps > 1 || !lb_op_transposed_weight(node, weight, 0, lb_dim(weight, 0), column,
                                                             inputs, x->batch, &from)))
        return false;
    for (int part = 0; part < parts; part++) {
        lb_matrix own = lb_matrix_from(from, 0, part * outputs);
        panels[part] = (lb_panels){.from = own, .depth = inputs, .columns = outputs};
        panels[part].packed = packed ? packed + part * size : NULL;
    }
    return true;
}

lb_panels lb_recurrence_panels_back(const lb_gru_input *x, lb_parts *parts, lb_matrix weight, int64_t depth,
                                    int64_t columns)
{
    int64_t size = x->steps > 1 ? lb_panels_size(depth, columns) : 0;
    lb_real *packed = lb_parts_next(parts, size);
    return (lb_panels){weight, depth, columns, size ? packed : NULL};
}

/* ---- The gradient of the gates. ---- */

/* Whether backward writes directly to the gradient of x. */
static bool sets_rows(const lb_node *node, int x, const lb_gru_input *input)
{
    return lb_op_sets(node, x) && !input->id;
}

lb_gru_gradient lb_gru_gradient_in(const lb_node *node, int x, const lb_gru_input *input, lb_real *saved,
                                   int64_t saved_stride)
{
    enum { GRU = 3 };
    lb_gru_gradient gradient = {
        .hidden = input->hidden, .first = input->gates - 1, .x = saved, .x_stride = saved_stride};
    if (sets_rows(node, x, input)) {
        gradient.x = node->in[x]->grad;
        gradient.x_stride = input->gates * input->hidden;
    }
    bool apart = input->gates == GRU;
    gradient.last =
        apart ? saved + LB_GRU_SAVED_H * input->hidden : gradient.x + gradient.first * input->hidden;
    gradient.last_stride = apart ? saved_stride : gradient.x_stride;
    return gradient;
}

void lb_gru_multiply_states_back(const lb_worker *worker, int64_t t, lb_gru_gradient gradient,
                                 const lb_panels *weight_hh, lb_real *dstate, int64_t stride)
{
    int64_t hidden = gradient.hidden, steps = worker->x->steps, first = gradient.first * hidden;
    lb_matrix x = lb_plain(gradient.x + t * gradient.x_stride, steps * gradient.x_stride),
              last = lb_plain(gradient.last + t * gradient.last_stride, steps * gradient.last_stride);
    lb_worker_multiply(worker, t, weight_hh, 0, first, x, 1, dstate, stride);
    lb_worker_multiply(worker, t, weight_hh, first, hidden, last, 1, dstate, stride);
}

void lb_gru_give_input_gradient(const lb_node *node, int x, const lb_gru_input *input,
                                lb_gru_gradient gradient)
{
    lb_tensor *operand = node->in[x];
    if (!lb_wants_grad(operand) || sets_rows(node, x, input)) return;
    if (lb_op_sets(node, x)) lb_set_zero(lb_count(operand), operand->grad);
    lb_add_at_rows(input->id, input->batch * input->steps, input->gates * input->hidden, gradient.x,
                   gradient.x_stride, operand->grad);
}

void lb_gru_add_weight_gradient(lb_gru_gradient gradient, int64_t rows, lb_matrix previous,
                                lb_tensor *weight_hh, lb_tensor *bias_hh)
{
    int64_t hidden = gradient.hidden, first = gradient.first * hidden;
    if (lb_wants_grad(weight_hh)) {
        lb_real *to = weight_hh->grad;
        lb_gemm(first, hidden, rows, lb_transposed(gradient.x, gradient.x_stride), previous, 1, to, hidden);
        lb_gemm(hidden, hidden, rows, lb_transposed(gradient.last, gradient.last_stride), previous, 1,
                to + first * hidden, hidden);
    }
    if (lb_wants_grad(bias_hh)) {
        lb_add_rows_to(rows, first, gradient.x, gradient.x_stride, bias_hh->grad);
        lb_add_rows_to(rows, hidden, gradient.last, gradient.last_stride, bias_hh->grad + first);
    }
}
