/* An output compared with its right answers. */
#ifndef APP_REPORT_JUDGED_H
#define APP_REPORT_JUDGED_H

#include "data/symbols.h"
#include <lookback/metrics.h>
#include <lookback/translate.h>

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
                                        const char *const *texts, size_t count, lb_error *error);

void app_answers_free(app_answers *answers);

/** Judges an output. Its symbols are added to `symbols`.
 *  Memory: freed by app_judged_free, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_judge(app_judged *judged, lb_vocabulary *symbols, const lb_output *output,
                                const app_answers *answers, lb_error *error);

void app_judged_free(app_judged *judged);

#endif
