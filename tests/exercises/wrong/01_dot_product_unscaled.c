/* write attend_one: wrong
 * This is the output without the division by the root of the width. */
#include "exercises.h"

#include <math.h>

void attend_one(const double *query, const double *key, const double *value, int keys, int width, int depth,
                double *output)
{
    double weight[64], sum = 0;
    for (int j = 0; j < keys; j++) {
        double score = 0;
        for (int i = 0; i < width; i++) score += query[i] * key[j * width + i];
        weight[j] = exp(score);
        sum += weight[j];
    }
    for (int i = 0; i < depth; i++) {
        output[i] = 0;
        for (int j = 0; j < keys; j++) output[i] += weight[j] / sum * value[j * depth + i];
    }
}
