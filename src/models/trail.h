/* How a hypothesis came about, token by token: what beam search and sampling keep while they write. */
#ifndef LB_TRAIL_H
#define LB_TRAIL_H

#include "lookback/models.h"

/** One step of one hypothesis, linked to the step before: the way back from an end to its beginning. */
typedef struct lb_trail {
    const struct lb_trail *before; /* NULL at the first token */
    int32_t token;
    double log_probability; /* of the token */
    const lb_real *weights; /* [maps, source length]; NULL without attention */
} lb_trail;

/** Fills in what a hypothesis has of its steps, given length and steps, from the last of them back. `maps` of attention
 *  are layers times heads.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_hypothesis lb_trail_trace(lb_tape *tape, const lb_trail *last, lb_hypothesis hypothesis, int64_t maps,
                             int64_t source_length);

#endif
