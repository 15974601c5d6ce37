/* write pair_scores: wrong
 * The scores are not divided by the root of the width. */
#include "exercises.h"

void pair_scores(const double *last, const double *seen, const double *w_q, const double *w_k, int rows,
                 int columns, int width, double *score)
{
    for (int n = 0; n < rows * columns; n++) {
        double sum = 0;
        for (int i = 0; i < width; i++) {
            double query = 0, key = 0;
            for (int j = 0; j < width; j++) {
                query += w_q[i * width + j] * last[n / columns * width + j];
                key += w_k[i * width + j] * seen[n % columns * width + j];
            }
            sum += query * key;
        }
        score[n] = sum;
    }
}
