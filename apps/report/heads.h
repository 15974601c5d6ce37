/* What a model loses without each of its heads. */
#ifndef APP_REPORT_HEADS_H
#define APP_REPORT_HEADS_H

#include "base/buffer.h"
#include "console/progress.h"
#include "report/statistics.h"

/** The first pairs of a report, on which heads are switched off. Zero with `most` set is empty. */
typedef struct app_report_heads {
    lb_strings sources;
    lb_strings *targets; /* [sources.count] */
    size_t most;
    app_progress progress;
    app_head_loss *loss; /* [layers, heads] */
} app_report_heads;

/** Keeps a source and its right answers, unless there are enough. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_heads_keep(app_report_heads *heads, const char *source,
                                            const lb_strings *targets, lb_error *error);

/** Measures the model on them by greedy decoding: with all heads, then without each. The result points into `heads`;
 *  its `head` is NULL if there are no pairs or no heads. Heads of custom attention stay unknown.
 *  Errors: those of decoding. */
LB_MUST_USE lb_status app_report_heads_measure(app_report_heads *heads, lb_translator *translator,
                                               app_head_losses *losses, lb_error *error);

void app_report_heads_free(app_report_heads *heads);

#endif
