/* Pairs of texts in a TSV file. */
#ifndef LB_PAIRS_H
#define LB_PAIRS_H

#include "data/pair_line.h"
#include "data/strings.h"
#include "data/vocabulary.h"

/** An open file of pairs. It remembers where each line stands, and reads and takes it apart when it is asked for: 16 bytes of
 *  memory a pair, and up to as much again kept for growing. Not to be used by two threads at once. */
typedef struct lb_pairs lb_pairs;

enum { LB_PAIRS_BAD_KEPT = 5 };

/** What was met on the way through the file. */
typedef struct lb_pairs_facts {
    int64_t lines;             /* good and bad ones */
    int64_t bad[LB_BAD_LINES]; /* lines that were skipped, by kind */
    lb_strings first_bad;      /* the errors of the first LB_PAIRS_BAD_KEPT of them */
    int64_t crlf;              /* lines that end in "\r\n" */
    bool byte_order_mark;
    uint64_t hash; /* of the symbols of all pairs, one after the other: other pairs have another one */
} lb_pairs_facts;

/** Opens the file `path`, which must stay as it is until it is closed, and looks at every line.
 *  Format: what it points to, the separators, must outlive the pairs.
 *  Memory: closed and freed by lb_pairs_close. NULL after an error.
 *  Errors: LB_ERROR_OPEN if it cannot be read, or not twice, as a pipe; LB_ERROR_FORMAT, with file and line, what was
 *          found and expected, for the first bad line unless these are to be skipped, and if there is no good line;
 *          LB_ERROR_ARGUMENT for an impossible format; LB_ERROR_MEMORY.
 *  Cost:   O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_open(const char *path, const lb_pair_format *format, lb_error *error);

/** Takes about one of `share` pairs out of a file, as a file of its own with its own numbers from 0 on: for development
 *  where there are no other pairs. A hash of the source decides: pairs with the same source stay together, and who adds
 *  lines moves no other pair. The path of what is taken out is "held out of PATH"; of the facts it has
 *  only how many lines there are.
 *  Memory: as of lb_pairs_open: closed by lb_pairs_close; each may be closed before the other. NULL after an error, and
 *          `pairs` is as it was.
 *  Errors: LB_ERROR_ARGUMENT if share < 2; LB_ERROR_FORMAT if too few pairs leave one of the two without any; those of
 *          lb_pairs_read. Cost: O(bytes). */
LB_MUST_USE lb_pairs *lb_pairs_hold_out(lb_pairs *pairs, int32_t share, lb_error *error);

/** Closes the file and frees all. NULL is allowed. */
void lb_pairs_close(lb_pairs *pairs);

/** How many pairs there are: at least 1. They are numbered from 0 in the order of the file. */
int64_t lb_pairs_count(const lb_pairs *pairs);

/** The path with which the file was opened. Memory: the pairs'. */
const char *lb_pairs_path(const lb_pairs *pairs);

/** What was met on the way through the file. Memory: the pairs'. */
const lb_pairs_facts *lb_pairs_facts_of(const lb_pairs *pairs);

/** Symbols of the source and of the target of a pair, 0 <= pair < count. */
int32_t lb_pairs_source_length(const lb_pairs *pairs, int64_t pair);
int32_t lb_pairs_target_length(const lb_pairs *pairs, int64_t pair);

/** The symbols of a pair. Memory: `*line` stays until the next call.
 *  Errors: LB_ERROR_INDEX if there is no such pair; LB_ERROR_OPEN if the file cannot be read any more; LB_ERROR_FORMAT
 *          if it has changed so that the line is another; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pairs_read(lb_pairs *pairs, int64_t pair, const lb_pair_line **line,
                                    lb_error *error);

/** Counts the symbols of all sources and of all targets. The two vocabularies may be one and the same; that of the targets
 *  may be NULL. To be followed by lb_vocabulary_sort.
 *  Errors: as lb_pairs_read; some of the symbols may have been counted then. */
LB_MUST_USE lb_status lb_pairs_count_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                             lb_error *error);

/** Writes the ids of a pair: lb_pairs_source_length of them to `source` and lb_pairs_target_length to `target`, without
 *  LB_BOS and LB_EOS. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_pairs_encode(lb_pairs *pairs, int64_t pair, const lb_vocabulary *source_vocabulary,
                                      const lb_vocabulary *target_vocabulary, int32_t *source,
                                      int32_t *target, lb_error *error);

#endif
