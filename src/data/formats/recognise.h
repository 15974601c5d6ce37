/* The format of a file by its first lines. */
#ifndef LB_RECOGNISE_H
#define LB_RECOGNISE_H

#include "data/formats/pair_kind.h"

/** What the first lines say. Zero: nothing. */
typedef struct lb_recognised {
    char kind[LB_PAIR_KIND_NAME];     /* the format, without a header; "": TSV, or nothing in particular */
    bool recognised;                  /* the lines say so; otherwise it is the usual one */
    bool header;                      /* the first line has names */
    bool by_name;                     /* the columns have the names of the usual ones */
    int32_t source, target, features; /* 0: not found */
    const char *between_features;     /* if features are known; a constant */
    bool by_content;                  /* the features were found by what they look like, without names */
    lb_fields names;                  /* of all columns; none: there are none */
    int columns;                      /* of the first line */
} lb_recognised;

/** Finds out the format, unless one is given, and which columns are which.
 *  Text:   the first bytes of a file; `whole` is whether they are all of it. Without targets, only the first line
 *          counts, so that a pipe is read as a file is; it is a text unless it looks like a line of the usual format.
 *  Memory: free `found` with lb_recognised_free, also after an error.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_ARGUMENT for an unknown name of a format. */
LB_MUST_USE lb_status lb_recognise(const char *text, size_t length, bool whole, const lb_pair_format *format,
                                   lb_recognised *found, lb_error *error);

void lb_recognised_free(lb_recognised *found);

/** Whether two names of formats are the same but for a header; "" is "tsv". */
bool lb_is_same_kind(const char *a, const char *b);

/** Whether a text is a usual name of a column of counts or weights. */
bool lb_is_weight_name(const char *text, size_t length);

/** Whether a text is a usual name of a column of sources, targets or features. */
bool lb_is_column_name(const char *text, size_t length);

#endif
