/* Exercise 4: to scale or not. Read docs/lessons/04_scaling.md first, then work here. `./run check 4` checks both
 * parts, and `git checkout exercises/04_scaling.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: how many keys a query looks at.
 *
 *   weight [keys], which sum to one -> e^H, with H = - sum over all i of weight_i ln(weight_i)
 *
 * This is 1 if one key has all the weight, and 6 if six keys share it evenly. H is the entropy of the weights. A key of
 * weight 0 adds nothing to it, although ln(0) is infinite. The lesson measures the largest weight instead; this number
 * counts all of them. */
double keys_in_view(const double *weight, int keys)
{
    return NAN;
}

/* To mend: attention with scores of variance one, whatever the width.
 *
 *   query [batch, queries, width], key [batch, keys, width], value [batch, keys, depth]
 *   -> output [batch, queries, depth] */
lb_tensor *attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(key, 1));
    return lb_attend_dot(query, key, value, NULL, NULL, 1, scale, 0);
}
