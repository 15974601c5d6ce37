/* write attend_in_heads: wrong
 * found     [1,4,2] */
#include "exercises.h"

#include <math.h>

lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads)
{
    int64_t width = lb_dim(query, 2) / heads;
    lb_tensor *outputs[8];
    for (int h = 0; h < heads; h++)
        outputs[h] =
            lb_attend_dot(lb_slice(query, 2, h * width, width), lb_slice(key, 2, h * width, width),
                          lb_slice(value, 2, h * width, width), NULL, NULL, 1, 1 / sqrtf((float)width), 0);
    return lb_concat(outputs, heads, 1);
}
