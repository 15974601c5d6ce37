/* Bytes that are compressed as they come. */
#ifndef APP_PACK_H
#define APP_PACK_H

#include <lookback/base.h>

#include <zlib.h>

/** A stream of zlib, RFC 1950, in memory. */
typedef struct app_pack {
    z_stream stream;
    unsigned char *bytes; /* [count] compressed */
    size_t count, capacity;
    size_t added; /* bytes before compression */
    bool open, failed;
} app_pack;

/** Sets LB_ERROR_MEMORY, and returns it, for all that makes a report. */
lb_status app_report_no_memory(lb_error *error);

/** Begins. Memory: freed by app_pack_close, also after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status app_pack_open(app_pack *pack, lb_error *error);

/** Adds bytes. If memory runs out, `failed` is set and stays set. */
void app_pack_add(app_pack *pack, const void *bytes, size_t count);

/** Ends the stream: `bytes` is then complete. Errors: LB_ERROR_MEMORY, also of an earlier addition. */
LB_MUST_USE lb_status app_pack_finish(app_pack *pack, lb_error *error);

void app_pack_close(app_pack *pack);

#endif
