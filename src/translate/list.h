/* Lists of numbers as texts: what a model that sorts reads and writes. */
#ifndef LB_LIST_H
#define LB_LIST_H

#include "data/sort_task.h"
#include "data/symbols.h"

/** How a list is put together: its numbers are the symbols, with a blank between them. */
extern const lb_symbol_rule lb_list_rule;

/** The numbers from 0 to the largest of the task as symbols, in the order of their ids in its batches.
 *  Memory: freed by lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
lb_vocabulary *lb_list_vocabulary(const lb_sort_task *task, lb_error *error);

/** Takes a list apart: digits, separated by as many blanks and tabs as one likes. Zeros in front of a number do not
 *  count.
 *  Memory: freed by lb_symbols_free, also after an error.
 *  Errors: LB_ERROR_FORMAT, as "104 is not a number from 0 to 99"; also for no number at all. LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_list_split(const lb_sort_task *task, const char *text, size_t length,
                                    lb_symbols *symbols, lb_error *error);

#endif
