/* One pair of a report: its right answers, what the model writes for it, how the two compare, and where it looks. In
 * the page, web/engine/report.c does the same for a text that is typed. */
#ifndef APP_REPORT_PAIR_H
#define APP_REPORT_PAIR_H

#include "apply/answer.h"
#include "base/buffer.h"
#include "data/symbols.h"
#include "report/data.h"
#include <lookback/metrics.h>
#include <lookback/translate.h>

/* ---- An output compared with its right answers. ---- */

/** The right answers for a source, at least one. */
typedef struct app_answers {
    lb_symbols *answer; /* [count] of `room` */
    size_t count, room;
} app_answers;

/** An output and its answers as ids. Zero is empty. */
typedef struct app_judged {
    lb_sequence output;
    lb_sequence *reference; /* [answers] */
    int64_t nearest;        /* the answer with the fewest edits, the first one of equals */
    lb_statistics found;    /* against it */
    int32_t *id;            /* of all of them */
} app_judged;

/** Splits the texts of right answers. Memory: freed by app_answers_free, also after an error; each call reuses that of
 *  the one before. Errors: those of lb_symbols_split. */
LB_MUST_USE lb_status app_answers_split(app_answers *answers, const lb_symbol_rule *rule,
                                        const lb_strings *texts, lb_error *error);

void app_answers_free(app_answers *answers);

/** Judges an output. Its symbols are added to `symbols`.
 *  Memory: freed by app_judged_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_judge(app_judged *judged, lb_vocabulary *symbols, const lb_output *output,
                                const app_answers *answers, lb_error *error);

void app_judged_free(app_judged *judged);

/* ---- The pair as JSON. ---- */

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
