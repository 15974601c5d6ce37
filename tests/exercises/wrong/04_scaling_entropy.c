/* write keys_in_view: wrong
 * This is H. What is asked is e^H. */
#include "exercises.h"

#include <math.h>

double keys_in_view(const double *weight, int keys)
{
    double sum = 0;
    for (int i = 0; i < keys; i++)
        if (weight[i] > 0) sum += weight[i] * log(weight[i]);
    return -sum;
}
