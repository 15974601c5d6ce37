/* write masked_softmax: wrong
 * A large negative number in place of a hidden score hides nothing if all keys have it. */
#include "exercises.h"

#include <math.h>

static double masked(double score, int mask)
{
    return mask ? score : -1e9;
}

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < keys; i++) largest = fmax(largest, masked(score[i], mask[i]));
    for (int i = 0; i < keys; i++) sum += weight[i] = exp(masked(score[i], mask[i]) - largest);
    for (int i = 0; i < keys; i++) weight[i] /= sum;
}
