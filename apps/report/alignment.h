/* Which source symbols each target symbol is read from, over all pairs of a report. */
#ifndef APP_REPORT_ALIGNMENT_H
#define APP_REPORT_ALIGNMENT_H

#include "report/data.h"
#include <lookback/translate.h>

/** The most symbols of a side. */
enum { APP_ALIGNED = 512 };

/** Sums of attention. Zero is empty. */
typedef struct app_alignment {
    struct app_alignment_side {
        int32_t id[APP_ALIGNED];    /* [count] of symbols, in the order of their first occurrence */
        int64_t times[APP_ALIGNED]; /* [count] how often they occurred */
        int64_t count;
        int32_t *place; /* [known] of each id; -1: none */
        size_t known;
    } source, target;
    double *sum; /* [APP_ALIGNED, APP_ALIGNED] by target and source */
} app_alignment;

/** Adds the mean over the heads of the last layer for the best output of a text. Further symbols of a side
 *  are left out. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_alignment_add(app_alignment *alignment, app_report_data *report,
                                        const lb_translations *all, const lb_translation *text,
                                        lb_error *error);

/** Prints the matrix of the most frequent symbols, "alignment":{...}: the mean attention that an occurrence of a target
 *  symbol gives to all occurrences of a source symbol together. */
void app_alignment_print(const app_alignment *alignment, app_report_data *report);

void app_alignment_free(app_alignment *alignment);

#endif
