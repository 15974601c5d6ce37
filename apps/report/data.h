/* The data of a report while they are gathered: a JSON object and a blob of weights, compressed as they come, and the
 * page that they go into. docs/report.md has their form. */
#ifndef APP_REPORT_DATA_H
#define APP_REPORT_DATA_H

#include "base/buffer.h"
#include "io/file.h"
#include <lookback/data.h>
#include <lookback/tensor.h>

#include <zlib.h>

/** Sets LB_ERROR_MEMORY, and returns it, for all that makes a report. */
lb_status app_report_no_memory(lb_error *error);

/* ---- Bytes that are compressed as they come. ---- */

/** A stream of zlib, RFC 1950, in memory. */
typedef struct app_pack {
    z_stream stream;
    lb_buffer packed; /* compressed bytes; `failed` if memory runs out */
    size_t added;     /* bytes before compression */
} app_pack;

/** Begins. Memory: freed by app_pack_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pack_open(app_pack *pack, lb_error *error);

/** Adds bytes. */
void app_pack_add(app_pack *pack, const void *bytes, size_t count);

/** Ends the stream: `packed` is then complete. Errors: LB_ERROR_MEMORY, also of an earlier addition. */
LB_MUST_USE lb_status app_pack_finish(app_pack *pack, lb_error *error);

void app_pack_close(app_pack *pack);

/* ---- JSON and weights. ---- */

/** The data so far. `json` is the text that is not compressed yet. */
typedef struct app_report_data {
    lb_buffer json;
    app_pack data, blob;
    lb_vocabulary *symbols; /* all texts of symbols; a symbol in the data is its id here */
    unsigned char *byte;    /* [byte_room] of the weights added last */
    size_t byte_room;
    bool failed;                   /* memory has run out */
    const struct lb_criterion *by; /* what the model was chosen by */
} app_report_data;

/** Begins. Memory: freed by app_report_data_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_report_data_open(app_report_data *report, lb_error *error);
void app_report_data_close(app_report_data *report);

/** Passes the text of `json` on, but for its last byte, which tells whether a comma follows. Call it now and then, so
 *  that the text stays short. */
void app_report_flush(app_report_data *report);

/** The id of a symbol, which is added if it is new. If memory runs out, it is LB_UNK, and `failed` is set. */
int32_t app_report_id(app_report_data *report, const char *symbol);

/** Prints the ids of symbols, "key":[1,2,3]. */
void app_report_symbols(app_report_data *report, const char *key, const char *const *symbols, size_t count);

/** Adds weights from 0 to 1 to the blob, a byte each, and returns their offset: attention [layers, heads, cells], or,
 *  with `mean`, the mean over the heads of each layer. */
size_t app_report_weights(app_report_data *report, const lb_real *weight, int64_t layers, int64_t heads,
                          size_t cells, bool mean);
size_t app_report_numbers(app_report_data *report, const double *weight, size_t count);
size_t app_report_bytes(app_report_data *report, const unsigned char *byte, size_t count);

/** Adds log-probabilities that are lost to the blob, a byte each, and prints "key":{"most":2.5,"values":offset}; null
 *  if there are none. Byte b stands for (b - 128) / 127 of `most`, the size of the largest; beyond 20 it is 20. */
void app_report_lost(app_report_data *report, const char *key, const lb_real *lost, size_t count);

/** Ends the JSON object with the table of all symbols, and both streams. Errors: LB_ERROR_MEMORY, also of earlier
 *  calls. */
LB_MUST_USE lb_status app_report_data_finish(app_report_data *report, lb_error *error);

/* ---- page.c: the template that is built into the program, web/report/ in one file, with data in it. ---- */

/** Writes the page with its finished streams as base64. With a `model`, it also has the `engine`, the HTML of
 *  app_page_engine_read; NULL: neither. Errors: those of lb_file_write_parts; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_page_write(const char *path, const app_report_data *report, const app_pack *model,
                                     lb_bytes engine, lb_error *error);

/** Reads the engine of a page: the library as WebAssembly, of `./run playground`.
 *  Memory: `*html` is the caller's, to be given to lb_release; NULL after an error.
 *  Errors: LB_ERROR_FORMAT if the file is something else; those of lb_file_read. */
LB_MUST_USE lb_status app_page_engine_read(const char *path, void **html, size_t *count, lb_error *error);

#endif
