/* write weight_changes: wrong
 * but the weights sum to one before and after. What is missing? */
#include "exercises.h"

#include <math.h>

void weight_changes(const double *weight, const double *step, const double *key, int keys, int width,
                    double *change)
{
    double mean = 0;
    for (int j = 0; j < keys; j++) {
        change[j] = 0;
        for (int i = 0; i < width; i++) change[j] += step[i] * key[j * width + i] / sqrt(width);
        mean += weight[j] * change[j];
    }
    for (int j = 0; j < keys; j++) change[j] = weight[j] * (change[j] - 0 * mean);
}
