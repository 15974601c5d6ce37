/* A vocabulary as text: how a model's file says which symbols its numbers stand for. */
#ifndef LB_VOCABULARY_JSON_H
#define LB_VOCABULARY_JSON_H

#include "data/vocabulary.h"

/** A JSON array of all symbols, special ones too: each stands where its id says, 0 first. How often they have been
 *  counted is not in it.
 *  Memory: to be released with lb_release; NULL if there is none. */
char *lb_vocabulary_print(const lb_vocabulary *vocabulary);

/** Reads what lb_vocabulary_print wrote of a vocabulary that lb_vocabulary_new_reserved made. Every symbol counts once.
 *  Memory: freed by lb_vocabulary_free. NULL after an error.
 *  Errors: LB_ERROR_FORMAT if it is no such array, which begins with the special symbols, or if a symbol is there
 *          twice, is empty or has a tab or the end of a line, which no line of a TSV file could give; LB_ERROR_MEMORY.
 *          `text` may be NULL, which is none. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_parse(const char *text, lb_error *error);

#endif
