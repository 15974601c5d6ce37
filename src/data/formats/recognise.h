/* The format of a file by its first lines. */
#ifndef LB_RECOGNISE_H
#define LB_RECOGNISE_H

#include "data/formats/pair_kind.h"

/** What the first lines say. Zero: nothing. */
typedef struct lb_recognised {
    char kind[LB_PAIR_KIND_NAME]; /* "": they look like TSV, or like nothing in particular */
    bool header;                  /* the first line has names */
    bool tabs;                    /* lines have tabs */
    int32_t source, target, features;
    int32_t unused; /* a column like one of features that has none; 0: there is no such column */
    bool fixed;     /* the format says which column is which */
    bool ambiguous; /* a table with commas could be one with semicolons, too */
    const char *between_features; /* if their column is known; a constant */
} lb_recognised;

/** Finds out the format, unless `kind` names it, and which columns are which.
 *  Text:   the first bytes of a file; `whole` is whether they are all of it.
 *  Column: `features` is that of the features, if it is given; else 0.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_ARGUMENT for an unknown name. */
LB_MUST_USE lb_status lb_recognise(const char *text, size_t length, bool whole, const char *kind,
                                   int32_t features, lb_recognised *found, lb_error *error);

/** Whether a text is a usual name of a column of sources, targets or features. */
bool lb_is_column_name(const char *text, size_t length);

#endif
