/* mend mean_of_words: wrong
 * Review 0 has 0 words, and 0 divided by 0 is NaN. */
#include "exercises.h"

void mean_of_words(const double *vector, const int *words, int reviews, int length, int width, double *mean)
{
    for (int r = 0; r < reviews; r++)
        for (int c = 0; c < width; c++) {
            double sum = 0;
            int count = words[r];
            for (int i = 0; i < count; i++) sum += vector[(r * length + i) * width + c];
            mean[r * width + c] = sum / count;
        }
}
