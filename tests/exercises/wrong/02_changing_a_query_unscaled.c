/* write weight_changes: wrong
 * All changes are too large by the root of the width. */
#include "exercises.h"

#include <math.h>

void weight_changes(const double *weight, const double *step, const double *key, int keys, int width,
                    double *change)
{
    double mean = 0;
    for (int j = 0; j < keys; j++) {
        change[j] = 0;
        for (int i = 0; i < width; i++) change[j] += step[i] * key[j * width + i] / 1;
        mean += weight[j] * change[j];
    }
    for (int j = 0; j < keys; j++) change[j] = weight[j] * (change[j] - mean);
}
