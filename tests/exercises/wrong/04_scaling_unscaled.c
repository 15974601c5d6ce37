/* mend attend_scaled: wrong
 * The scores are not divided: their variance grows with the width. */
#include "exercises.h"

lb_tensor *attend_scaled(lb_tensor *query, lb_tensor *key, lb_tensor *value)
{
    return lb_attend_dot(query, key, value, NULL, NULL, 1, 1, 0);
}
