/* Threads that compute one op together, step by step. They stand in a grid: the rows of a batch are divided among the
 * groups, and the columns of each step among the threads of a group. A thread waits for those of its group only.
 * docs/adr/0008-threads.md says why. */
#ifndef LB_TEAM_H
#define LB_TEAM_H

#include <stdint.h>

enum { LB_MOST_IN_TEAM = 64 };

typedef struct lb_grid {
    int groups, width; /* `width` threads in each group */
} lb_grid;

static inline int64_t lb_grid_threads(lb_grid grid)
{
    return (int64_t)grid.groups * grid.width;
}

typedef struct lb_barrier lb_barrier;

/** One thread of a team. */
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
    *first = count * place / places;
    return count * (place + 1) / places;
}

#endif
