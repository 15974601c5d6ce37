/* A growing list of strings. */
#ifndef LB_STRINGS_H
#define LB_STRINGS_H

#include "lookback/base.h"

/** A list of strings. Zero is an empty list. */
typedef struct lb_strings {
    size_t count, capacity;
    char **text; /* [count] */
} lb_strings;

/** Adds a string from lb_alloc. The list takes ownership; after an error the string has been released. NULL, a failed
 *  allocation, is an error, too. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error);

void lb_strings_free(lb_strings *strings);

#endif
