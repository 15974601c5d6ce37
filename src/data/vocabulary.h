/* Vocabularies: symbols, such as words, and their ids. */
#ifndef LB_VOCABULARY_H
#define LB_VOCABULARY_H

#include "lookback/data.h"
#include <stddef.h>
#include <stdint.h>

/** The count of the symbol with this id; 0 if there is no such id. */
int64_t lb_vocabulary_count(const lb_vocabulary *vocabulary, int32_t id);

/** Sets the counts [size] of all symbols, by id. */
void lb_vocabulary_set_counts(lb_vocabulary *vocabulary, const int64_t *counts);

#endif
