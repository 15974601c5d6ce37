/* Batches of examples in arrays. */
#ifndef LB_EXAMPLES_H
#define LB_EXAMPLES_H

#include "lookback/train.h"

/** The label of what does not count. */
enum { LB_NO_LABEL = -1 };

/** Some examples, on the tape. */
typedef struct lb_example_batch {
    lb_example_input input;
    lb_tokens labels;  /* [batch, 1], or with tags and `next` as the tokens; empty for values */
    lb_tensor *values; /* [batch, outputs]; NULL for labels */
} lb_example_batch;

/** Checks all examples. Errors: LB_ERROR_ARGUMENT and LB_ERROR_INDEX, as lb_fit. */
LB_MUST_USE lb_status lb_examples_check(const lb_examples *examples, lb_error *error);

/** A hash of all that is in the arrays. */
uint64_t lb_examples_hash(const lb_examples *examples);

/** The examples with these numbers, in this order. Tokens are as long as the longest of them.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_example_batch lb_examples_batch(const lb_examples *examples, lb_tape *tape, const int64_t *number,
                                   int64_t count);

#endif
