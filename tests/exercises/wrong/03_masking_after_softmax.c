/* write masked_softmax: wrong
 * The weights sum to 0.60. The mask comes before the softmax, not after it. */
#include "exercises.h"

#include <math.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double sum = 0;
    for (int i = 0; i < keys; i++) sum += exp(score[i]);
    for (int i = 0; i < keys; i++) weight[i] = mask[i] ? exp(score[i]) / sum : 0;
}
