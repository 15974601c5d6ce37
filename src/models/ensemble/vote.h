/* Models that vote: hypotheses of all members are pooled, and every member scores each of them. */
#ifndef LB_VOTE_H
#define LB_VOTE_H

#include "models/ensemble/ensemble.h"

/** The hypotheses for a batch of sources, with what each member thinks of them; arrays on the tape. */
typedef struct lb_vote_pool {
    int64_t batch; /* 0 after an error */
    int64_t most;  /* hypotheses of a row */
    int64_t *count;
    /* [batch, most] all different within a row, in reading order, scored by the weights of the members */
    lb_hypothesis *hypothesis;
    double *score; /* [batch, most, members] as lb_hypothesis.score, by each member alone */
} lb_vote_pool;

/** Pools the hypotheses of an ensemble: the members of each direction decode together, and everyone scores all that
 *  they find. The tape must be in LB_MODE_EVALUATE.
 *  Config: settled, as in lb_beam_search; `beam` hypotheses of each direction.
 *  Errors: as lb_beam_search, recorded on the tape. */
lb_vote_pool lb_vote_gather(const lb_ensemble *ensemble, lb_tokens source, lb_beam_config config);

#endif
