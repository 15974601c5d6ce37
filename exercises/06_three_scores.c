/* Exercise 6: three scores. Read docs/lessons/06_three_scores.md first, then work here. `./run check 6` checks both
 * parts, and `git checkout exercises/06_three_scores.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: the additive score of one query and one key, without the library.
 *
 *   query [size], key [size], w_q [width, size], w_k [width, size], v [width] -> v . tanh(W_q query + W_k key)
 *
 * Tanh applies to each of the `width` sums on its own. The matrices are flat: row r of w_q begins at w_q[r * size]. */
double additive_score(const double *query, const double *key, const double *w_q, const double *w_k,
                      const double *v, int size, int width)
{
    return NAN;
}

/* To mend: the general score of each query and key, (W q) . k.
 *
 *   query [batch, queries, n], key [batch, keys, m], weight [m, n] -> scores [batch, queries, keys] */
lb_tensor *general_scores(lb_tensor *query, lb_tensor *key, lb_tensor *weight)
{
    lb_tensor *changed = lb_matmul(query, weight);
    return lb_matmul_transposed(changed, false, key, true);
}
