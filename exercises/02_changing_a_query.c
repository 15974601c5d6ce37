/* Exercise 2: changing a query. Read docs/lessons/02_changing_a_query.md first, then work here. `./run check 2` checks
 * both parts, and `git checkout exercises/02_changing_a_query.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: how fast the weights of a query change while it moves.
 *
 *   weight [keys], step [width], key [keys, width] -> change [keys]
 *
 * `weight` has the weights of the query where it is now, and `step` is where it is going. The score of key j changes by
 * ds_j = step . key_j / sqrt(width), and its weight by
 *
 *   change_j = weight_j (ds_j - sum over all i of weight_i ds_i)
 *
 * This is the derivative of softmax, which training follows to better queries. The array is flat: number i of key j is
 * key[j * width + i]. */
void weight_changes(const double *weight, const double *step, const double *key, int keys, int width,
                    double *change)
{
}

/* To mend: the weights of each key over all queries, for a chart with one line per key.
 *
 *   weights [1, 1, queries, keys] -> [1, 1, keys, queries] */
lb_tensor *lines_of(lb_tensor *weights)
{
    return lb_reshape(weights, LB_SHAPE(1, 1, lb_dim(weights, 3), lb_dim(weights, 2)));
}
