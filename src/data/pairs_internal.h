/* For what opens a file of pairs or divides its pairs. */
#ifndef LB_PAIRS_INTERNAL_H
#define LB_PAIRS_INTERNAL_H

#include "data/pairs.h"

/** The file `path` without pairs, not yet read. Memory and errors: as lb_pairs_open. */
LB_MUST_USE lb_pairs *lb_pairs_new(const char *path, const lb_pair_format *format, lb_error *error);

/** The pairs of these texts, not yet read, with the name that messages have for them.
 *  Memory: close and free it with lb_pairs_close; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_pairs *lb_pairs_new_in_memory(lb_pair_texts texts, const lb_pair_format *format,
                                             lb_error *error);

/** Adds the pair of a line, which is good, or may be skipped. The line gets its own number, see lb_pair_file_line.
 *  Errors: LB_ERROR_FORMAT for a bad line that must not be skipped; LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_pairs_take(lb_pairs *pairs, const char *name, lb_line *line, lb_error *error);

/** Counts a bad line, unless none may be skipped. `found` is its error, and pairs->line.bad its kind. */
LB_MUST_USE lb_status lb_pairs_skip(lb_pairs *pairs, const lb_error *found, lb_error *error);

/** Text `number` as a line of columns, in the window of the pairs. `name` receives its name in messages.
 *  Errors: LB_ERROR_FORMAT if it cannot be a line, and pairs->line.bad is its kind; LB_ERROR_MEMORY. */
enum { LB_PAIR_NAME = 32 };
LB_MUST_USE lb_status lb_pair_memory_line(lb_pairs *pairs, int64_t number, lb_line *line,
                                          char name[LB_PAIR_NAME], lb_error *error);

/** The same file, opened again, without pairs, for those that are held out.
 *  Memory: close and free it with lb_pairs_close; NULL after an error. Errors: LB_ERROR_MEMORY, LB_ERROR_OPEN. */
LB_MUST_USE lb_pairs *lb_pairs_new_held_out(const lb_pairs *pairs, lb_error *error);

/** Says that there is no memory for the pairs. */
lb_status lb_pairs_out_of_memory(const lb_pairs *pairs, lb_error *error);

#endif
