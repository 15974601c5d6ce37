/* The formats of files of pairs, by their names, and how a line of each is divided. */
#ifndef LB_PAIR_KIND_H
#define LB_PAIR_KIND_H

#include "data/formats/fields.h"
#include "lookback/data.h"

#include <cJSON.h>

/** Behind the name of a format whose first line has names. */
#define LB_PAIR_KIND_HEADER "+header"

/** What a line is. */
typedef enum lb_pair_line_is {
    LB_LINE_IS_FIELDS,
    LB_LINE_IS_OPEN,    /* a quoted field goes on in the next line */
    LB_LINE_IS_COMMENT, /* nothing to read */
    LB_LINE_IS_ASIDE,   /* the same, but no comment: what other lines have, too */
    LB_LINE_IS_STRAY,   /* fields, but there is text behind the end of a quoted one */
    LB_LINE_IS_BAD      /* not of this format */
} lb_pair_line_is;

struct lb_pair_kind;

/** A row of the table of formats. */
typedef struct lb_pair_kind_row {
    const char *name, *between; /* what divides fields; NULL: the name says it, behind a colon */
    bool choice;                /* the name may say it */
    lb_pair_line_is (*split)(struct lb_pair_kind *kind, const char *line, size_t length, lb_fields *fields);
    /* What goes without saying. */
    const char *source_separator, *target_separator; /* of symbols; NULL: none */
    const char *features;                            /* the separator of features; NULL: found out */
    const char *nothing;                             /* a field that stands for no text; NULL: none does */
    int32_t source, target, weight;                  /* columns; 0: found out */
} lb_pair_kind_row;

/** A parsed name: "csv", "csv:;", "lines: -> ", "tsv+header". */
typedef struct lb_pair_kind {
    const lb_pair_kind_row *row;
    char between[LB_PAIR_KIND_NAME]; /* the fields of a line */
    bool header;                     /* the first line has names */
    lb_fields keys;                  /* the names of the columns of JSON */
} lb_pair_kind;

/** Parses a name; "" is "tsv".
 *  Memory: freed by lb_pair_kind_free, also after an error.
 *  Errors: LB_ERROR_ARGUMENT with the names that there are; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pair_kind_parse(const char *name, lb_pair_kind *kind, lb_error *error);

void lb_pair_kind_free(lb_pair_kind *kind);

/** Row `number` of the table of formats, counted from 0; NULL after the last one. */
const lb_pair_kind_row *lb_pair_kind_at(size_t number);

/** Whether it is TSV, where each line is a pair. */
bool lb_pair_kind_is_plain(const lb_pair_kind *kind);

/** Whether tabs divide a line. */
bool lb_pair_kind_has_tabs(const lb_pair_kind *kind);

/** Whether fields may be in quotes. */
bool lb_pair_kind_has_quotes(const lb_pair_kind *kind);

/** Divides a line into fields, which are cleared first. Where `open`, it goes on with the quoted field at the end of
 *  those of the line before, which was open, and begins with its line end. The first line of JSON decides about the
 *  columns of the others. */
lb_pair_line_is lb_pair_kind_split(lb_pair_kind *kind, const char *line, size_t length, bool open,
                                   lb_fields *fields);

/** Divides a line of CSV. */
lb_pair_line_is lb_csv_split(char between, const char *line, size_t length, bool open, lb_fields *fields);

/** The divider in a first line such as "sep=;", which Excel writes and reads; 0: it is another line. */
char lb_csv_divider(const char *line, size_t length);

/** The values of a JSON object, in the order of `keys`, which are those of the first one. */
lb_pair_line_is lb_json_split(lb_fields *keys, const char *line, size_t length, lb_fields *fields);

#endif
