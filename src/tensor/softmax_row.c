#include "tensor/softmax_row.h"

#include "base/transcendental.h"

#include <assert.h>

LB_SHARED_KERNEL_OF(double, lb_log_normal, (int64_t count, const lb_real *x, double *largest),
                    (count, x, largest))
{
    lb_real most = lb_largest_inline(count, x), shift = most == -(lb_real)INFINITY ? 0 : most;
    LB_SUM(lb_real, sum, i, count, lb_exp_inline(fused, x[i] - shift));
    *largest = (double)shift;
    return lb_log64((double)sum);
}

/* The scores above a threshold, as distances from it. */
typedef struct row_support {
    double count, sum, squares, least;
} row_support;

/* The support of z = scale (x - largest). */
static inline LB_INLINED row_support support_of(double threshold, double scale, double largest, int64_t count,
                                                const lb_real *x)
{
    double found[LB_LANES] = {0}, sum[LB_LANES] = {0}, squares[LB_LANES] = {0}, least[LB_LANES];
    for (int lane = 0; lane < LB_LANES; lane++) least[lane] = (double)INFINITY;
    LB_IN_LANES(i, lane, count, {
        double distance = scale * ((double)x[i] - largest) - threshold;
        bool above = distance > 0;
        found[lane] += above ? 1 : 0;
        sum[lane] += above ? distance : 0;
        squares[lane] += above ? distance * distance : 0;
        least[lane] = above && distance < least[lane] ? distance : least[lane];
    });
    LB_FOLD(found);
    LB_FOLD(sum);
    LB_FOLD(squares);
    for (int lane = 1; lane < LB_LANES; lane++) least[0] = least[lane] < least[0] ? least[lane] : least[0];
    return (row_support){found[0], sum[0], squares[0], least[0]};
}

/* How far the threshold rises if the support stays as it is: the solution of sum (distance - rise) = 1 or, for entmax,
 * of sum (distance - rise)^2 = 1, which may have none (NaN). */
static inline double exact_rise(lb_normalizer normalizer, row_support s)
{
    if (normalizer == LB_SPARSEMAX) return (s.sum - 1) / s.count;
    return (s.squares - 1) / (s.sum + sqrt(s.sum * s.sum - s.count * (s.squares - 1)));
}

/* A step of Newton's method for the sum of distances or, for entmax, for the root of the sum of their squares. Both
 * are convex functions of the threshold, so that no step passes the solution. */
static inline double newton_rise(lb_normalizer normalizer, row_support s)
{
    if (normalizer == LB_SPARSEMAX) return (s.sum - 1) / s.count;
    return (s.squares - sqrt(s.squares)) / s.sum;
}

/* The threshold tau below the largest score, which is finite. It rises from -1, where the weights sum to at least 1.
 * Each support on the way contains that of the solution; once they are the same, the exact rise ends the search. */
static inline LB_INLINED double sparse_threshold(lb_normalizer normalizer, double scale, double largest,
                                                 int64_t count, const lb_real *x)
{
    double threshold = -1;
    for (;;) {
        row_support s = support_of(threshold, scale, largest, count, x);
        double rise = exact_rise(normalizer, s);
        if (rise <= s.least) return threshold + rise;
        rise = newton_rise(normalizer, s);
        if (!(threshold + rise > threshold)) return threshold;
        threshold += rise;
    }
}

LB_SHARED_KERNEL(lb_sparse_row, (lb_normalizer normalizer, int64_t count, lb_real *x), (normalizer, count, x))
{
    assert(normalizer == LB_SPARSEMAX || normalizer == LB_ENTMAX);
    double largest = (double)lb_largest_inline(count, x), scale = normalizer == LB_ENTMAX ? 0.5 : 1;
    double threshold = isfinite(largest) ? sparse_threshold(normalizer, scale, largest, count, x) : 0;
    for (int64_t i = 0; i < count; i++) {
        double distance = scale * ((double)x[i] - largest) - threshold;
        /* Comparisons instead of fmax, which would hide NaN. */
        if (x[i] == -(lb_real)INFINITY || distance < 0) distance = 0;
        x[i] = (lb_real)(normalizer == LB_ENTMAX ? distance * distance : distance);
    }
}
