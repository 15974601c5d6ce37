#include "exercises.h"

#include <math.h>

#if SOLVED & 1
static double slope(const double *step, const double *key, int j, int width)
{
    double sum = 0;
    for (int i = 0; i < width; i++) sum += step[i] * key[j * width + i];
    return sum / sqrt(width);
}

void weight_changes(const double *weight, const double *step, const double *key, int keys, int width,
                    double *change)
{
    double mean = 0;
    for (int j = 0; j < keys; j++) mean += weight[j] * slope(step, key, j, width);
    for (int j = 0; j < keys; j++) change[j] = weight[j] * (slope(step, key, j, width) - mean);
}
#endif

#if SOLVED & 2
lb_tensor *lines_of(lb_tensor *weights)
{
    return lb_permute(weights, 4, (const int[]){0, 1, 3, 2});
}
#endif
