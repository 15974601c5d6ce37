/* Text as words. */
#ifndef LB_WORDS_H
#define LB_WORDS_H

#include "tensor/status.h"

#include <stdbool.h>
#include <stddef.h>

/** The words of a text, in order. */
typedef struct lb_words {
    size_t count;
    const char **word; /* [count] UTF-8, each a string */
    char *letters;     /* where they lie */
} lb_words;

/** Cuts a text, a string in UTF-8, into words: lower case, split at white space, as Python's text.lower().split() with
 *  the white space of all scripts. What is written together is one word: "good," is not "good".
 *  Memory: freed by lb_words_free, also after an error.
 *  Errors: LB_ERROR_FORMAT if the text is not UTF-8; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_words_split(const char *text, lb_words *words, lb_error *error);

/** Frees what lb_words_split made. */
void lb_words_free(lb_words *words);

/** Is there nothing but white space in a string of valid UTF-8? */
bool lb_words_none(const char *text);

#endif
