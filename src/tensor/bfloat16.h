/* Products of operands rounded to bfloat16, where lb_bfloat16_check() is LB_OK. The processor multiplies pairs of
 * numbers along k, and adds both products to a sum in float. So operands are first copied as pairs: two numbers of 16
 * bits in one of 32, the earlier one in its lower half (docs/adr/0012-a-product-of-our-own.md). */
#ifndef LB_BFLOAT16_H
#define LB_BFLOAT16_H

#include "tensor/gemm.h"

enum {
    LB_PAIRS_DEPTH = 512, /* the part of k that is summed up in registers */
    LB_PAIRS_PANEL = 32   /* columns, or rows of a transposed operand, that are copied next to each other */
};

static inline int64_t lb_pairs_of(int64_t depth)
{
    return (depth + 1) / 2;
}

/** The pairs in a copy of so many rows or columns. */
static inline int64_t lb_pairs_room(int64_t count, int64_t depth)
{
    return (count + LB_PAIRS_PANEL - 1) / LB_PAIRS_PANEL * LB_PAIRS_PANEL * lb_pairs_of(depth);
}

/** Copies b [k, columns] in panels: pair i of column j is to[(j / 32 * lb_pairs_of(k) + i) * 32 + j % 32]. What is
 *  beyond b is 0. */
void lb_pairs_columns(int64_t k, int64_t columns, lb_matrix b, uint32_t *to);

/** Copies a [rows, k]: in panels if it is transposed, as columns above; otherwise in rows, and pair i of row j is
 *  to[j * lb_pairs_of(k) + i]. */
void lb_pairs_rows(int64_t k, int64_t rows, lb_matrix a, uint32_t *to);

/** c = a b, or c += a b if `add`, for at most LB_PAIRS_DEPTH of k. `a` is a copy of that depth; the panels of `b` may
 *  be parts of deeper ones, `panel` pairs apart. A number of c has the same bits whatever rows and columns are
 *  multiplied with it. */
void lb_pairs_multiply(int64_t m, int64_t n, int64_t k, const uint32_t *a, bool a_transposed,
                       const uint32_t *b, int64_t panel, bool add, lb_real *c, int64_t stride);

#endif
