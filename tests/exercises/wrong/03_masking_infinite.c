/* write masked_softmax: wrong
 * NaN: is a sum 0 or infinite? Subtract the largest of the visible scores, of no others. */
#include "exercises.h"

#include <math.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double sum = 0;
    for (int i = 0; i < keys; i++) sum += weight[i] = mask[i] ? exp(score[i]) : 0;
    for (int i = 0; i < keys; i++) weight[i] /= sum;
}
