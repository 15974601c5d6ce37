/* write keys_in_view: wrong
 * NaN: ln(0) is minus infinity, and 0 times that is NaN. Leave keys of weight 0 out. */
#include "exercises.h"

#include <math.h>

double keys_in_view(const double *weight, int keys)
{
    double sum = 0;
    for (int i = 0; i < keys; i++)
        if (weight[i] >= 0) sum += weight[i] * log(weight[i]);
    return exp(-sum);
}
