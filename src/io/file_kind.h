/* What a file seems to be that is not what was expected: for messages that say what to type. */
#ifndef LB_FILE_KIND_H
#define LB_FILE_KIND_H

#include "lookback/base.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lb_file_kind {
    const char *name;   /* "gzip data" */
    const char *remedy; /* what to type before the name of the file; NULL: nothing helps */
    const char *after;  /* and after it; NULL: the remedy is an option, which names no file */
    bool is_text;
} lb_file_kind;

/** The kind of a file by its first `count` bytes; NULL if it is unknown. Text without a format of its own is
 *  unknown. */
const lb_file_kind *lb_file_kind_find(const void *bytes, size_t count);

/** The same, but text without a format of its own is a kind, too. */
const lb_file_kind *lb_file_kind_or_text(const void *bytes, size_t count);

enum { LB_FILE_KIND_TEXT = 320 };

/** Prints "found gzip data, expected EXPECTED; try: gunzip PATH". `pairs`: that is a file of pairs, to which another
 *  kind of text can be converted. Returns `text`. */
const char *lb_file_kind_print(const lb_file_kind *kind, const char *path, const char *expected, bool pairs,
                               char text[LB_FILE_KIND_TEXT]);

#endif
