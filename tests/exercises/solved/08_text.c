#include "exercises.h"

#include <string.h>

#if SOLVED & 1
static int number_of(const char *word, const char *const *vocabulary, int size)
{
    for (int id = 2; id < size; id++)
        if (strcmp(vocabulary[id], word) == 0) return id;
    return 1;
}

int encode(const char *const *word, int words, const char *const *vocabulary, int size, int *id, int length)
{
    for (int i = 0; i < length; i++) id[i] = i < words ? number_of(word[i], vocabulary, size) : 0;
    return words < length ? words : length;
}
#endif

#if SOLVED & 2
void mean_of_words(const double *vector, const int *words, int reviews, int length, int width, double *mean)
{
    for (int r = 0; r < reviews; r++)
        for (int c = 0; c < width; c++) {
            double sum = 0;
            for (int i = 0; i < words[r]; i++) sum += vector[(r * length + i) * width + c];
            mean[r * width + c] = words[r] ? sum / words[r] : 0;
        }
}
#endif
