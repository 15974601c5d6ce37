/* The first lines of a file, from which its format and its columns are found out, and what they say. */
#ifndef LB_SAMPLE_H
#define LB_SAMPLE_H

#include "data/formats/pair_kind.h"

enum { LB_SAMPLE_LINES = 500 };

/** The first lines with a text. */
typedef struct lb_first_lines {
    lb_span line[LB_SAMPLE_LINES];
    int count;
    int least;                    /* columns of a line: 2, or 1 without targets */
    bool tabs;                    /* one of them has a tab */
    const lb_pair_columns *usual; /* of the training; never NULL */
    lb_pair_kind kind;
    lb_fields fields; /* of the last line that was divided */
} lb_first_lines;

/** What the first lines say. Zero: nothing. */
typedef struct lb_recognised {
    char kind[LB_PAIR_KIND_NAME];     /* the format, without a header; "": TSV, or nothing in particular */
    bool recognised;                  /* the lines say so; otherwise it is the usual one */
    bool header;                      /* the first line has names */
    bool by_name;                     /* the columns have the names of the usual ones */
    int32_t source, target, features; /* 0: not found */
    const char *between_features;     /* if their column is known; a constant */
    bool by_content;                  /* the features were found by what they look like, without names */
    bool lone_name;                   /* the first line is nothing but the usual name of the sources */
    bool fixed;                       /* the format says which column is which */
    bool ambiguous;                   /* a table with commas could be one with semicolons, too */
    int32_t weight;  /* the column of a number for each line, by the format; 0: there is none */
    int32_t unused;  /* a column of assignments that are no features; 0: there is none */
    lb_fields names; /* of all columns; none: there are none */
    int columns;     /* of the first line */
} lb_recognised;

/** Divides a line; only what the kind makes of it counts. */
static inline lb_pair_line_is lb_sample_divide(lb_first_lines *s, int line)
{
    return lb_pair_kind_split(&s->kind, s->line[line].text, s->line[line].length, false, &s->fields);
}

/** A field of the last line that was divided. */
static inline lb_span lb_sample_field(const lb_first_lines *s, int number)
{
    lb_span found;
    found.text = lb_field(&s->fields, number, &found.length);
    return found;
}

static inline void lb_sample_drop_first(lb_first_lines *s)
{
    memmove(s->line, s->line + 1, (size_t)--s->count * sizeof *s->line);
}

static inline bool lb_is_small(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

static inline bool lb_is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static inline bool lb_is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

#endif
