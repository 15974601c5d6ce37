/* One layer for all pairs of a query and a key: tanh of their sum, then the affine map. The hidden layer, by far the
 * largest array, exists only in tiles; backward computes it again. */
#include "autograd/op.h"
#include "lookback/ops.h"
#include "tensor/elementary.h"
#include "tensor/panels.h"

#include <string.h>

enum { QUERY, KEYS, WEIGHT, BIAS };

/* Pairs side by side in a product: enough for it to be fast, few enough to stay in the cache. */
enum { PAIRS = 192 };

typedef struct sizes {
    int64_t batch, queries, keys, width, outputs;
    int64_t block;  /* queries of one row side by side */
    int64_t blocks; /* of one row */
} sizes;

static sizes sizes_of(const lb_node *node)
{
    const lb_tensor *query = node->in[QUERY], *keys = node->in[KEYS];
    sizes s = {.batch = lb_dim(query, 0), .queries = lb_dim(query, 1), .keys = lb_dim(keys, 1)};
    s.width = lb_dim(query, 2);
    s.outputs = lb_dim(node->in[WEIGHT], 0);
    s.block = s.keys < PAIRS ? PAIRS / (s.keys ? s.keys : 1) : 1;
    s.block = s.block < s.queries ? s.block : s.queries;
    s.blocks = s.block ? (s.queries + s.block - 1) / s.block : 0;
    return s;
}

static lb_status output_shape(const lb_node *node, lb_shape *out)
{
    lb_shape query = node->in[QUERY]->shape, keys = node->in[KEYS]->shape, weight = node->in[WEIGHT]->shape;
    if (query.ndim != 3 || keys.ndim != 3 || query.dim[0] != keys.dim[0] || query.dim[2] != keys.dim[2])
        return lb_op_misfit(node, "batch sizes or widths differ", QUERY, KEYS);
    if (weight.ndim != 2 || weight.dim[1] != query.dim[2])
        return lb_op_misfit(node, "widths differ", QUERY, WEIGHT);
    if (node->in[BIAS] && !lb_shape_equal(node->in[BIAS]->shape, LB_SHAPE(weight.dim[0])))
        return lb_op_misfit(node, "expected one bias per output", BIAS, WEIGHT);
    *out = LB_SHAPE(query.dim[0], query.dim[1], keys.dim[1], weight.dim[0]);
    return LB_OK;
}

/* hidden = tanh(query + key) of the pairs of some queries with all keys of the row. */
LB_KERNEL(hide_pairs,
          (int64_t queries, int64_t keys, int64_t width, const lb_real *query, const lb_real *key,
           lb_real *hidden),
          (queries, keys, width, query, key, hidden))
{
    for (int64_t pair = 0; pair < queries * keys; pair++) {
        const lb_real *q = query + pair / keys * width, *k = key + pair % keys * width;
        lb_real *h = hidden + pair * width;
        for (int64_t i = 0; i < width; i++) h[i] = lb_tanh_inline(fused, q[i] + k[i]);
    }
}

/* Adds the gradient of each pair, through tanh, to those of its query and its key. */
LB_KERNEL(spread_pairs,
          (int64_t queries, int64_t keys, int64_t width, const lb_real *hidden, const lb_real *slope,
           lb_real *query, lb_real *key),
          (queries, keys, width, hidden, slope, query, key))
{
    for (int64_t pair = 0; pair < queries * keys; pair++) {
        const lb_real *h = hidden + pair * width, *d = slope + pair * width;
        lb_real *q = query + pair / keys * width, *k = key + pair % keys * width;
#pragma omp simd
        for (int64_t i = 0; i < width; i++) {
            lb_real passed = d[i] * (1 - h[i] * h[i]);
            q[i] += passed;
            k[i] += passed;
        }
    }
}

static int64_t block_height(const sizes *s, int64_t block)
{
    int64_t left = s->queries - block * s->block;
    return left < s->block ? left : s->block;
}

/* Where the pairs of one block of queries begin. */
static int64_t first_pair(const sizes *s, int64_t row, int64_t block)
{
    return (row * s->queries + block * s->block) * s->keys;
}

static void hide_block(const lb_node *node, const sizes *s, int64_t row, int64_t block, lb_real *hidden)
{
    const lb_real *query = node->in[QUERY]->data + (row * s->queries + block * s->block) * s->width;
    hide_pairs(block_height(s, block), s->keys, s->width, query,
               node->in[KEYS]->data + row * s->keys * s->width, hidden);
}

static void forward_row(const lb_node *node, const sizes *s, int64_t row, lb_matrix weight, lb_real *hidden)
{
    const lb_tensor *bias = node->in[BIAS];
    for (int64_t block = 0; block < s->blocks; block++) {
        int64_t count = block_height(s, block) * s->keys;
        lb_real *y = node->out[0]->data + first_pair(s, row, block) * s->outputs;
        for (int64_t pair = 0; bias && pair < count; pair++)
            memcpy(y + pair * s->outputs, bias->data, (size_t)s->outputs * sizeof *y);
        hide_block(node, s, row, block, hidden);
        lb_gemm_serial(count, s->outputs, s->width, lb_plain(hidden, s->width), weight, bias ? 1 : 0, y,
                       s->outputs);
    }
}

static lb_status forward(lb_node *node)
{
    sizes s = sizes_of(node);
    lb_row_tiles tiles = lb_row_tiles_of(s.batch);
    int64_t each = s.block * s.keys * s.width;
    lb_matrix weight;
    lb_real *hidden = lb_op_reals(node, tiles.count * each);
    if (!hidden || !lb_op_transposed_weight(node, node->in[WEIGHT], 0, lb_dim(node->in[WEIGHT], 0), 0,
                                            s.width, s.batch * s.queries * s.keys, &weight))
        return LB_ERROR_MEMORY;
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t tile = 0; tile < tiles.count; tile++)
        for (int64_t i = 0; i < lb_row_tile_height(tiles, tile, s.batch); i++)
            forward_row(node, &s, tile * tiles.rows + i, weight, hidden + tile * each);
    return LB_OK;
}

/* The working memory of one tile of rows. */
typedef struct backward_tile {
    lb_real *hidden, *slope; /* [block, keys, width] */
    lb_real *query;          /* [queries, width] of one row */
    lb_real *keys;           /* [keys, width] of one row */
    lb_real *weight;         /* [outputs, width] of all rows of the tile */
} backward_tile;

/* Divides a block among the parts of a tile, and returns how much it takes. */
static int64_t lay_out(const sizes *s, lb_real *block, backward_tile *tile)
{
    lb_parts parts = {.block = block};
    tile->hidden = lb_parts_next(&parts, s->block * s->keys * s->width);
    tile->slope = lb_parts_next(&parts, s->block * s->keys * s->width);
    tile->query = lb_parts_next(&parts, s->queries * s->width);
    tile->keys = lb_parts_next(&parts, s->keys * s->width);
    tile->weight = lb_parts_next(&parts, s->outputs * s->width);
    return parts.count;
}

static int64_t backward_work(const lb_node *node)
{
    sizes s = sizes_of(node);
    return lb_row_tiles_of(s.batch).count * lay_out(&s, NULL, &(backward_tile){0});
}

static void add_row(lb_tensor *operand, int64_t row, int64_t count, const lb_real *grad)
{
    lb_real *to = lb_wants_grad(operand) ? operand->grad + row * count : NULL;
    for (int64_t i = 0; to && i < count; i++) to[i] += grad[i];
}

static void backward_row(const lb_node *node, const sizes *s, int64_t row, const backward_tile *tile)
{
    const lb_tensor *weight = node->in[WEIGHT];
    bool spreads = lb_wants_grad(node->in[QUERY]) || lb_wants_grad(node->in[KEYS]);
    memset(tile->query, 0, (size_t)(s->queries * s->width) * sizeof *tile->query);
    memset(tile->keys, 0, (size_t)(s->keys * s->width) * sizeof *tile->keys);
    for (int64_t block = 0; block < s->blocks; block++) {
        int64_t height = block_height(s, block), count = height * s->keys;
        const lb_real *dy = node->out[0]->grad + first_pair(s, row, block) * s->outputs;
        hide_block(node, s, row, block, tile->hidden);
        if (lb_wants_grad(weight))
            lb_gemm_serial(s->outputs, s->width, count, lb_transposed(dy, s->outputs),
                           lb_plain(tile->hidden, s->width), 1, tile->weight, s->width);
        if (!spreads) continue;
        lb_gemm_serial(count, s->width, s->outputs, lb_plain(dy, s->outputs),
                       lb_plain(weight->data, s->width), 0, tile->slope, s->width);
        spread_pairs(height, s->keys, s->width, tile->hidden, tile->slope,
                     tile->query + block * s->block * s->width, tile->keys);
    }
    add_row(node->in[QUERY], row, s->queries * s->width, tile->query);
    add_row(node->in[KEYS], row, s->keys * s->width, tile->keys);
}

static void backward(lb_node *node)
{
    sizes s = sizes_of(node);
    lb_row_tiles tiles = lb_row_tiles_of(s.batch);
    int64_t each = lay_out(&s, NULL, &(backward_tile){0});
#pragma omp parallel for schedule(static) if (tiles.count > 1)
    for (int64_t i = 0; i < tiles.count; i++) {
        backward_tile tile;
        lay_out(&s, node->work + i * each, &tile);
        memset(tile.weight, 0, (size_t)(s.outputs * s.width) * sizeof *tile.weight);
        for (int64_t row = 0; row < lb_row_tile_height(tiles, i, s.batch); row++)
            backward_row(node, &s, i * tiles.rows + row, &tile);
    }
    /* The weight is shared by all rows: the parts of the tiles are added in order. */
    for (int64_t i = 0; i < tiles.count; i++) {
        backward_tile tile;
        lay_out(&s, node->work + i * each, &tile);
        lb_op_add_grad(node->in[WEIGHT], tile.weight);
    }
    lb_op_add_grad_rows(node->in[BIAS], s.batch * s.queries * s.keys, node->out[0]->grad);
}

static const lb_op pair_affine_op = {
    .name = "pair_affine",
    .operands = "query keys weight bias?",
    .formula = "y_qk = W tanh(query_q + key_k) + b",
    .derivative = "dz_qk = (W' dy_qk) (1 - tanh^2), dquery_q += sum_k dz_qk, dkey_k += sum_q dz_qk, "
                  "dW += sum_qk dy_qk tanh(query_q + key_k)', db += sum_qk dy_qk",
    .shape = output_shape,
    .forward = forward,
    .work = LB_TRAINING(backward_work),
    .backward = LB_TRAINING(backward),
};

/** A hidden layer and an affine map for every pair.
 *  Shapes: query [batch, Q, width], keys [batch, K, width], weight [outputs, width], bias [outputs] or NULL -> [batch,
 *          Q, K, outputs].
 *  Errors: LB_ERROR_SHAPE. Cost: O(batch Q K width outputs). */
lb_tensor *lb_pair_affine(lb_tensor *query, lb_tensor *keys, lb_tensor *weight, lb_tensor *bias)
{
    return lb_op_apply(&pair_affine_op, LB_INPUTS(query, keys, weight, bias), NULL, 0);
}
