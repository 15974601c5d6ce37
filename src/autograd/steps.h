/* The steps of a decoder: what one step computes need not last as long as the tape. */
#ifndef LB_STEPS_H
#define LB_STEPS_H

#include "lookback/autograd.h"

/** Begins a step: what is allocated from now on lives until the step after the next begins. A step can thus read the
 *  results of the one before, and copies what the one after needs.
 *  Shares: all rows of a batch go on in their order, and lb_select_rows need not copy what lasts.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
void lb_tape_begin_step(lb_tape *tape, bool shares);

/** Ends the last step: memory lives until lb_tape_reset again, which does the same. */
void lb_tape_end_steps(lb_tape *tape);

/** lb_tape_alloc of `count` elements of `size` bytes, all zero. */
void *lb_tape_alloc_zero(lb_tape *tape, int64_t count, size_t size);

/** lb_tape_alloc of memory that outlives the steps. */
void *lb_tape_alloc_lasting(lb_tape *tape, size_t bytes);

/** Whether all rows go on in their order. */
bool lb_tape_shares(const lb_tape *tape);

/** Whether memory outlives the steps: all but what they have allocated. */
bool lb_tape_lasts(const lb_tape *tape, const void *memory);

#endif
