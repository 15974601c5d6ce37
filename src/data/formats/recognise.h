/* The format of a file, and which column is which, by its first lines. */
#ifndef LB_RECOGNISE_H
#define LB_RECOGNISE_H

#include "data/formats/pair_kind.h"
#include "os/os.h"

#include <string.h>

enum { LB_SAMPLE_LINES = 500 };

/** How many of so many lines may be unlike the others. */
static inline int lb_few(int lines)
{
    enum { FEW = 10 };
    return lines / FEW;
}

/** One of the first lines with a text. */
typedef struct lb_sample_line {
    lb_span text;
    int64_t number; /* in the file */
    bool odd; /* unlike most: of ten lines one may be, and of JSON fewer than half, and the format stays */
} lb_sample_line;

/** All of them. */
typedef struct lb_first_lines {
    lb_sample_line line[LB_SAMPLE_LINES];
    int count;
    int least;                    /* columns of a line: 2, or 1 without targets */
    bool tabs;                    /* more than a few of them have a tab */
    bool whole;                   /* the file has no others */
    bool manner;                  /* the manner of the lines counts, since nothing else tells the format */
    int width;                    /* columns of most lines of a table */
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
    bool blanks;                      /* lb_pair_kind.blanks */
    bool ambiguous;                   /* a table with commas could be one with semicolons, too */
    int32_t weight;  /* the column of a number for each line, by the format; 0: there is none */
    int32_t unused;  /* a column of assignments that are no features; 0: there is none */
    lb_fields names; /* of all columns; none: there are none */
    int columns;     /* of the first line that is like most */
    lb_first_look look;
} lb_recognised;

/** Divides a line; only what the kind makes of it counts. */
static inline lb_pair_line_is lb_sample_divide(lb_first_lines *s, int line)
{
    return lb_pair_kind_split(&s->kind, s->line[line].text, false, &s->fields);
}

static inline void lb_sample_drop_first(lb_first_lines *s)
{
    memmove(s->line, s->line + 1, (size_t)--s->count * sizeof *s->line);
}

static inline bool lb_is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static inline bool lb_is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* ---- sounds.c: dictionaries of words and their sounds. ---- */

/** Whether a line, divided as cmudict, has other than phones of CMUdict behind the word. */
bool lb_is_odd_cmudict(const lb_pair_kind *kind, lb_span line, const lb_fields *fields);

/** Whether a line, divided as lexiconp, has other than a word, a probability, and symbols with blanks between them; and
 *  whether the symbols of those that have are short. */
bool lb_is_odd_lexiconp(const lb_pair_kind *kind, lb_span line, const lb_fields *fields);
bool lb_is_lexiconp(lb_first_lines *sample);

/* ---- features.c: the features of sources, in a column of their own. ---- */

/** Whether a text is a bundle such as "V;PST;3;SG", "N;ACC(PL)" or "N;non{NOM}": capitals, digits and signs. `*divided`
 *  is set if it has a semicolon. */
bool lb_is_bundle(lb_span text, bool *divided);

/** Finds a column of features in lines of three or four; of two of them, it is the last. Bundles such as "V;PST" are
 *  some, and so is "pos=V,tense=PST" if its keys and values recur: `found->unused` is a column of this shape where they
 *  do not.
 *  Errors: without memory, the fields of the sample have failed. */
void lb_features_find(lb_first_lines *sample, lb_recognised *found);

/** Finds a column of features in lines of so many, beside those of source and target. Errors: as lb_features_find. */
void lb_features_find_beside(lb_first_lines *sample, int columns, lb_recognised *found);

/** What divides the features of a column: "|", ";" or ","; ";" if nothing does. Errors: as lb_features_find. */
const char *lb_features_between(lb_first_lines *sample, int32_t column);

/* ---- columns.c: which column of a file is which, by its names and its first lines. ---- */

/** Whether sources have features. */
bool lb_pair_format_has_features(const lb_pair_format *format);

/** The columns with their defaults filled in; `features` is whether sources have any. */
lb_pair_columns lb_pair_columns_complete(lb_pair_columns columns, bool features);

/** Whether a text is a usual name of a column of sources, targets or features. */
bool lb_is_column_name(lb_span text);

/** Whether a text is a usual name of a column of counts or weights. */
bool lb_is_weight_name(lb_span text);

/** The column with such a name; 0: there is none. */
int32_t lb_columns_weight(const lb_fields *names);

/** Whether it is one, or the name that a column of sources or targets had in training. */
bool lb_is_usual_name(const lb_pair_columns *usual, lb_span text);

/** Whether two fields of the last line that was divided are names of columns, usual ones or those of the training. */
bool lb_columns_named(const lb_first_lines *sample);

/** Whether the first line names the column of the sources, as that of a file without targets does: by the names of the
 *  training or, unless only those count, by usual ones. */
bool lb_columns_have_header(lb_first_lines *sample, bool usual);

/** Whether two names of formats are the same but for a header; "" is "tsv". */
bool lb_is_same_kind(const char *a, const char *b);

/** The length of the name of a format without "+header". */
size_t lb_kind_length(const char *name);

/** Finds the columns that `format` does not give, and leaves a header out of the sample. Errors: without memory, the
 *  fields of the sample or the names have failed. */
void lb_columns_find(lb_first_lines *sample, const lb_pair_format *format, lb_recognised *found);

/* ---- recognise.c: the format. ---- */

/** What a line of a recognised file lacks besides fields to be as the others; NULL: nothing. */
const char *lb_odd_line_lacks(const lb_pair_kind *kind, lb_span line, const lb_fields *fields);

/** Finds out the format of the file `name`, unless one is given, and which columns are which.
 *  Text:   the first bytes of a file; `whole` is whether they are all of it. Without targets, only the first line
 *          counts, so that a pipe is read as a file is; it is a text unless it looks like a line of the usual format.
 *  Memory: release the text of `found->names`, also after an error.
 *  Errors: LB_ERROR_MEMORY; LB_ERROR_ARGUMENT for an unknown name of a format. */
LB_MUST_USE lb_status lb_recognise(const char *name, const char *text, size_t length, bool whole,
                                   const lb_pair_format *format, lb_recognised *found, lb_error *error);

/** The same for sources and targets in files of their own, side by side: only their names count (convert.c). Both are
 *  at the first byte, before and after. Errors: also LB_ERROR_OPEN. */
LB_MUST_USE lb_status lb_recognise_both(const char *name, lb_os_handle sources, lb_os_handle targets,
                                        const lb_pair_format *format, lb_recognised *found, lb_error *error);

#endif
