/* mend attend_scaled: wrong
 * The scores are divided by the width: they become too small, and the weights even. */
#include "exercises.h"

lb_tensor *attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value)
{
    return lb_attend_dot(query, key, value, NULL, NULL, 1, 1 / (lb_real)lb_dim(key, 2), 0);
}
