#include "exercises.h"

#include <math.h>

enum { MOST_HEADS = 8 };

#if SOLVED & 1
lb_tensor *attend_in_heads(lb_tensor *query, lb_tensor *key, lb_tensor *value, int heads)
{
    int64_t width = lb_dim(query, 2) / heads;
    lb_tensor *outputs[MOST_HEADS];
    for (int h = 0; h < heads; h++)
        outputs[h] =
            lb_attend_dot(lb_slice(query, 2, h * width, width), lb_slice(key, 2, h * width, width),
                          lb_slice(value, 2, h * width, width), NULL, NULL, 1, 1 / sqrtf((float)width), 0);
    return lb_concat(outputs, heads, 2);
}
#endif

#if SOLVED & 2
lb_tensor *split_heads(lb_tensor *x, int heads)
{
    int64_t batch = lb_dim(x, 0), length = lb_dim(x, 1), width = lb_dim(x, 2) / heads;
    return lb_permute(lb_reshape(x, LB_SHAPE(batch, length, heads, width)), 4, (const int[]){0, 2, 1, 3});
}
#endif
