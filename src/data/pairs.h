/* Pairs of texts in a TSV file. */
#ifndef LB_PAIRS_H
#define LB_PAIRS_H

#include "base/progress.h"
#include "base/buffer.h"
#include "data/pair_line.h"
#include "data/vocabulary.h"
#include "lookback/data.h"

enum { LB_PAIRS_BAD_KEPT = 5 };

/** What was met on the way through the file. */
typedef struct lb_pairs_facts {
    int64_t lines;             /* good and bad lines */
    int64_t bad[LB_BAD_LINES]; /* skipped lines, by kind */
    lb_strings first_bad;      /* the errors of the first LB_PAIRS_BAD_KEPT of them */
    int64_t crlf;              /* lines that end in "\r\n" */
    bool byte_order_mark;
    uint64_t hash; /* of the symbols of all pairs, in order: identifies the pairs */
} lb_pairs_facts;

/* A file has at most 8 TiB, and a line LB_PAIR_LINE_BYTES, so that a place still has 16 bytes. */
enum { LB_PLACE_OFFSET_BITS = 43, LB_PLACE_BYTES_BITS = 64 - LB_PLACE_OFFSET_BITS };

/** One pair: the position of its line in the file, its lengths in bytes and in symbols, and a hash of the bytes, by
 *  which a line that is read again is known to be the same. The file of an index has it, too. */
typedef struct lb_place {
    uint64_t offset : LB_PLACE_OFFSET_BITS, bytes : LB_PLACE_BYTES_BITS;
    uint32_t hash;
    uint16_t source, target;
} lb_place;

struct lb_pairs {
    char *path;
    lb_pair_file file;   /* with a descriptor of -1 if it is not open */
    lb_pair_texts texts; /* the pairs in memory, whose numbers are offsets then; zero: they are in the file */
    lb_pair_format format;  /* with what the file says about itself; its `kind` is that of the file */
    const lb_place *places; /* [count] those of `own`, or of an index */
    lb_place *own;          /* [capacity] */
    int64_t count;
    size_t capacity;
    const struct lb_pair_print *prints; /* [count] sorted, of an index; NULL: unknown */
    const char *index;                  /* the path of the index; NULL: there is none */
    lb_pairs_facts facts;
    lb_pair_line line; /* the last one read */
    char *window;      /* [window_room]: `held` bytes of the file from `start` on */
    size_t window_room, held;
    uint64_t start;
    int64_t next;       /* after the last pair read: sequential reading gets more bytes at once */
    lb_counter counter; /* hears of passes over the pairs */
};

/** Whether there are such pairs in memory, or what was meant as some. */
bool lb_pair_texts_given(const lb_pair_texts *texts);

/** As lb_pairs_open. The counter hears of the reading and, as long as the pairs have it, of each further pass. */
LB_MUST_USE lb_pairs *lb_pairs_open_counted(const char *path, lb_pair_format format, lb_counter counter,
                                            lb_error *error);

/** The symbols of a pair. Memory: `*line` is valid until the next call.
 *  Errors: LB_ERROR_INDEX if there is no such pair; LB_ERROR_OPEN if the file cannot be read any more; LB_ERROR_FORMAT
 *          if the line in the file has changed; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pairs_read(lb_pairs *pairs, int64_t pair, const lb_pair_line **line,
                                    lb_error *error);

/** Writes the ids of a pair: lb_pairs_source_length of them to `source` and lb_pairs_target_length to `target`, without
 *  LB_BOS and LB_EOS. Errors: as lb_pairs_read. */
LB_MUST_USE lb_status lb_pairs_encode(lb_pairs *pairs, int64_t pair, const lb_vocabulary *source_vocabulary,
                                      const lb_vocabulary *target_vocabulary, int32_t *source,
                                      int32_t *target, lb_error *error);

/** Counts the symbols of all sources and targets. Both may use the same vocabulary; `target` may be NULL. Call
 *  lb_vocabulary_sort afterwards.
 *  Errors: errors of reading the file, as in lb_pairs_open; some of the symbols may have been counted by then. */
LB_MUST_USE lb_status lb_pairs_tally_symbols(lb_pairs *pairs, lb_vocabulary *source, lb_vocabulary *target,
                                             lb_error *error);

/** The number of the line of a pair, counted from 1; 0 if the file cannot be read any more. Cost: O(bytes before
 *  it). */
int64_t lb_pairs_line_number(const lb_pairs *pairs, int64_t pair);

#endif
