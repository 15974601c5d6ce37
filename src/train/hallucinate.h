/* Training on made-up stems, for few pairs whose sources and targets share most of their letters: data hallucination,
 * after Anastasopoulos, Neubig 2019, arXiv:1908.05838, section 3. */
#ifndef LB_HALLUCINATE_H
#define LB_HALLUCINATE_H

#include "lookback/train.h"

/** Which symbols of the source the target has, too. */
typedef struct lb_shared_symbols {
    int32_t
        *target;  /* [size]: the id of the same symbol in the target; below LB_FIRST_TOKEN if it has none */
    int32_t size; /* of the source vocabulary */
} lb_shared_symbols;

/** The batch, in reading order, with some pairs changed: with the probability `share`, the stretches of three or more
 *  symbols that a source and its target have in common are looked for, the longest first and then those to its left and
 *  right in both; half of the symbols in a stretch are replaced by random shared ones, on both sides, but in stretches
 *  of more than five not the first and the last. So a model cannot learn by heart which stem has which ending, and
 *  learns what to copy.
 *  Random: depends on seed, step and row, not on the threads or on earlier random ops of the tape.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. With a share of 0 it is the batch itself. */
lb_batch lb_hallucinate(lb_batch batch, const lb_shared_symbols *shared, double share, uint64_t seed,
                        int64_t step);

#endif
