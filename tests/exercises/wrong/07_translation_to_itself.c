/* mend attend_across: wrong
 * There is one query for each target word. Each key belongs to one value. */
#include "exercises.h"

#include <math.h>

lb_tensor *attend_across(lb_tensor *target, lb_tensor *source)
{
    lb_real scale = 1 / sqrtf((float)lb_dim(source, 2));
    return lb_attend_dot(target, target, target, NULL, NULL, 1, scale, 0);
}
