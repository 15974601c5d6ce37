/* write masked_softmax: wrong
 * 1 of the 3 numbers are not written. */
#include "exercises.h"

#include <math.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double sum = 0;
    for (int i = 0; i < keys; i++) sum += mask[i] ? exp(score[i]) : 0;
    for (int i = 0; i < keys; i++)
        if (mask[i]) weight[i] = exp(score[i]) / sum;
}
