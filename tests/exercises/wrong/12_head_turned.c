/* write pair_scores: wrong
 * This is x W: the numbers of a query are sums over the rows of W_q, w_q[i * width + j] x[j]. */
#include "exercises.h"

#include <math.h>

void pair_scores(const double *last, const double *seen, const double *w_q, const double *w_k, int rows,
                 int columns, int width, double *score)
{
    for (int n = 0; n < rows * columns; n++) {
        double sum = 0;
        for (int i = 0; i < width; i++) {
            double query = 0, key = 0;
            for (int j = 0; j < width; j++) {
                query += w_q[j * width + i] * last[n / columns * width + j];
                key += w_k[j * width + i] * seen[n % columns * width + j];
            }
            sum += query * key;
        }
        score[n] = sum / sqrt(width);
    }
}
