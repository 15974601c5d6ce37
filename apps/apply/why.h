/* Whether attention looks where the output depends: attention beside erasure, over the pairs of a file. */
#ifndef APP_WHY_H
#define APP_WHY_H

#include "base/buffer.h"
#include "metrics/measures.h"
#include <lookback/translate.h>

/** The pairs so far. Zero is empty. */
typedef struct app_why {
    /* [pairs, rows] agreement with erasure: of the mean of the heads of the last layer, which is what a user sees; of
     * each head, if there are several; of uniform weights; of the mean of the last pair before whose source is as long,
     * in the steps that both have. Not a number: there is none. */
    lb_agreement *found;
    int64_t pairs, rows, heads;     /* heads: of a layer */
    struct app_why_weights *before; /* [lengths] the mean of the last pair with a source of that length */
    double *column;                 /* [pairs] of a measure of a row */
    size_t room, lengths, column_room;
} app_why;

/** Adds the best output of a text, if it has attention and erasure: a source of one symbol has none.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_why_add(app_why *why, const lb_translations *all, const lb_translation *text,
                                  lb_error *error);

/** Prints the value "why" of a JSON object, as docs/report.md has it, or three lines: the mean of the heads, with the
 *  best of them, and the controls; nothing without pairs. */
void app_why_json(const app_why *why, lb_buffer *json);
void app_why_print(const app_why *why);
void app_why_free(app_why *why);

#endif
