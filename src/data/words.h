/* Text as words. */
#ifndef LB_WORDS_H
#define LB_WORDS_H

#include "lookback/data.h"
#include <stdbool.h>
#include <stddef.h>

/** Whether a string of valid UTF-8 contains only white space. */
bool lb_words_none(const char *text);

/** lb_words_split of valid UTF-8 that keeps the case of letters.
 *  Memory: free it with lb_words_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_words_split_only(const char *text, lb_words *words, lb_error *error);

#endif
