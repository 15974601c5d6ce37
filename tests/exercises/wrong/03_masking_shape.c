/* mend attend_padded: wrong
 * found     [1,3,3] */
#include "exercises.h"

#include <math.h>

lb_tensor *attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, const int32_t *lengths)
{
    (void)value, (void)lengths;
    return lb_softmax(lb_matmul_transposed(query, false, key, true));
}
