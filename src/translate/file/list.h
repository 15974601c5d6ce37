/* Lists of numbers as texts: the input and output of a model that sorts. */
#ifndef LB_LIST_H
#define LB_LIST_H

#include "data/sort_task.h"
#include "data/symbols.h"

/** The symbol rule of a list: its numbers are the symbols, separated by blanks. */
extern const lb_symbol_rule lb_list_rule;

/** The numbers from 0 to the largest of the task as symbols, in the order of their ids in its batches.
 *  Memory: free it with lb_vocabulary_free. NULL after an error. Errors: LB_ERROR_MEMORY. */
lb_vocabulary *lb_list_vocabulary(const lb_sort_task *task, lb_error *error);

/** Splits a list of digits, separated by any number of blanks and tabs. Leading zeros are ignored.
 *  Memory: free it with lb_symbols_free, also after an error.
 *  Errors: LB_ERROR_FORMAT, as "104 is not a number from 0 to 99"; also for no number at all. LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_list_split(const lb_sort_task *task, const char *text, size_t length,
                                    lb_symbols *symbols, lb_error *error);

#endif
