#include "autograd/recurrence.h"

#include "base/threads.h"

enum {
    WORTH = 1 << 20, /* multiply-adds for which another thread is worth waking */
    CACHE = 1 << 18, /* numbers of weights that stay in the cache of a processor: a megabyte */
    SLOWER = 3,
    THAN_FAST = 2 /* how much longer a product takes with weights from further away */
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The largest share of `count` things, in parts of a million. */
static int64_t largest_share(int64_t count, int64_t places)
{
    return (count + places - 1) / places * 1000000 / count;
}

/* How long the slowest thread takes. */
static int64_t cost(lb_grid grid, int64_t tiles, int64_t panels, int64_t weights)
{
    int64_t share = largest_share(tiles, grid.groups) * largest_share(panels, grid.width) / 1000;
    return weights / grid.width > CACHE ? share * SLOWER / THAN_FAST : share;
}

lb_grid lb_recurrence_grid(const lb_gru_input *x, int64_t weights, int64_t beside)
{
    int64_t work = x->batch * x->steps * (weights + beside),
            tiles = x->steps > 1 ? lb_row_tiles_of(x->batch).count : 1, /* see lb_recurrence_panels */
        panels = lb_panel_count(x->hidden), least = INT64_MAX,
            threads = smaller(smaller(lb_threads(), LB_MOST_IN_TEAM), work / WORTH);
    lb_grid best = {1, 1};
    if (lb_in_parallel() || panels == 0) return best;
    for (int64_t groups = smaller(tiles, threads); groups > 0; groups--) {
        lb_grid grid = {(int)groups, (int)smaller(panels, threads / groups)};
        int64_t found = cost(grid, tiles, panels, weights);
        if (found < least) best = grid;
        least = smaller(least, found);
    }
    return best;
}

lb_walk lb_walk_of(const lb_member *me, const lb_gru_input *x)
{
    lb_walk walk = {.me = me, .x = x, .tiles = lb_row_tiles_of(x->batch)};
    int64_t panel, end = lb_share(lb_panel_count(x->hidden), me->place, me->grid.width, &panel);
    walk.end_tile = lb_share(walk.tiles.count, me->group, me->grid.groups, &walk.first_tile);
    walk.first_row = smaller(x->batch, walk.first_tile * walk.tiles.rows);
    walk.end_row = smaller(x->batch, walk.end_tile * walk.tiles.rows);
    walk.first_unit = smaller(x->hidden, panel * LB_PANEL);
    walk.end_unit = smaller(x->hidden, end * LB_PANEL);
    return walk;
}

lb_row_run lb_walk_run(const lb_walk *walk, int64_t t)
{
    return lb_walk_next(walk, t, (lb_row_run){.tile = walk->first_tile});
}

lb_row_run lb_walk_next(const lb_walk *walk, int64_t t, lb_row_run run)
{
    run.count = 0;
    for (bool whole = true; run.tile < walk->end_tile && whole; run.tile++) {
        int64_t first = run.tile * walk->tiles.rows;
        int64_t height = lb_row_tile_height(walk->tiles, run.tile, walk->x->batch);
        int64_t present = lb_gru_input_height(walk->x, first, height, t);
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
                               lb_plain(a.data + run.first * a.stride, a.stride), beta,
                               c + run.first * stride, stride);
}

void lb_walk_pack(const lb_walk *walk, const lb_panels *weight)
{
    const lb_member *me = walk->me;
    int64_t first, end = lb_share(lb_panel_count(weight->columns), me->group + me->place * me->grid.groups,
                                  me->grid.groups * me->grid.width, &first);
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
