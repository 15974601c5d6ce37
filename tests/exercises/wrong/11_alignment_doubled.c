/* mend rows_of_words: wrong
 * Each word has one of the rows, unchanged. */
#include "exercises.h"

void rows_of_words(const double *weight, int words, int sources, double *looked)
{
    for (int i = 0; i < words * sources; i++) looked[i] = weight[i] + weight[i + sources];
}
