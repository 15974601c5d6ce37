/* Exercise 11: a trained alignment. Read docs/lessons/11_alignment.md first, then work here. `./run check 11` checks
 * both parts, and `git checkout exercises/11_alignment.c` brings this file back as it was. */
#include "exercises.h"

#include <math.h>
#include <string.h>

/* Yours to write: how many Spanish words look at the English word that they translate, as a share from 0 to 1.
 *
 *   weight [batch, rows, columns], origin [batch, rows], spanish [batch], english [batch] -> right words / all words
 *
 * Sentence b has spanish[b] Spanish words, the first of the rows, and english[b] English words, the first of the
 * columns. What follows them is padding and does not count. Word i of sentence b translates English word
 * origin[b * rows + i], and looks at the English word j with the largest weight[(b * rows + i) * columns + j]. Count
 * the words of the whole batch together; there is at least one. */
double aligned_share(const double *weight, const int *origin, const int *spanish, const int *english,
                     int batch, int rows, int columns)
{
    return NAN;
}

/* To mend: where the model looked in order to write each word.
 *
 *   weight [words + 1, sources] -> looked [words, sources]
 *
 * A decoder reads LB_BOS and then the words. At each position it looks at the source, and then it writes what comes
 * next: a word, or LB_EOS after the last one. */
void rows_of_words(const double *weight, int words, int sources, double *looked)
{
    /* Position 0 reads LB_BOS, which is no word. */
    memcpy(looked, weight + sources, sizeof *looked * (size_t)(words * sources));
}
