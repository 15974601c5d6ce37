/* How the recurrent ops divide a step of a batch among the threads of a team (base/team.h). Each group takes tiles of
 * rows (tensor/row_tiles.h) through all steps, or every second, third ... row of a tile. In a step, each member
 * computes the columns of its panels (tensor/panels.h) for all rows of its group, and then everything else that belongs
 * to its units. No sum is divided, so the bits do not depend on the team. */
#ifndef LB_RECURRENCE_H
#define LB_RECURRENCE_H

#include "autograd/fused/gru_input.h"
#include "autograd/parts.h"
#include "base/team.h"
#include "tensor/panels.h"
#include "tensor/row_tiles.h"

/** The place of a thread in a recurrence. */
typedef struct lb_walk {
    const lb_member *me;
    const lb_gru_input *x;
    lb_row_tiles tiles;
    int64_t first_tile, end_tile; /* of the group */
    int64_t part, parts;          /* of a tile: every `parts`-th row from row `part` on */
    int64_t first_row, end_row;   /* in steps of `parts` */
    int64_t first_unit, end_unit; /* of the member */
} lb_walk;

/** The grid for a recurrence with weights of `weights` numbers, each of which a row meets once in a step, and with
 *  `beside` more multiply-adds for a row in a step. One thread if the work is not worth more. */
lb_grid lb_recurrence_grid(const lb_gru_input *x, int64_t weights, int64_t beside);

/** The place of a member. */
lb_walk lb_walk_of(const lb_member *me, const lb_gru_input *x);

/** The rows that a member takes alone: the first of them, and the way to the next. Each of them is every `width`-th of
 *  the group, because the rows of a tile become shorter and shorter. */
static inline int64_t lb_walk_own_row(const lb_walk *walk)
{
    return walk->first_row + walk->me->place * walk->parts;
}
static inline int64_t lb_walk_own_step(const lb_walk *walk)
{
    return walk->me->grid.width * walk->parts;
}

/** The number of the member among all, and how many there are. */
static inline int64_t lb_walk_number(const lb_walk *walk)
{
    return (int64_t)walk->me->group * walk->me->grid.width + walk->me->place;
}
static inline int64_t lb_walk_count(const lb_walk *walk)
{
    return lb_grid_threads(walk->me->grid);
}

/** Rows of the group, one after the other, that are multiplied together at a step. */
typedef struct lb_row_run {
    int64_t tile; /* the one after them */
    int64_t first, count;
} lb_row_run;

/** The first run of rows that have a step at time `t`, and the one after a run; `count` is 0 when there is none. */
lb_row_run lb_walk_run(const lb_walk *walk, int64_t t);
lb_row_run lb_walk_next(const lb_walk *walk, int64_t t, lb_row_run run);

/** The numbers of c in the member's panels = a b + beta c, for the rows of the group that have a step at time `t`.
 *  Shapes: a [batch, depth], where b are the rows begin, ... of the weight; c [batch, columns]. */
void lb_walk_multiply(const lb_walk *walk, int64_t t, const lb_panels *weight, int64_t begin, int64_t depth,
                      lb_matrix a, lb_real beta, lb_real *c, int64_t stride);

/** Packs the member's share of a weight; all members must meet before they multiply with it. */
void lb_walk_pack(const lb_walk *walk, const lb_panels *weight);

/** The panels of the part of a weight [outputs, inputs] that computes outputs first, first + 1, ... from the inputs
 *  from `column` on; all of it is transposed. With several steps they are packed, into memory on the tape; a single
 *  step would not recover the cost. Returns false if out of memory. */
bool lb_recurrence_panels(const lb_node *node, const lb_gru_input *x, const lb_tensor *weight, int64_t column,
                          int64_t inputs, int parts, lb_panels *panels);

/** The panels of a weight [depth, columns] that backward multiplies with where it is; room for packing is taken from
 *  `parts`. */
lb_panels lb_recurrence_panels_back(const lb_gru_input *x, lb_parts *parts, lb_matrix weight, int64_t depth,
                                    int64_t columns);

#endif
