/* The formats of files of pairs, by their names, and how they divide a line into fields and a text into pieces. */
#ifndef LB_PAIR_KIND_H
#define LB_PAIR_KIND_H

#include "base/buffer.h"
#include "base/bytes.h"
#include "lookback/data.h"

#include <assert.h>

enum {
    LB_FIELDS_MOST = 256,
    LB_BAD_LINE_WHY = 256, /* bytes of what is wrong in a line */
    LB_FIELDS_OR = '\x1F', /* within a field, between several right answers */
    LB_FIELDS_NOT = '\x1E' /* in front of what is there instead of a text in JSON, such as null */
};

/** The fields of a line, whatever divides them. A struct of zeros has none.
 *  Memory: release `text.text` with lb_release. */
typedef struct lb_fields {
    lb_buffer text;             /* the fields, one after the other */
    size_t end[LB_FIELDS_MOST]; /* [count] of each in the text */
    int count;
} lb_fields;

/** A field, by its number from 0. */
static inline lb_span lb_field(const lb_fields *fields, int number)
{
    assert(number >= 0 && number < fields->count);
    size_t first = number > 0 ? fields->end[number - 1] : 0;
    return (lb_span){fields->text.text ? fields->text.text + first : "", fields->end[number] - first};
}

/** Ends the field that has been added to the text. What is too much is left out. */
static inline void lb_fields_end(lb_fields *fields)
{
    if (fields->count < LB_FIELDS_MOST) fields->end[fields->count++] = fields->text.length;
}

static inline void lb_fields_add(lb_fields *fields, lb_span field)
{
    lb_buffer_add(&fields->text, field.text, field.length);
    lb_fields_end(fields);
}

static inline void lb_fields_clear(lb_fields *fields)
{
    fields->text.length = 0;
    fields->count = 0;
}

/** The columns that a format asks for, and the same the other way round. */
static inline lb_pair_columns lb_pair_columns_asked(const lb_pair_format *f)
{
    return (lb_pair_columns){
        .source = f->source_column, .target = f->target_column, .features = f->features_column};
}
static inline void lb_pair_columns_ask(lb_pair_format *f, lb_pair_columns c)
{
    f->source_column = c.source;
    f->target_column = c.target;
    f->features_column = c.features;
}

/** Behind the name of a format whose first line has names. */
#define LB_PAIR_KIND_HEADER "+header"

/** What a line is. */
typedef enum lb_pair_line_is {
    LB_LINE_IS_FIELDS,
    LB_LINE_IS_OPEN,    /* a quoted field goes on in the next line */
    LB_LINE_IS_COMMENT, /* nothing to read */
    LB_LINE_IS_ASIDE,   /* the same, but no comment: what other lines have, too */
    LB_LINE_IS_STRAY,   /* fields, but there is text behind the end of a quoted one */
    LB_LINE_IS_BAD      /* not of this format: lb_pair_kind.why says why */
} lb_pair_line_is;

struct lb_pair_kind;

/** A row of the table of formats. */
typedef struct lb_pair_kind_row {
    const char *name, *between; /* what divides fields; NULL: the name says it, behind a colon */
    bool choice;                /* the name may say it */
    bool plain;                 /* TSV, where each line is a pair */
    bool tabs, quotes;          /* tabs divide a line; fields may be in quotes */
    bool members;               /* fields have names in each line */
    lb_pair_line_is (*split)(struct lb_pair_kind *kind, lb_span line, lb_fields *fields);
    /* What goes without saying. */
    const char *source_separator, *target_separator; /* of symbols; NULL: none */
    const char *features;                            /* the separator of features; NULL: found out */
    const char *nothing;                             /* a field that stands for no text; NULL: none does */
    int32_t source, target, weight;                  /* columns; 0: found out */
} lb_pair_kind_row;

/** All formats; the last row has no name. */
extern const lb_pair_kind_row lb_pair_kinds[];

/** A parsed name: "csv", "csv:;", "lines: -> ", "tsv+header". */
typedef struct lb_pair_kind {
    const lb_pair_kind_row *row;
    char between[LB_PAIR_KIND_NAME]; /* the fields of a line */
    bool header;                     /* the first line has names */
    bool blanks;                     /* CSV: the blanks behind what divides fields are no part of them */
    lb_fields keys;                  /* the names of the columns of JSON */
    char why[LB_BAD_LINE_WHY];       /* "found X, expected Y", of the last line that is not of the format */
} lb_pair_kind;

/** What the first lines say about bad ones. */
typedef struct lb_first_look {
    int64_t last;  /* the last of them, if the format was recognised by their manner; otherwise 0 */
    int64_t names; /* the line of the names; 0: it is the first */
    int32_t width; /* columns of most lines, where a few have others; 0: the first line decides */
} lb_first_look;

/** As a width: lines have different numbers of columns, and need no others than those that are read. */
enum { LB_WIDTH_VARIES = -1 };

/** Parses a name; "" is "tsv".
 *  Memory: freed by lb_pair_kind_free, also after an error.
 *  Errors: LB_ERROR_ARGUMENT with the names that there are; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_kind_parse(const char *name, lb_pair_kind *kind, lb_error *error);

void lb_pair_kind_free(lb_pair_kind *kind);

/** Divides a line into fields, which are cleared first. Where `open`, it goes on with the quoted field at the end of
 *  those of the line before, which was open, and begins with its line end. The first line of JSON decides about the
 *  columns of the others. */
lb_pair_line_is lb_pair_kind_split(lb_pair_kind *kind, lb_span line, bool open, lb_fields *fields);

/** The divider in a first line such as "sep=;", which Excel writes and reads; 0: it is another line. */
char lb_csv_divider(lb_span line);

/** Reads a decimal number from 0 to `most`, in the locale C. False if the text is none. */
bool lb_span_number(lb_span text, double most, double *number);

/* ---- json_line.c ---- */

/** The values of a JSON object, in the order of the keys, which are those of the first one. */
lb_pair_line_is lb_json_split(lb_pair_kind *kind, lb_span line, lb_fields *fields);

#endif
