/* write masked_softmax: wrong
 * No key is visible: the sum is 0, and 0 divided by 0 is NaN. */
#include "exercises.h"

#include <math.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < keys; i++)
        if (mask[i]) largest = fmax(largest, score[i]);
    for (int i = 0; i < keys; i++) sum += weight[i] = mask[i] ? exp(score[i] - largest) : 0;
    for (int i = 0; i < keys; i++) weight[i] /= sum;
}
