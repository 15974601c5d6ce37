/* The history of a hypothesis, token by token, for beam search and sampling. */
#ifndef LB_TRAIL_H
#define LB_TRAIL_H

#include "lookback/models.h"

/** One step of a hypothesis, linked to the step before. */
typedef struct lb_trail {
    const struct lb_trail *before; /* NULL at the first token */
    int32_t token;
    double log_probability; /* of the token */
    const lb_real *weights; /* [maps, source length]; NULL without attention */
} lb_trail;

/** A step in memory that outlives the step of decoding, with a copy of its weights, `weights` numbers.
 *  Errors: NULL without memory, recorded on the tape. */
const lb_trail *lb_trail_new(lb_tape *tape, lb_trail step, int64_t weights);

/** Fills in the fields of a hypothesis that have one entry per step, by following the links back from `last`. Its
 *  length and steps must be set. `maps` is layers times heads.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_hypothesis lb_trail_trace(lb_tape *tape, const lb_trail *last, lb_hypothesis hypothesis, int64_t maps,
                             int64_t source_length);

#endif
