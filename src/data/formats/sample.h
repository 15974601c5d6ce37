/* The first lines of a file, from which its format and its columns are found out. */
#ifndef LB_SAMPLE_H
#define LB_SAMPLE_H

#include "data/formats/pair_kind.h"

enum { LB_SAMPLE_LINES = 500 };

/** The first lines with a text. */
typedef struct lb_sample {
    lb_span line[LB_SAMPLE_LINES];
    int count;
    bool tabs; /* one of them has a tab */
    lb_pair_kind kind;
    lb_fields fields; /* of the last line that was divided */
} lb_sample;

/** Divides a line; only what the kind makes of it counts. */
static inline lb_pair_line_is lb_sample_divide(lb_sample *s, int line)
{
    return lb_pair_kind_split(&s->kind, s->line[line].text, s->line[line].length, false, &s->fields);
}

/** A field of the last line that was divided. */
static inline lb_span lb_sample_field(const lb_sample *s, int number)
{
    lb_span found;
    found.text = lb_field(&s->fields, number, &found.length);
    return found;
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
