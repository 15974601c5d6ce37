/* write encode: wrong
 * The function writes beyond the end: there is room for 3 numbers. */
#include "exercises.h"

#include <string.h>

static int number_of(const char *word, const char *const *vocabulary, int size)
{
    for (int id = 2; id < size; id++)
        if (strcmp(vocabulary[id], word) == 0) return id;
    return 1;
}

int encode(const char *const *word, int words, const char *const *vocabulary, int size, int *id, int length)
{
    for (int i = 0; i < (words > length ? words : length); i++)
        id[i] = i < words ? number_of(word[i], vocabulary, size) : 0;
    return words < length ? words : length;
}
