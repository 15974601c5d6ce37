/* write aligned_share: wrong
 * 2 of 2 words are right. */
#include "exercises.h"

double aligned_share(const double *weight, const int *origin, const int *spanish, const int *english,
                     int batch, int rows, int columns)
{
    double right = 0, words = 0;
    for (int b = 0; b < batch; b++) {
        int most = spanish[b];
        double own = 0;
        for (int i = 0; i < most; i++) {
            int best = 0, row = b * rows + i;
            for (int j = 1; j < english[b]; j++)
                if (weight[row * columns + j] > weight[row * columns + best]) best = j;
            own += best == origin[row];
        }
        right += most - own;
        words += most;
    }
    return right / words;
}
