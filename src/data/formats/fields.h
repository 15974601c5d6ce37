/* The fields of a line, whatever divides them. */
#ifndef LB_FIELDS_H
#define LB_FIELDS_H

#include "base/buffer.h"

#include <string.h>

enum {
    LB_PAIR_LINE_MARK = 3, /* bytes of a byte order mark */
    LB_FIELDS_MOST = 256,
    LB_FIELDS_OR = '\x1F', /* within a field, between several right answers */
    LB_FIELDS_NOT = '\x1E' /* in front of what is there instead of a text in JSON, such as null */
};

/** A text that is no string. */
typedef struct lb_span {
    const char *text;
    size_t length;
} lb_span;

/** Whether the first line of a file begins with a byte order mark. */
static inline bool lb_pair_line_has_mark(const char *text, size_t length)
{
    return length >= LB_PAIR_LINE_MARK && memcmp(text, "\xEF\xBB\xBF", LB_PAIR_LINE_MARK) == 0;
}

/** Zero has none. Memory: release `text.text` with lb_release. */
typedef struct lb_fields {
    lb_buffer text;             /* the fields, one after the other */
    size_t end[LB_FIELDS_MOST]; /* [count] of each in the text */
    int count;
} lb_fields;

/** A field. Not a string: it has `*length` bytes. */
static inline const char *lb_field(const lb_fields *fields, int number, size_t *length)
{
    size_t first = number > 0 ? fields->end[number - 1] : 0;
    *length = fields->end[number] - first;
    return fields->text.text ? fields->text.text + first : "";
}

/** Ends the field that has been added to the text. What is too much is left out. */
static inline void lb_fields_end(lb_fields *fields)
{
    if (fields->count < LB_FIELDS_MOST) fields->end[fields->count++] = fields->text.length;
}

/** Adds a field. */
static inline void lb_fields_add(lb_fields *fields, const char *text, size_t length)
{
    lb_buffer_add(&fields->text, text, length);
    lb_fields_end(fields);
}

static inline void lb_fields_clear(lb_fields *fields)
{
    fields->text.length = 0;
    fields->count = 0;
}

#endif
