/* Exercise 8: text. Read docs/lessons/08_text.md first, then work here. `./run check 8` checks both parts, and
 * `git checkout exercises/08_text.c` brings this file back as it was. */
#include "exercises.h"

#include <string.h>

enum { PAD = 0, UNK = 1 };

/* Yours to write: the words of a review as numbers.
 *
 *   word [words], vocabulary [size] -> id [length]
 *
 * The number of a word is its place in the vocabulary, in which 0 is "<pad>" and 1 is "<unk>". A word that is not there
 * gets UNK. A review of more than `length` words is cut, and a shorter one is filled up with PAD. Returns how many of
 * the ids belong to words. */
int encode(const char *const *word, int words, const char *const *vocabulary, int size, int *id, int length)
{
    return -1;
}

/* To mend: one vector for each review, the mean of the vectors of its words.
 *
 *   vector [reviews, length, width], words [reviews] -> mean [reviews, width]
 *
 * Review r has words[r] words; the vectors after them belong to its padding. A review without words gets zeros. */
void mean_of_words(const double *vector, const int *words, int reviews, int length, int width, double *mean)
{
    for (int r = 0; r < reviews; r++)
        for (int c = 0; c < width; c++) {
            double sum = 0;
            for (int i = 0; i < words[r]; i++) sum += vector[(r * length + i) * width + c];
            mean[r * width + c] = sum / length;
        }
}
