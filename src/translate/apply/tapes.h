/* The tapes of a translator: one for each call that is running, so that several threads can use the model at once. */
#ifndef LB_TAPES_H
#define LB_TAPES_H

#include "lookback/train.h"

#include <stdatomic.h>

enum { LB_TAPES_KEPT = 16 };

/** Tapes that no call is using. Any thread may take one. */
typedef struct lb_tapes {
    _Atomic(lb_tape *) idle[LB_TAPES_KEPT]; /* NULL: there is none in this place */
} lb_tapes;

/** No tapes. Memory: free them with lb_tapes_free; NULL if there is none. */
LB_MUST_USE lb_tapes *lb_tapes_new(void);

/** Frees the tapes. No call may be running. NULL is allowed. */
void lb_tapes_free(lb_tapes *tapes);

/** A tape for a call, empty and without errors, whose memory is warm if there was a free one.
 *  Memory: give it back with lb_tapes_put; NULL after an error. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_tape *lb_tapes_take(lb_tapes *tapes, lb_error *error);

/** Gives back the tape of a call that is done. Beyond LB_TAPES_KEPT, and after an error, it is freed. NULL is
 *  allowed. */
void lb_tapes_put(lb_tapes *tapes, lb_tape *tape);

#endif
