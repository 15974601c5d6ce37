/* Suggests the word that was probably meant by a misspelt one.
 *
 *     app_nearest nearest = {.word = "cuont"};
 *     status = app_nearest_try(&nearest, "count", error);
 *     ...
 *     char hint[APP_HINT];
 *     app_nearest_hint(&nearest, "", hint); " (did you mean count?)"
 */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include <lookback/base.h>

/** A search. Initialise it with the word only. */
typedef struct app_nearest {
    const char *word;
    const char *name; /* the closest so far, the first one in a tie; NULL before the first */
    int64_t distance; /* edits between the two */
} app_nearest;

/** Compares the word with a valid name, which must outlive the search. A word that is a prefix of the name counts as a
 *  single edit, and a capital as its small letter. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_nearest_try(app_nearest *nearest, const char *name, lb_error *error);

enum { APP_HINT = 80 };

/** Writes " (did you mean NAME?)", with `before` in front of the closest name, if the edits are few enough for a typo;
 *  otherwise "". Returns `hint`. */
const char *app_nearest_hint(const app_nearest *nearest, const char *before, char hint[APP_HINT]);

#endif
