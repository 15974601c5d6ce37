/* A weight in panels of 32 columns. The numbers of a panel are next to each other, so that a thread that multiplies
 * with the same panels at every step of a recurrence keeps them in its own cache. */
#ifndef LB_PANELS_H
#define LB_PANELS_H

#include "tensor/gemm.h"

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

/** Copies the panels first, first + 1, ... without `end`. Does nothing if the weight is read where it is. */
void lb_panels_pack(const lb_panels *panels, int64_t first, int64_t end);

/** The columns of c that belong to a panel = a b + beta c, on the calling thread, with our own kernel: a number of c
 *  has the same bits whatever rows and panels are multiplied with it, if the weight is packed.
 *  Shapes: a [m, depth], where b are the rows begin, begin + 1, ... begin + depth of the weight; c [m, columns]. */
void lb_panels_multiply(const lb_panels *panels, int64_t panel, int64_t begin, int64_t depth, int64_t m,
                        lb_matrix a, lb_real beta, lb_real *c, int64_t stride);

#endif
