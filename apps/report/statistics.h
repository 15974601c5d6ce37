/* What a report says over all of its pairs. */
#ifndef APP_REPORT_STATISTICS_H
#define APP_REPORT_STATISTICS_H

#include "report/alignment.h"
#include "report/judged.h"

/** Pairs with a source of one length. */
typedef struct app_length_errors {
    int64_t pairs, wrong;
} app_length_errors;

/** Sums over the pairs. */
typedef struct app_report_statistics {
    lb_statistics sum; /* of pairs with an expected output */
    lb_confusions confusions;
    lb_calibration calibration;
    app_alignment alignment;
    lb_attention_statistics *head; /* [layers, heads] */
    int64_t layers, heads;
    app_length_errors *length; /* [lengths] */
    size_t lengths;
    double *map; /* [map_room]: one map of attention */
    size_t map_room;
    int64_t pairs;                /* that could be read */
    struct lb_pair_print *prints; /* [sum.outputs] of pairs with an expected output */
    size_t print_room;
} app_report_statistics;

/** Begins, for a model with so many layers and heads of attention. Memory: freed by app_report_statistics_free, also
 *  after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_statistics_init(app_report_statistics *s, int64_t layers, int64_t heads,
                                                 lb_error *error);

/** Adds a text with its outputs. `expected` may have none; otherwise `*edits` receives the edits between the best
 *  output and the nearest answer, `*nearest`. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_statistics_add(app_report_statistics *s, app_report_data *report,
                                                const lb_translations *all, const lb_translation *text,
                                                const app_answers *expected, int64_t *edits, int64_t *nearest,
                                                lb_error *error);

void app_report_statistics_free(app_report_statistics *s);

/** A model without one of its heads, on some pairs. */
typedef struct app_head_loss {
    bool known;
    double exact, symbol_error;
} app_head_loss;

/** The losses of all heads, on `pairs` pairs, and the model with all of its heads on the same pairs. */
typedef struct app_head_losses {
    const app_head_loss *head; /* [layers, heads]; NULL: not known */
    app_head_loss whole;
    int64_t pairs;
} app_head_losses;

/** Prints "statistics":{...}. */
void app_report_statistics_print(app_report_statistics *s, app_report_data *report,
                                 const app_head_losses *losses);

#endif
