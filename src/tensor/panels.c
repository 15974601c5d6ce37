#include "tensor/panels.h"

#include <assert.h>
#include <string.h>

/* The columns of a panel; the last one may have fewer than the others. */
static int64_t width_of(const lb_panels *panels, int64_t panel)
{
    int64_t left = panels->columns - panel * LB_PANEL;
    return left < LB_PANEL ? left : LB_PANEL;
}

void lb_panels_pack(const lb_panels *panels, int64_t first, int64_t end)
{
    assert(first >= 0 && end <= lb_panel_count(panels->columns));
    if (!panels->packed) return;
    for (int64_t panel = first; panel < end; panel++) {
        int64_t width = width_of(panels, panel);
        lb_matrix from = lb_matrix_from(panels->from, 0, panel * LB_PANEL);
        lb_real *to = panels->packed + panel * LB_PANEL * panels->depth;
        if (from.rounded)
            lb_pairs_columns(panels->depth, width, from,
                             (uint32_t *)(void *)panels->packed +
                                 panel * LB_PANEL * lb_pairs_of(panels->depth));
        else if (from.transposed)
            lb_transpose_strip(width, panels->depth, from.data, from.stride, to, LB_PANEL);
        else
            for (int64_t row = 0; row < panels->depth; row++)
                memcpy(to + row * LB_PANEL, from.data + row * from.stride, (size_t)width * sizeof *to);
    }
}

/* In bfloat16: a few rows at a time are copied, and multiplied with all panels. This is not inlined, so that the copy
 * is on the stack only here. */
static __attribute__((noinline)) void multiply_pairs(const lb_panels *panels, int64_t first, int64_t end,
                                                     int64_t begin, int64_t depth, int64_t m, lb_matrix a,
                                                     lb_real beta, lb_real *c, int64_t stride)
{
    enum { ROWS = 64 };
    uint32_t pairs[ROWS * LB_PAIRS_DEPTH / 2];
    const int64_t panel = lb_pairs_of(panels->depth) * LB_PANEL,
                  columns = lb_smaller(panels->columns, end * LB_PANEL) - first * LB_PANEL;
    const uint32_t *packed = (const uint32_t *)(const void *)panels->packed + first * panel;
    assert(begin % 2 == 0 && (beta == 0 || beta == 1));
    for (int64_t at = 0; at < depth; at += LB_PAIRS_DEPTH) {
        const int64_t part = lb_smaller(LB_PAIRS_DEPTH, depth - at);
        for (int64_t i = 0; i < m; i += ROWS) {
            const int64_t rows = lb_smaller(ROWS, m - i);
            lb_pairs_rows(part, rows, lb_matrix_from(a, i, at), pairs);
            lb_pairs_multiply(rows, columns, part, pairs, a.transposed,
                              packed + lb_pairs_of(begin + at) * LB_PANEL, panel, beta == 1 || at > 0,
                              c + i * stride + first * LB_PANEL, stride);
        }
    }
}

void lb_panels_multiply(const lb_panels *panels, int64_t first, int64_t end, int64_t begin, int64_t depth,
                        int64_t m, lb_matrix a, lb_real beta, lb_real *c, int64_t stride)
{
    assert(end <= lb_panel_count(panels->columns) && begin + depth <= panels->depth);
    const bool rounded = panels->from.rounded != NULL;
    if (rounded && panels->packed && begin % 2 == 0) {
        multiply_pairs(panels, first, end, begin, depth, m, a, beta, c, stride);
        return;
    }
    for (int64_t panel = first; panel < end; panel++) {
        lb_matrix b = panels->packed && !rounded
                          ? lb_plain(panels->packed + (panel * panels->depth + begin) * LB_PANEL, LB_PANEL)
                          : lb_matrix_from(panels->from, begin, panel * LB_PANEL);
        (rounded ? lb_gemm_rounded : lb_gemm_own)(m, width_of(panels, panel), depth, a, b, beta,
                                                  c + panel * LB_PANEL, stride);
    }
}
