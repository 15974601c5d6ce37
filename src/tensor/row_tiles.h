/* The division of a batch into tiles of rows. Rows are independent through time, so a recurrent op forks once, and each
 * thread takes its tiles through all steps. The division depends only on the batch, not on the threads. */
#ifndef LB_ROW_TILES_H
#define LB_ROW_TILES_H

#include <stdint.h>

typedef struct lb_row_tiles {
    int64_t count, rows; /* `count` tiles of `rows` rows; the last one may be shorter */
} lb_row_tiles;

static inline lb_row_tiles lb_row_tiles_of(int64_t batch)
{
    enum { FEWEST = 8, MOST = 32, SHARES = 4 };
    int64_t rows = (batch / SHARES + FEWEST - 1) / FEWEST * FEWEST;
    rows = rows < FEWEST ? FEWEST : rows > MOST ? MOST : rows;
    return (lb_row_tiles){.count = (batch + rows - 1) / rows, .rows = rows};
}

/** The number of rows in tile `tile`. */
static inline int64_t lb_row_tile_height(lb_row_tiles tiles, int64_t tile, int64_t batch)
{
    int64_t left = batch - tile * tiles.rows;
    return left < tiles.rows ? left : tiles.rows;
}

#endif
