/* A growing list of strings. */
#ifndef LB_STRINGS_H
#define LB_STRINGS_H

#include "lookback/data.h"
#include <stddef.h>

/** Adds a string from lb_alloc. The list takes ownership; after an error the string has been released. NULL, a failed
 *  allocation, is an error, too. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error);

#endif
