#include "autograd/fused/recurrence.h"

#include "base/threads.h"

/* What a step costs a thread, in multiply-adds, of which a processor does about 40 in a nanosecond. */
enum {
    WORTH = 1 << 20, /* of all steps, for which another thread is worth waking */
    FEWEST = 4,      /* rows of a group, the least that the kernel keeps in registers */
    ENOUGH = 8,      /* rows that the kernel is fast with */
    CACHE = 1 << 18, /* numbers of a weight that stay in the cache of a processor: a megabyte */
    FETCH = 8,       /* one number of a weight from further away */
    MEETINGS = 3,    /* in a step */
    MEET = 40000,    /* a meeting */
    EXCHANGE = 80    /* a number that another processor has written before it */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t shares(int64_t count, int64_t places)
{
    return (count + places - 1) / places;
}

/* The rows of the largest group. More groups than tiles divide each tile. */
static int64_t rows_of(const lb_gru_input *x, lb_row_tiles tiles, int64_t groups)
{
    int64_t rows = groups > tiles.count ? shares(tiles.rows, groups / tiles.count)
                                        : shares(tiles.count, groups) * tiles.rows;
    return smaller(rows, x->batch);
}

/* How long the slowest thread takes for a step. */
static int64_t cost_of(const lb_gru_input *x, lb_grid grid, int64_t rows, int64_t weights)
{
    int64_t panels = lb_panel_count(x->hidden), own = weights * shares(panels, grid.width) / panels;
    int64_t cost = rows * own;
    if (rows < ENOUGH) cost += cost / 2;
    if (own > CACHE) cost += FETCH * own;
    if (grid.width > 1) cost += MEETINGS * (MEET + EXCHANGE * rows * x->hidden);
    return cost;
}

lb_grid lb_recurrence_grid(const lb_gru_input *x, int64_t weights, int64_t beside)
{
    int64_t work = x->batch * x->steps * (weights + beside), panels = lb_panel_count(x->hidden),
            least = INT64_MAX, threads = smaller(smaller(lb_threads(), LB_MOST_IN_TEAM), work / WORTH);
    lb_row_tiles tiles = lb_row_tiles_of(x->batch);
    lb_grid best = {1, 1};
    if (threads < 2 || lb_in_parallel()) return best;
    /* Few rows that meet a weight where it is have other bits side by side: lb_recurrence_panels. */
    int64_t most = x->steps > 1 ? smaller(threads, tiles.count * (tiles.rows / FEWEST)) : 1;
    for (int64_t groups = most; groups > 0; groups--) {
        lb_grid grid = {(int)groups, (int)smaller(panels, threads / groups)};
        if (groups > tiles.count && groups % tiles.count != 0) continue;
        int64_t cost = cost_of(x, grid, rows_of(x, tiles, groups), weights);
        if (cost < least) best = grid;
        least = smaller(least, cost);
    }
    return best;
}

lb_walk lb_walk_of(const lb_member *me, const lb_gru_input *x)
{
    lb_row_tiles tiles = lb_row_tiles_of(x->batch);
    int64_t groups = me->grid.groups,
            parts = tiles.count > 0 && groups > tiles.count ? groups / tiles.count : 1;
    lb_walk walk = {.me = me, .x = x, .tiles = tiles, .part = me->group % parts, .parts = parts};
    walk.end_tile = lb_share(tiles.count, me->group / parts, groups / parts, &walk.first_tile);
    walk.first_row = smaller(x->batch, walk.first_tile * tiles.rows + walk.part);
    walk.end_row = smaller(x->batch, walk.end_tile * tiles.rows);
    int64_t panel, end = lb_share(lb_panel_count(x->hidden), me->place, me->grid.width, &panel);
    walk.first_unit = smaller(x->hidden, panel * LB_PANEL);
    walk.end_unit = smaller(x->hidden, end * LB_PANEL);
    return walk;
}

lb_row_run lb_walk_run(const lb_walk *walk, int64_t t)
{
    return lb_walk_next(walk, t, (lb_row_run){.tile = walk->first_tile});
}

/* Of the group's rows in a tile, `height` from row `first` on, the number up to the last one that has a step at time t,
 * rounded up to the rows that the kernel multiplies together. */
static int64_t present_of(const lb_walk *walk, int64_t first, int64_t height, int64_t t)
{
    int64_t present = height;
    while (present > 0 && !lb_gru_input_has(walk->x, first + (present - 1) * walk->parts, t)) present--;
    return smaller(shares(present, FEWEST) * FEWEST, height);
}

lb_row_run lb_walk_next(const lb_walk *walk, int64_t t, lb_row_run run)
{
    run.count = 0;
    for (bool whole = true; run.tile < walk->end_tile && whole; run.tile++) {
        int64_t first = run.tile * walk->tiles.rows + walk->part;
        int64_t rows = lb_row_tile_height(walk->tiles, run.tile, walk->x->batch) - walk->part;
        int64_t height = rows > 0 ? shares(rows, walk->parts) : 0,
                present = present_of(walk, first, height, t);
        if (run.count == 0) run.first = first;
        run.count += present;
        whole = present == height || run.count == 0;
    }
    return run;
}

void lb_walk_multiply(const lb_walk *walk, int64_t t, const lb_panels *weight, int64_t begin, int64_t depth,
                      lb_matrix a, lb_real beta, lb_real *c, int64_t stride)
{
    int64_t panel,
        end = lb_share(lb_panel_count(weight->columns), walk->me->place, walk->me->grid.width, &panel);
    for (; panel < end; panel++)
        for (lb_row_run run = lb_walk_run(walk, t); run.count > 0; run = lb_walk_next(walk, t, run))
            lb_panels_multiply(weight, panel, begin, depth, run.count,
                               lb_plain(a.data + run.first * a.stride, walk->parts * a.stride), beta,
                               c + run.first * stride, walk->parts * stride);
}

void lb_walk_pack(const lb_walk *walk, const lb_panels *weight)
{
    int64_t first,
        end = lb_share(lb_panel_count(weight->columns), lb_walk_number(walk), lb_walk_count(walk), &first);
    lb_panels_pack(weight, first, end);
}

bool lb_recurrence_panels(const lb_node *node, const lb_gru_input *x, const lb_tensor *weight, int64_t column,
                          int64_t inputs, int parts, lb_panels *panels)
{
    int64_t outputs = lb_dim(weight, 0) / parts, size = lb_panels_size(inputs, outputs);
    lb_matrix from = lb_transposed(weight->data + column, lb_dim(weight, 1));
    lb_real *packed = x->steps > 1 ? lb_op_reals(node, parts * size) : NULL;
    if (!packed && (x->steps > 1 || !lb_op_transposed_weight(node, weight, column, inputs, x->batch, &from)))
        return false;
    for (int part = 0; part < parts; part++) {
        int64_t first = part * outputs;
        panels[part] = (lb_panels){.from = from, .depth = inputs, .columns = outputs};
        panels[part].from.data += from.transposed ? first * from.stride : first;
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
