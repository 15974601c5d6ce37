/* A tape for what need not last as long as the tape that it belongs to. */
#ifndef LB_SCRATCH_H
#define LB_SCRATCH_H

#include "lookback/autograd.h"

/** The scratch tape of a tape, empty, without an error, and in the mode of the tape. Each call frees what was on it.
 *  Its pages stay with the tape until lb_tape_free.
 *  Errors: NULL without memory, recorded on the tape. */
lb_tape *lb_tape_scratch(lb_tape *tape);

#endif
