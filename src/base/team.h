/* Threads that walk through one op together, step by step. They stand in a grid: the rows of a batch are divided among
 * the groups, and the columns of each step among the members of a group. A member waits for those of its group only.
 * docs/adr/0008-threads.md says why. */
#ifndef LB_TEAM_H
#define LB_TEAM_H

#include <stdint.h>

enum { LB_MOST_IN_TEAM = 64 };

typedef struct lb_grid {
    int groups, width; /* `width` members in each group */
} lb_grid;

static inline int64_t lb_grid_threads(lb_grid grid)
{
    return (int64_t)grid.groups * grid.width;
}

typedef struct lb_meeting lb_meeting;

/** One thread of a team. */
typedef struct lb_member {
    lb_grid grid;         /* that the runtime has given, which may be smaller than the one asked for */
    int group, place;     /* where this thread stands: 0 <= group < groups, 0 <= place < width */
    lb_meeting *meetings; /* of each group, and of all */
} lb_member;

/** Calls work(member, context) on each thread of a team; on the calling thread alone for a grid of one. */
void lb_team_run(lb_grid grid, void (*work)(const lb_member *member, void *context), void *context);

/** Waits until all members of the group are here; then each of them sees what the others have written. */
void lb_team_meet(const lb_member *member);

/** The same for all members of the team. */
void lb_team_meet_all(const lb_member *member);

/** The share of `count` things that place `place` of `places` has: `first` up to, without, the return value. */
static inline int64_t lb_share(int64_t count, int64_t place, int64_t places, int64_t *first)
{
    *first = count * place / places;
    return count * (place + 1) / places;
}

#endif
