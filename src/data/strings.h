/* A list of strings that grows. */
#ifndef LB_STRINGS_H
#define LB_STRINGS_H

#include "lookback/data.h"
#include <stddef.h>

/** Adds a string that comes from lb_alloc, and that belongs to the list from then on, also after an error: then it has
 *  been released. NULL, memory that was not to be had, is an error too. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_strings_add(lb_strings *strings, char *text, lb_error *error);

#endif
