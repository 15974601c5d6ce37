/* Exercise 1: the dot product and softmax. Read docs/lessons/01_dot_product.md first, then work here. `./run check 1`
 * checks both parts, and `git checkout exercises/01_dot_product.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>

/* Yours to write: the attention of one query, without the library.
 *
 *   query [width], key [keys, width], value [keys, depth] -> output [depth]
 *
 *   score_j = query . key_j / sqrt(width)
 *   weight_j = e^score_j / sum over all i of e^score_i
 *   output = sum over all j of weight_j value_j
 *
 * The arrays are flat: number i of key j is key[j * width + i], and number i of value j is value[j * depth + i]. There
 * are at most 64 keys. e^1000 is infinite in a computer: first subtract the largest score from all scores, which does
 * not change the weights. */
void attend_one(const double *query, const double *key, const double *value, int keys, int width, int depth,
                double *output)
{
}

/* To mend: softmax, in place.
 *
 *   score [queries, keys] -> the weights of each query, which sum to one */
void softmax_rows(double *score, int queries, int keys)
{
    for (int j = 0; j < keys; j++) {
        double largest = -INFINITY, sum = 0;
        for (int i = 0; i < queries; i++) largest = fmax(largest, score[i * keys + j]);
        for (int i = 0; i < queries; i++) {
            score[i * keys + j] = exp(score[i * keys + j] - largest);
            sum += score[i * keys + j];
        }
        for (int i = 0; i < queries; i++) score[i * keys + j] /= sum;
    }
}
