/* mend attend_padded: does not end within 1 s
 * 1 s */
#include "exercises.h"

lb_tensor *attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, const int32_t *lengths)
{
    volatile int64_t i = 0;
    while (i < lb_dim(key, 1)) (void)lengths; /* i is not raised */
    return lb_attend_dot(query, key, value, NULL, NULL, 1, 1, 0);
}
