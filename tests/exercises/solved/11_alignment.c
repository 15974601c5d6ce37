#include "exercises.h"

#include <string.h>

#if SOLVED & 1
double aligned_share(const double *weight, const int *origin, const int *spanish, const int *english,
                     int batch, int rows, int columns)
{
    int right = 0, words = 0;
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < spanish[b]; i++) {
            int best = 0, row = b * rows + i;
            for (int j = 1; j < english[b]; j++)
                if (weight[row * columns + j] > weight[row * columns + best]) best = j;
            right += best == origin[row];
            words++;
        }
    return (double)right / words;
}
#endif

#if SOLVED & 2
void rows_of_words(const double *weight, int words, int sources, double *looked)
{
    memcpy(looked, weight, sizeof *looked * (size_t)(words * sources));
}
#endif
