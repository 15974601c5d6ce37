/* Text as words. */
#ifndef LB_WORDS_H
#define LB_WORDS_H

#include "lookback/data.h"
#include <stdbool.h>
#include <stddef.h>

/** Is there nothing but white space in a string of valid UTF-8? */
bool lb_words_none(const char *text);

#endif
