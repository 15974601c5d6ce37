/* write attend_in_heads: wrong
 * The scale is that of the whole width, 4. How wide is one head? */
#include "exercises.h"

#include <math.h>

lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(query, 2));
    return lb_attend_dot(query, key, value, NULL, NULL, heads, scale, 0);
}
