#include "exercises.h"

#include <math.h>

#if SOLVED & 1
void attend_one(const double *query, const double *key, const double *value, int keys, int width, int depth,
                double *output)
{
    double weight[64], largest = -INFINITY, sum = 0;
    for (int j = 0; j < keys; j++) {
        weight[j] = 0;
        for (int i = 0; i < width; i++) weight[j] += query[i] * key[j * width + i] / sqrt(width);
        largest = fmax(largest, weight[j]);
    }
    for (int j = 0; j < keys; j++) {
        weight[j] = exp(weight[j] - largest);
        sum += weight[j];
    }
    for (int i = 0; i < depth; i++) {
        output[i] = 0;
        for (int j = 0; j < keys; j++) output[i] += weight[j] / sum * value[j * depth + i];
    }
}
#endif

#if SOLVED & 2
void softmax_rows(double *score, int queries, int keys)
{
    for (int i = 0; i < queries; i++) {
        double largest = -INFINITY, sum = 0;
        for (int j = 0; j < keys; j++) largest = fmax(largest, score[i * keys + j]);
        for (int j = 0; j < keys; j++) {
            score[i * keys + j] = exp(score[i * keys + j] - largest);
            sum += score[i * keys + j];
        }
        for (int j = 0; j < keys; j++) score[i * keys + j] /= sum;
    }
}
#endif
