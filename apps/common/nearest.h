/* The word that was probably meant by a misspelt one.
 *
 *     app_nearest nearest = {.word = "cuont"};
 *     status = app_nearest_try(&nearest, "count", error);
 *     ...
 *     const char *name = app_nearest_likely(&nearest);
 */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include <lookback/base.h>

/** A search. Begins with the word alone. */
typedef struct app_nearest {
    const char *word;
    const char *name; /* the closest so far, of equals the first; NULL before the first */
    int64_t distance; /* edits between the two */
} app_nearest;

/** Compares the word with a name that is valid in its place; `name` must outlive the search. A word of one letter or
 *  more that the name begins with counts as a single edit. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_nearest_try(app_nearest *nearest, const char *name, lb_error *error);

/** The closest name if so few edits may be a slip of the fingers, otherwise NULL. */
const char *app_nearest_likely(const app_nearest *nearest);

#endif
