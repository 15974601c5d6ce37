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
        if (from.transposed)
            lb_transpose_strip(width, panels->depth, from.data, from.stride, to, LB_PANEL);
        else
            for (int64_t row = 0; row < panels->depth; row++)
                memcpy(to + row * LB_PANEL, from.data + row * from.stride, (size_t)width * sizeof *to);
    }
}

void lb_panels_multiply(const lb_panels *panels, int64_t panel, int64_t begin, int64_t depth, int64_t m,
                        lb_matrix a, lb_real beta, lb_real *c, int64_t stride)
{
    assert(panel < lb_panel_count(panels->columns) && begin + depth <= panels->depth);
    lb_matrix b = panels->packed
                      ? lb_plain(panels->packed + (panel * panels->depth + begin) * LB_PANEL, LB_PANEL)
                      : lb_matrix_from(panels->from, begin, panel * LB_PANEL);
    lb_gemm_own(m, width_of(panels, panel), depth, a, b, beta, c + panel * LB_PANEL, stride);
}
