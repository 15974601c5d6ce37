/* Text as words. */
#ifndef LB_WORDS_H
#define LB_WORDS_H

#include "lookback/base.h"

/** The words of a text, in order. */
typedef struct lb_words {
    size_t count;
    const char **word; /* [count] UTF-8 strings */
    char *letters;     /* their memory */
} lb_words;

/** Whether a string of valid UTF-8 contains only white space. */
bool lb_words_none(const char *text);

/** Splits valid UTF-8 at white space of any script, like text.split() in Python. Punctuation belongs to its word:
 *  "good," is not "good".
 *  Memory: free it with lb_words_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_words_split(const char *text, lb_words *words, lb_error *error);

void lb_words_free(lb_words *words);

#endif
