/* The threads of the library, for its kernels, the processors that they run on, teams of them, and
 * the rows of a batch that each takes. */
#ifndef LB_THREADS_H
#define LB_THREADS_H

#include "lookback/base.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- The processors that this process may use. ---- */

/** The number of processors in the CPU set of this process, or the number that the quota of its control group pays for,
 *  rounded up: the smaller of the two, and at least 1. With a quota of 1.5 processors, it is 2. */
int lb_processors(void);

/* ---- Threads. ---- */

/** Sets the number of threads as lb_set_threads does, but not as a user's choice. */
void lb_use_threads(int threads);

/** Whether the user has chosen the number of threads of the calling thread: by lb_set_threads, and by a number. */
bool lb_threads_are_chosen(void);

/** Whether the caller is one of several threads that share work of the library. */
bool lb_in_parallel(void);

static inline int64_t lb_smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/** The length of the chunks into which `count` things are divided, so that each thread has one, or several of length
 *  `most`; a multiple of `least`. Several ops then give a thread the same part of a batch, which is still in its
 *  cache. */
int64_t lb_chunk_for_threads(int64_t count, int64_t least, int64_t most);

/* ---- team.c: threads that compute one op together, step by step. They stand in a grid: the rows of a batch are
 * divided among the groups, and the columns of each step among the threads of a group. A thread waits for those of its
 * group only. docs/adr/0008-threads.md says why. ---- */

enum { LB_MOST_IN_TEAM = 64 };

typedef struct lb_grid {
    int groups, width; /* `width` threads in each group */
} lb_grid;

static inline int64_t lb_grid_threads(lb_grid grid)
{
    return (int64_t)grid.groups * grid.width;
}

typedef struct lb_barrier lb_barrier;

typedef struct lb_team_thread {
    lb_grid grid;         /* that the runtime has given, which may be smaller than the one asked for */
    int group, place;     /* where this thread stands: 0 <= group < groups, 0 <= place < width */
    lb_barrier *barriers; /* [groups + 1]: of each group, and of all */
} lb_team_thread;

/** Calls work(thread, context) on each thread of a team; on the calling thread alone for a grid of one. */
void lb_team_run(lb_grid grid, void (*work)(const lb_team_thread *thread, void *context), void *context);

/** Waits until all threads of the group are here; then each of them sees what the others have written. */
void lb_team_barrier(const lb_team_thread *thread);

/** The same for all threads of the team. */
void lb_team_barrier_all(const lb_team_thread *thread);

/** The share of `count` things that place `place` of `places` has: `first` up to, without, the return value. */
static inline int64_t lb_share(int64_t count, int64_t place, int64_t places, int64_t *first)
{
    assert(place >= 0 && place < places);
    *first = count * place / places;
    return count * (place + 1) / places;
}

/* ---- A batch in tiles of rows. Rows are independent through time, so a recurrent op forks once, and each thread takes
 * its tiles through all steps. The division depends only on the batch, not on the threads. ---- */

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

static inline int64_t lb_row_tile_height(lb_row_tiles tiles, int64_t tile, int64_t batch)
{
    int64_t left = batch - tile * tiles.rows;
    return left < tiles.rows ? left : tiles.rows;
}

#endif
