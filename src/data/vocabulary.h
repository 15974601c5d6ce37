/* Symbols, such as words, and the numbers that stand for them. */
#ifndef LB_VOCABULARY_H
#define LB_VOCABULARY_H

#include "lookback/data.h"
#include <stddef.h>
#include <stdint.h>

/** How often the symbol of an id has been counted; 0 of an id that it does not have. */
int64_t lb_vocabulary_count(const lb_vocabulary *vocabulary, int32_t id);

#endif
