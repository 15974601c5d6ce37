#include "autograd/key_powers.h"

#include "autograd/steps.h"
#include "tensor/attention_kernel.h"
#include "tensor/row_tiles.h"

typedef enum tile_state { NOT_MADE, MADE, BEYOND_RANGE } tile_state;

struct lb_key_powers {
    const lb_real *keys;
    lb_real *all;      /* [batch, row] */
    tile_state *state; /* [tiles] */
    lb_row_tiles tiles;
    int64_t batch, row; /* numbers in a row: keys * width */
};

static lb_key_powers *new_powers(lb_tape *tape, const lb_tensor *keys, void *(*alloc)(lb_tape *, size_t))
{
    lb_row_tiles tiles = lb_row_tiles_of(lb_dim(keys, 0));
    lb_key_powers *powers = alloc(tape, sizeof *powers);
    tile_state *state = alloc(tape, (size_t)tiles.count * sizeof *state);
    lb_real *all = alloc(tape, (size_t)lb_count(keys) * sizeof *all);
    if (!powers || !state || !all) return NULL;
    for (int64_t tile = 0; tile < tiles.count; tile++) state[tile] = NOT_MADE;
    *powers = (lb_key_powers){.keys = keys->data,
                              .all = all,
                              .state = state,
                              .tiles = tiles,
                              .batch = lb_dim(keys, 0),
                              .row = lb_dim(keys, 1) * lb_dim(keys, 2)};
    return powers;
}

lb_key_powers *lb_key_powers_new(const lb_node *node, const lb_tensor *keys)
{
    return new_powers(node->tape, keys, lb_tape_alloc);
}

lb_key_powers *lb_key_powers_kept(const lb_node *node, const lb_tensor *keys)
{
    /* Empty tensors may share an address, and the tape identifies tensors by their address. */
    lb_kept *kept = lb_count(keys) > 0 ? lb_op_kept(node, keys->data, lb_count(keys)) : NULL;
    if (!kept || kept->uses++ == 0) return NULL;
    if (!kept->made) kept->made = new_powers(node->tape, keys, lb_tape_alloc_lasting);
    return kept->made;
}

static tile_state make(const lb_key_powers *powers, int64_t tile)
{
    int64_t first = tile * powers->tiles.rows * powers->row;
    int64_t height = lb_row_tile_height(powers->tiles, tile, powers->batch);
    bool in_range = lb_attend_powers(height * powers->row, powers->keys + first, powers->all + first);
    return in_range ? MADE : BEYOND_RANGE;
}

const lb_real *lb_key_powers_of_row(lb_key_powers *powers, int64_t row)
{
    if (!powers) return NULL;
    int64_t tile = row / powers->tiles.rows;
    if (powers->state[tile] == NOT_MADE) powers->state[tile] = make(powers, tile);
    return powers->state[tile] == MADE ? powers->all + row * powers->row : NULL;
}
