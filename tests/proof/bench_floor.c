/* Times the floor: only the matrix products of forward and backward in a training step, or of greedy decoding. Prints
 * one JSON object. No data is moved, operands are as close together as possible, and products with zeros are left out:
 *
 *     a layer over the whole batch   y = x W', dx = dy W, dW = dy' x: three products, of which decoding needs the first
 *     a layer in a recurrence        y and dx for each step and each tile of rows; dW once, for all steps
 *     embedded tokens                a layer over the vocabulary, where the batch has more tokens than that has rows
 *     heads of attention             scores, context and their four gradients, for each head of each list
 *
 * Attention of one query at a time is not a matrix product: additive attention, and all attention in decoding. With
 * --peak, it times a product whose operands stay in the cache instead: what a thread can do at most. */
#include "cli/options.h"
#include "console/console.h"
#include "shared/measure.h"
#include "shared/model.h"

#include "tensor/gemm.h"
#include "tensor/panels.h"
#include <lookback/lookback.h>

enum { MOST_PRODUCTS = 6, MOST_GROUPS = 3 + 36 * BENCH_LAYERS };

/* c [m, n] += a [m, k] b [k, n]. It adds, because otherwise BLAS would clear c in a separate pass. */
typedef struct product {
    int64_t m, n, k; /* m 0: the rows of the tile */
    bool a_transposed, b_transposed;
    int64_t b; /* offset of b in its buffer */
} product;

/* One product on all threads; or the products of each tile of rows at each of several steps, one thread per tile. */
typedef struct group {
    product products[MOST_PRODUCTS];
    int count;
    int64_t steps, rows;            /* steps 0: one product on all threads */
    lb_row_tiles tiles;             /* of the rows */
    int64_t a_step, b_step, c_step; /* from tile to tile in the buffers */
} group;

typedef struct plan {
    group groups[MOST_GROUPS];
    int count;
    int tile; /* rows of a tile in a recurrence; 0: as in the library */
    bool openblas;
    bool decodes; /* only forward, with the steps of the decoder one after the other */
    lb_real *a, *b, *c;
    double flop, calls;
} plan;

static group *add_group(plan *p, int64_t steps, int64_t rows, lb_row_tiles tiles)
{
    group *g = &p->groups[p->count++];
    *g = (group){.steps = steps, .rows = rows, .tiles = tiles};
    return g;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add_product(group *g, product x)
{
    int64_t height = x.m ? x.m : g->tiles.rows;
    for (int i = 0; i < g->count; i++) x.b += g->products[i].k * g->products[i].n;
    g->a_step = larger(g->a_step, height * x.k);
    g->c_step = larger(g->c_step, height * x.n);
    g->products[g->count++] = x;
}

static product plain(int64_t m, int64_t n, int64_t k)
{
    return (product){.m = m, .n = n, .k = k};
}

static product a_transposed(int64_t m, int64_t n, int64_t k)
{
    return (product){.m = m, .n = n, .k = k, .a_transposed = true};
}

static product b_transposed(int64_t m, int64_t n, int64_t k)
{
    return (product){.m = m, .n = n, .k = k, .b_transposed = true};
}

static void add_single(plan *p, product x)
{
    add_product(add_group(p, 0, 1, (lb_row_tiles){1, 1}), x);
}

static void add_layer(plan *p, int64_t rows, int64_t inputs, int64_t outputs)
{
    add_single(p, b_transposed(rows, outputs, inputs));
    if (p->decodes) return;
    add_single(p, plain(rows, inputs, outputs));
    add_single(p, a_transposed(outputs, inputs, rows));
}

typedef struct layer {
    int64_t inputs, outputs;
} layer;

static void add_recurrence(plan *p, int64_t batch, int64_t steps, int count, const layer *layers)
{
    if (steps == 0) return;
    lb_row_tiles tiles = lb_row_tiles_of(batch);
    if (p->tile) tiles = (lb_row_tiles){(batch + p->tile - 1) / p->tile, p->tile};
    group *forward = add_group(p, steps, batch, tiles);
    for (int i = 0; i < count; i++) add_product(forward, plain(0, layers[i].outputs, layers[i].inputs));
    if (p->decodes) return;
    group *backward = add_group(p, steps, batch, tiles);
    for (int i = 0; i < count; i++) {
        add_product(backward, plain(0, layers[i].inputs, layers[i].outputs));
        add_single(p, a_transposed(layers[i].outputs, layers[i].inputs, batch * steps));
    }
}

/* Layers that do not wait for the previous step, except in decoding. */
static void add_steps(plan *p, int64_t batch, int64_t steps, int count, const layer *layers)
{
    if (p->decodes) add_recurrence(p, batch, steps, count, layers);
    for (int i = 0; !p->decodes && i < count; i++)
        add_layer(p, batch * steps, layers[i].inputs, layers[i].outputs);
}

static void add_heads(plan *p, int64_t heads, int64_t queries, int64_t keys, int64_t width)
{
    group *g = add_group(p, 1, heads, (lb_row_tiles){heads, 1});
    add_product(g, b_transposed(queries, keys, width)); /* scores */
    add_product(g, plain(queries, width, keys));        /* context */
    if (!p->decodes) {
        add_product(g, b_transposed(queries, keys, width)); /* dweights */
        add_product(g, a_transposed(keys, width, queries)); /* dvalues */
        add_product(g, plain(queries, width, keys));        /* dqueries */
        add_product(g, a_transposed(keys, width, queries)); /* dkeys */
    }
    for (int i = 0; i < g->count; i++) g->b_step += g->products[i].k * g->products[i].n;
}

static int64_t fewer(int64_t tokens, int64_t vocabulary)
{
    return tokens < vocabulary ? tokens : vocabulary;
}

static void plan_seq2seq(plan *p, const bench_size *size)
{
    int64_t batch = size->batch, source = size->length, target = size->length + 1, hidden = size->hidden;
    layer state = {hidden, 3 * hidden}, context = {hidden, 3 * hidden}, query = {hidden, hidden};
    add_layer(p, fewer(batch * source, size->vocabulary), size->embed, 3 * hidden);
    add_recurrence(p, batch, source - 1, 1, &state); /* the first state is zero */
    add_layer(p, batch * source, hidden, hidden);    /* keys */
    add_layer(p, batch, hidden, hidden);             /* bridge */
    add_layer(p, fewer(batch * target, size->vocabulary), size->embed, 3 * hidden);
    add_recurrence(p, batch, target, 3, (layer[]){query, state, context});
    add_steps(p, batch, target, 1, &(layer){2 * hidden, size->vocabulary});
}

static void plan_transformer(plan *p, const bench_size *size)
{
    int64_t batch = size->batch, source = size->length, target = size->length + 1, width = size->hidden;
    int64_t heads = batch * BENCH_HEADS, each = width / BENCH_HEADS;
    for (int i = 0; i < BENCH_LAYERS; i++) {
        add_layer(p, batch * source, width, 3 * width);
        add_heads(p, heads, source, source, each);
        add_layer(p, batch * source, width, width);
        add_layer(p, batch * source, width, 4 * width);
        add_layer(p, batch * source, 4 * width, width);
    }
    for (int i = 0; i < BENCH_LAYERS; i++) {
        layer own = {width, 3 * width}, joined = {width, width}, query = {width, width};
        layer wide = {width, 4 * width}, narrow = {4 * width, width};
        add_steps(p, batch, target, 6, (layer[]){own, joined, query, joined, wide, narrow});
        add_layer(p, batch * source, width, 2 * width); /* the keys and values of the source */
        if (p->decodes) continue;
        add_heads(p, heads, target, target, each);
        add_heads(p, heads, target, source, each);
    }
    add_steps(p, batch, target, 1, &(layer){width, size->vocabulary});
}

static void plan_peak(plan *p)
{
    enum { WIDTH = 128, TIMES = 200 };
    add_product(add_group(p, TIMES, 1, (lb_row_tiles){1, 1}), plain(WIDTH, WIDTH, WIDTH));
}

static void count_work(plan *p)
{
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < p->groups[i].count; j++) {
            const group *g = &p->groups[i];
            product x = g->products[j];
            double steps = g->steps ? (double)g->steps : 1;
            double rows = (double)(x.m ? x.m * g->tiles.count : g->rows);
            p->calls += steps * (double)g->tiles.count;
            p->flop += 2 * steps * rows * (double)(x.n * x.k);
        }
}

static lb_real *new_buffer(int64_t count)
{
    lb_real *buffer = lb_alloc((size_t)count * sizeof *buffer);
    for (int64_t i = 0; buffer && i < count; i++) buffer[i] = (lb_real)(i % 17 - 8) / 16;
    return buffer;
}

static lb_status allocate(plan *p, lb_error *error)
{
    int64_t a = 0, b = 0, c = 0;
    for (int i = 0; i < p->count; i++) {
        const group *g = &p->groups[i];
        const product *last = &g->products[g->count - 1];
        a = larger(a, g->tiles.count * g->a_step);
        b = larger(b, (g->tiles.count - 1) * g->b_step + last->b + last->k * last->n);
        c = larger(c, g->tiles.count * g->c_step);
    }
    p->a = new_buffer(a);
    p->b = new_buffer(b);
    p->c = new_buffer(c);
    return p->a && p->b && p->c ? LB_OK : lb_error_set(error, LB_ERROR_MEMORY, "out of memory");
}

static void multiply(const plan *p, const group *g, product x, int64_t tile)
{
    int64_t m = x.m ? x.m : lb_row_tile_height(g->tiles, tile, g->rows);
    lb_matrix a = {p->a + tile * g->a_step, x.a_transposed ? m : x.k, x.a_transposed, NULL};
    lb_matrix b = {p->b + tile * g->b_step + x.b, x.b_transposed ? x.k : x.n, x.b_transposed, NULL};
    lb_gemm_fn *serial = p->openblas ? lb_gemm_blas : lb_gemm_serial;
    lb_real *c = p->c + tile * g->c_step;
    if (g->steps)
        serial(m, x.n, x.k, a, b, 1, c, x.n);
    else
        lb_gemm_tiled(serial, m, x.n, x.k, a, b, 1, NULL, false, c, x.n);
}

static void run_plan(void *context, int index)
{
    const plan *p = context;
    (void)index;
    for (const group *g = p->groups; g < p->groups + p->count; g++) {
        if (g->steps == 0) {
            multiply(p, g, g->products[0], 0);
            continue;
        }
#pragma omp parallel for schedule(static) if (g->tiles.count > 1)
        for (int64_t tile = 0; tile < g->tiles.count; tile++)
            for (int64_t step = 0; step < g->steps; step++)
                for (int i = 0; i < g->count; i++) multiply(p, g, g->products[i], tile);
    }
}

static void report(const plan *p, const bench_size *size, bench_timing timing)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "program", "floor");
    bench_add_size(object, size);
    bench_add(object, "steps", timing.runs);
    bench_add(object, p->decodes ? "ms_per_run" : "ms_per_step", 1e3 * timing.median);
    bench_add(object, p->decodes ? "ms_per_run_min" : "ms_per_step_min", 1e3 * timing.least);
    bench_add(object, "tokens_per_second", bench_tokens(size) / timing.median);
    bench_add(object, "products", p->calls);
    bench_add(object, "gflop", 1e-9 * p->flop);
    bench_add(object, "gflop_per_second", 1e-9 * p->flop / timing.median);
    bench_print(object);
}

int main(int argc, char **argv)
{
    bench_size size = {.config = 1, .vocabulary = BENCH_VOCABULARY};
    bench_effort effort = {.warm_up = 5, .runs = 200};
    plan p = {.count = 0};
    bool peak = false;
    int threads = 0;
    const app_option options[] = {
        BENCH_SIZE_OPTIONS(size),
        APP_INT(0, "tile", "N", &p.tile, 0, 1 << 20,
                "rows that go through time together; 0: as in the library"),
        APP_FLAG(0, "decode", &p.decodes,
                 "the products of greedy decoding instead, for one token more than in the lists"),
        APP_FLAG(0, "peak", &peak, "one product instead, whose operands stay in the cache"),
        APP_FLAG(0, "openblas", &p.openblas, "use only OpenBLAS, without the kernel of the library"),
        APP_INT(0, "threads", "N", &threads, 0, 1024, "number of threads; 0: one per processor"),
        BENCH_EFFORT_OPTIONS(effort, "steps"),
    };
    const app_program program = {
        .name = "bench_floor",
        .purpose = "Times only the matrix products of one training step or of greedy decoding.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int status = app_options(&program, &argc, &argv);
    if (status != APP_RUN) return status;
    bench_size_settle(&size);
    lb_set_threads(threads);
    if (peak)
        plan_peak(&p);
    else
        (bench_is_transformer(&size) ? plan_transformer : plan_seq2seq)(&p, &size);
    lb_error error = {0};
    if (p.openblas && !lb_gemm_blas_kernel()) {
        lb_error_set(&error, LB_ERROR_ARGUMENT, "--openblas: this build has no OpenBLAS");
        return app_fail(&error);
    }
    lb_status allocated = allocate(&p, &error);
    if (!allocated) {
        count_work(&p);
        lb_gemm_hold();
        bench_timing timing = bench_time(effort, run_plan, &p);
        lb_gemm_release();
        report(&p, &size, timing);
    }
    lb_release(p.a);
    lb_release(p.b);
    lb_release(p.c);
    return allocated ? app_fail(&error) : app_close_stdout(0);
}
