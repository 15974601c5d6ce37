/* mend mean_of_words: wrong
 * These are the means of all 3 vectors of each review, with those of the padding. */
#include "exercises.h"

void mean_of_words(const double *vector, const int *words, int reviews, int length, int width, double *mean)
{
    for (int r = 0; r < reviews; r++)
        for (int c = 0; c < width; c++) {
            double sum = 0;
            int count = words[r] > length ? words[r] : length;
            for (int i = 0; i < count; i++) sum += vector[(r * length + i) * width + c];
            mean[r * width + c] = sum / count;
        }
}
