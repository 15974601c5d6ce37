/* What a model gets right and wrong, added up batch by batch. */
#ifndef LB_TALLY_H
#define LB_TALLY_H

#include "lookback/train.h"

/** Zero is an empty tally. */
typedef struct lb_tally {
    int64_t rows, right;    /* targets; those written without a mistake */
    int64_t tokens;         /* of the targets, LB_EOS included */
    double loss;            /* summed over the tokens */
    int64_t symbols, edits; /* of the targets, without LB_EOS; to correct what greedy decoding writes */
} lb_tally;

/** Adds a batch. One teacher-forced pass finds the loss and the rows that are right (docs/adr/0009). With `edits`, the
 *  other rows are decoded, greedily and up to twice the length of their targets, for the symbols that are wrong in them.
 *  The tape must be in LB_MODE_EVALUATE.
 *  Errors: what the tape holds then. */
LB_MUST_USE lb_status lb_tally_add(lb_tally *tally, const lb_model *model, lb_batch batch, bool edits);

/** The means. Rows that were left out count as wrong.
 *  Count: rows that were to be added, at least `tally->rows`. */
lb_evaluation lb_tally_evaluation(const lb_tally *tally, int64_t count);

#endif
