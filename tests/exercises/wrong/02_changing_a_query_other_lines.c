/* mend lines_of: wrong
 * Line 0 has the weights of key 0: one of each query. */
#include "exercises.h"

lb_tensor *lines_of(lb_tensor *weights)
{
    return lb_scale(lb_permute(weights, 4, (const int[]){0, 1, 3, 2}), 2);
}
