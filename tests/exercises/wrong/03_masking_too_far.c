/* write masked_softmax: wrong
 * The function writes beyond the end: there is room for 3 numbers. */
#include "exercises.h"

#include <math.h>

void masked_softmax(const double *score, const int *mask, int keys, double *weight)
{
    double sum = 0;
    for (int i = 0; i <= keys; i++) weight[i] = 0;
    for (int i = 0; i < keys; i++) sum += weight[i] = mask[i] ? exp(score[i]) : 0;
    for (int i = 0; i < keys; i++) weight[i] /= sum;
}
