/* Vocabularies: symbols, such as words, with their ids, and as text. */
#ifndef LB_VOCABULARY_H
#define LB_VOCABULARY_H

#include "lookback/data.h"

#include <stddef.h>
#include <stdint.h>

/** The count of the symbol with this id; 0 if there is no such id. */
int64_t lb_vocabulary_count(const lb_vocabulary *vocabulary, int32_t id);

/** Sets the counts [size] of all symbols, by id. */
void lb_vocabulary_set_counts(lb_vocabulary *vocabulary, const int64_t *counts);

/* ---- A vocabulary as text, as stored in the file of a model. ---- */

/** A JSON array of all symbols, including special ones, in the order of their ids. It does not contain counts.
 *  Memory: release it with lb_release; NULL if there is no memory. */
char *lb_vocabulary_print(const lb_vocabulary *vocabulary);

/** Reads the output of lb_vocabulary_print for a vocabulary from lb_vocabulary_new_reserved, of `most` symbols at most.
 *  Every symbol has count 1.
 *  Memory: free it with lb_vocabulary_free. NULL after an error.
 *  Errors: LB_ERROR_FORMAT if `text` is NULL or not such an array, which begins with the special symbols; if it has
 *          too many, which takes no memory; or if a symbol occurs twice, is empty or contains a tab or a line end,
 *          which no TSV file can contain; LB_ERROR_MEMORY. */
LB_MUST_USE lb_vocabulary *lb_vocabulary_parse(const char *text, int32_t most, lb_error *error);

#endif
