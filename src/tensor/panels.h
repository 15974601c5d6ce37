/* How a recurrence divides a product c = a b: the weight b into panels of columns, and the rows of a and c, which are
 * those of the batch, into tiles. Here for a weight [depth, 70] and a batch of 100 rows, in two groups of threads:
 *
 *          columns  0          32         64   70                 packed
 *                   +----------+----------+----+                  +----------+ 0
 *     weight        |          |          |    |                  |    0     |   depth rows of 32 numbers
 *     [depth, 70]   | panel 0  | panel 1  | 2  |  lb_panels_pack  +----------+ 32 depth
 *                   |          |          |    |  ------------->  |    1     |
 *                   +----------+----------+----+                  +----+-----+ 64 depth
 *                                                                 | 2  |     |   the rest of a row is not used
 *          rows   0 +----------+----------+----+                  +----+-----+ 96 depth
 *                   |          |    *     |    |  tile 0
 *                32 +----------+----------+----+
 *                   |          |    *     |    |  tile 1          * The first group has tiles 0 and 1. Its thread that
 *     c          64 +----------+----------+----+                    has panel 1 computes both in one call of
 *     [100, 70]     |          |          |    |  tile 2            lb_panels_multiply, if all rows have the step.
 *                96 +----------+----------+----+
 *                   |          |          |    |  tile 3, 4 rows
 *               100 +----------+----------+----+
 *
 * Element (i, j) of the weight is packed[(j / 32 * depth + i) * 32 + j % 32]. */
#ifndef LB_PANELS_H
#define LB_PANELS_H

#include "base/threads.h"
#include "tensor/gemm.h"

/* ---- A weight in panels of 32 columns. The numbers of a panel are next to each other, so that a thread that
 * multiplies with the same panels at every step of a recurrence keeps them in its own cache. ---- */

enum { LB_PANEL = 32 };

typedef struct lb_panels {
    lb_matrix from; /* [depth, columns]: the weight where it is */
    int64_t depth, columns;
    lb_real *packed; /* [panels, depth, 32]; NULL: the weight is read where it is */
} lb_panels;

static inline int64_t lb_panel_count(int64_t columns)
{
    return (columns + LB_PANEL - 1) / LB_PANEL;
}

/** The numbers that `packed` has room for. */
static inline int64_t lb_panels_size(int64_t depth, int64_t columns)
{
    return lb_panel_count(columns) * LB_PANEL * depth;
}

/** Copies the panels first, first + 1, ... without `end`, as pairs if the weight is rounded. Does nothing if the weight
 *  is read where it is. */
void lb_panels_pack(const lb_panels *panels, int64_t first, int64_t end);

/** The columns of c that belong to panels first, ... without `end` = a b + beta c, on the calling thread, with our own
 *  kernel: a number of c has the same bits whatever rows and panels are multiplied with it, if the weight is packed.
 *  Shapes: a [m, depth], where b are the rows begin, begin + 1, ... begin + depth of the weight; c [m, columns]. */
void lb_panels_multiply(const lb_panels *panels, int64_t first, int64_t end, int64_t begin, int64_t depth,
                        int64_t m, lb_matrix a, lb_real beta, lb_real *c, int64_t stride);

#endif
