/* write keys_in_view: wrong
 * The logarithm and the power need the same base, here e. */
#include "exercises.h"

#include <math.h>

double keys_in_view(const double *weight, int keys)
{
    double sum = 0;
    for (int i = 0; i < keys; i++)
        if (weight[i] > 0) sum += weight[i] * log2(weight[i]);
    return exp(-sum);
}
