/* write keys_in_view: wrong
 * H is minus the sum: the logarithm of a weight is negative. */
#include "exercises.h"

#include <math.h>

double keys_in_view(const double *weight, int keys)
{
    double sum = 0;
    for (int i = 0; i < keys; i++)
        if (weight[i] > 0) sum += weight[i] * log(weight[i]);
    return exp(sum);
}
