/* Which source symbols each target symbol is read from, over all pairs of a report. */
#ifndef APP_REPORT_ALIGNMENT_H
#define APP_REPORT_ALIGNMENT_H

#include "report/data.h"
#include <lookback/translate.h>

/** Sums of attention. Zero is empty. */
typedef struct app_alignment {
    struct app_alignment_side {
        int32_t *id;    /* [count] of symbols, in the order of their first occurrence */
        int64_t *times; /* [count] how often they occurred */
        int64_t count, capacity;
        int32_t *place; /* [known] of each id; -1: none */
        int64_t known;
    } source, target;
    double *sum; /* [target capacity, source capacity] */
    double *row; /* [row_room]: the mean weights of one step */
    size_t row_room;
} app_alignment;

/** Adds the mean over the heads of the last layer for the best output of a text. Symbols after the first 512 of a side
 *  are left out. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_alignment_add(app_alignment *alignment, app_report_data *report,
                                        const lb_translations *all, const lb_translation *text,
                                        lb_error *error);

/** Prints the matrix of the most frequent symbols, "alignment":{...}: the mean attention that an occurrence of a target
 *  symbol gives to all occurrences of a source symbol together. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_alignment_print(const app_alignment *alignment, app_report_data *report,
                                          lb_error *error);

void app_alignment_free(app_alignment *alignment);

#endif
