/* mend attend_padded: wrong
 * lb_matmul: */
#include "exercises.h"

lb_tensor *attend_padded(lb_tensor *query, lb_tensor *key, lb_tensor *value, const int32_t *lengths)
{
    (void)value, (void)lengths;
    return lb_matmul(query, key);
}
