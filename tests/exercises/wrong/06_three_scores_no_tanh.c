/* write additive_score: wrong
 * This is the score without tanh. */
#include "exercises.h"

double additive_score(const double *query, const double *key, const double *w_q, const double *w_k,
                      const double *v, int size, int width)
{
    double score = 0;
    for (int r = 0; r < width; r++) {
        double sum = 0;
        for (int i = 0; i < size; i++) sum += w_q[r * size + i] * query[i] + w_k[r * size + i] * key[i];
        score += v[r] * sum;
    }
    return score;
}
