/* The bytes of a descriptor, or what is in them if they are gzip data. */
#ifndef LB_PLAIN_READER_H
#define LB_PLAIN_READER_H

#include "lookback/base.h"

#include <stdbool.h>
#include <sys/types.h>

/** The bytes with which gzip data begin. Source: RFC 1952. */
enum { LB_GZIP_FIRST = 0x1F, LB_GZIP_SECOND = 0x8B, LB_GZIP_MAGIC = 2 };

/** Whether bytes begin so. */
static inline bool lb_begins_gzip(const void *bytes, size_t count)
{
    const unsigned char *first = bytes;
    return count >= LB_GZIP_MAGIC && first[0] == LB_GZIP_FIRST && first[1] == LB_GZIP_SECOND;
}

typedef struct lb_plain_reader lb_plain_reader;

/** Begins with `count` bytes that have been read, and goes on at the place of a descriptor, which stays open. `name` is
 *  for messages and must outlive the reader.
 *  Memory: free it with lb_plain_reader_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_plain_reader *lb_plain_reader_new(int descriptor, const char *first, size_t count,
                                                 const char *name, lb_error *error);

/** Reads up to `room` bytes. Returns how many; 0 at the end; -1 after an error.
 *  Gzip: several pieces of it may follow each other, and zeros may fill up the last block.
 *  Errors: LB_ERROR_OPEN; LB_ERROR_FORMAT if gzip data are damaged, or something else is behind them;
 *          LB_ERROR_MEMORY. */
ssize_t lb_plain_reader_read(lb_plain_reader *reader, char *to, size_t room, lb_error *error);

/** Whether gzip data have been read. */
bool lb_plain_reader_unpacks(const lb_plain_reader *reader);

void lb_plain_reader_free(lb_plain_reader *reader);

#endif
