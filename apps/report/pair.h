/* One pair of a report: its texts, what the model writes for it, and where it looks. */
#ifndef APP_REPORT_PAIR_H
#define APP_REPORT_PAIR_H

#include "apply/votes.h"
#include "report/data.h"
#include "report/judged.h"
#include <lookback/translate.h>

/** What a report says about a pair. */
typedef struct app_report_pair {
    const lb_translation *text;  /* NULL: it could not be read */
    const app_answers *expected; /* NULL, or none: not known */
    int64_t nearest;             /* of them, to the best output */
    const char *error;           /* why it could not be read; NULL: it could */
    int64_t edits;               /* between the expected and the best output; -1: not known */
    bool detailed;          /* with all outputs, their weights, the likeliest symbols and self-attention */
    bool mean_of_heads;     /* weights are the mean over the heads of each layer, which takes less room */
    const app_votes *votes; /* NULL: not of a model of several */
    size_t at;              /* in the votes */
} app_report_pair;

/** Prints the pair as a JSON object. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_add_pair(app_report_data *report, lb_translator *translator,
                                          const lb_translations *all, const app_report_pair *pair,
                                          lb_error *error);

#endif
