/* write attend_in_heads: wrong
 * This is the output of one head as wide as all 2. */
#include "exercises.h"

#include <math.h>

lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(query, 2));
    return lb_attend_dot(query, key, value, NULL, NULL, heads > 0 ? 1 : 0, scale, 0);
}
