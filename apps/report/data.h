/* The data of a report while they are gathered: a JSON object and a blob of weights, compressed as they come.
 * docs/report.md has their form. */
#ifndef APP_REPORT_DATA_H
#define APP_REPORT_DATA_H

#include "base/buffer.h"
#include "report/pack.h"
#include <lookback/data.h>
#include <lookback/tensor.h>

/** The data so far. `json` is the text that is not compressed yet. */
typedef struct app_report_data {
    lb_buffer json;
    app_pack data, blob;
    lb_vocabulary *symbols; /* all texts of symbols; a symbol in the data is its id here */
    int32_t *id;            /* [room] of the symbols printed last */
    unsigned char *byte;    /* [byte_room] of the weights added last */
    size_t room, byte_room;
    bool failed; /* memory has run out */
} app_report_data;

/** Begins. Memory: freed by app_report_data_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_data_open(app_report_data *report, lb_error *error);
void app_report_data_close(app_report_data *report);

/** Passes the text of `json` on, but for its last byte, which tells whether a comma follows. Call it now and then, so
 *  that the text stays short. */
void app_report_flush(app_report_data *report);

/** The ids of some symbols, which are added if they are new; NULL if memory runs out. They live until the next call. */
const int32_t *app_report_ids(app_report_data *report, const char *const *symbols, size_t count);

/** Prints "key":[1,2,3]. */
void app_report_symbols(app_report_data *report, const char *key, const char *const *symbols, size_t count);

/** Adds weights from 0 to 1 to the blob, a byte each, and returns their offset: attention [layers, heads, cells], or,
 *  with `mean`, the mean over the heads of each layer. */
size_t app_report_weights(app_report_data *report, const lb_real *weight, int64_t layers, int64_t heads,
                          size_t cells, bool mean);
size_t app_report_numbers(app_report_data *report, const double *weight, size_t count);
size_t app_report_bytes(app_report_data *report, const unsigned char *byte, size_t count);

/** Ends the JSON object with the table of all symbols, and both streams. Errors: LB_ERROR_MEMORY, also of earlier
 *  calls. */
LB_MUST_USE lb_status app_report_data_finish(app_report_data *report, lb_error *error);

#endif
