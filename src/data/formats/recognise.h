/* The format of a file by its first lines. */
#ifndef LB_RECOGNISE_H
#define LB_RECOGNISE_H

#include "data/formats/sample.h"

/** Finds out the format, unless one is given, and which columns are which.
 *  Text:   the first bytes of a file; `whole` is whether they are all of it. Without targets, only the first line
 *          counts, so that a pipe is read as a file is; it is a text unless it looks like a line of the usual format.
 *  Memory: free `found` with lb_recognised_free, also after an error.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_ARGUMENT for an unknown name of a format. */
LB_MUST_USE lb_status lb_recognise(const char *text, size_t length, bool whole, const lb_pair_format *format,
                                   lb_recognised *found, lb_error *error);

void lb_recognised_free(lb_recognised *found);

#endif
