/* The results of an evaluation, summed batch by batch. */
#ifndef LB_TALLY_H
#define LB_TALLY_H

#include "lookback/train.h"

/** Zero is an empty tally. */
typedef struct lb_tally {
    int64_t rows, right;    /* all targets; those without a mistake */
    int64_t tokens;         /* of the targets, LB_EOS included */
    double loss;            /* sum over the tokens */
    int64_t symbols, edits; /* of the targets, without LB_EOS; needed to correct the greedy outputs */
} lb_tally;

/** Whether lb_exact_matches would count this row, found from the logits of teacher forcing: the likeliest token is the
 *  right one at every position, LB_EOS included. Greedy decoding would give the same result: until its first mistake,
 *  it reads the right tokens. This takes one pass instead of a step per token.
 *  Shapes: logits [batch, length, classes], target_out [batch, length]. */
bool lb_row_is_right(const lb_tensor *logits, lb_tokens target_out, int64_t row);

/** Adds a batch. One teacher-forced pass gives the loss and the rows that are right (docs/adr/0009). With `edits`, the
 *  other rows are decoded greedily to count their wrong symbols, each up to lb_output_limit as predict does: `longest`
 *  is that of the training, here and below.
 *  The tape must be in LB_MODE_EVALUATE.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_tally_add(lb_tally *tally, const lb_model *model, lb_batch batch, bool edits,
                                   int64_t longest);

/** Adds a batch as beam search writes it, the best hypothesis of each row. Its targets, in reading order, are scored by
 *  teacher forcing. The tape must be in LB_MODE_EVALUATE. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_tally_add_search(lb_tally *tally, const lb_model *model, lb_batch batch,
                                          lb_beam_config config, int64_t longest);

/** Adds a batch by its outputs alone, without a loss. Targets are in reading order, and may have ids that no output
 *  has. Outputs are those of greedy decoding, or of a search unless it is NULL. The tape must be in LB_MODE_EVALUATE.
 *  Sources: `same[row]` is how many rows from this one on have its source, which counts as one row: right if its output
 *           equals any of their targets, with the edits to the nearest one. NULL: each row counts on its own.
 *  Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_tally_add_outputs(lb_tally *tally, const lb_model *model, lb_batch batch,
                                           const int64_t *same, const lb_beam_config *search,
                                           int64_t longest);

/** The tallies of the batches of an evaluation. The processes of a group share them: the first one has the first batch,
 *  the second one the second, and so on. Begin with a group, NULL for this process alone, and zeros. */
typedef struct lb_tallies {
    const lb_group *group;
    lb_tally *batch; /* [count]: zero for the batches of others */
    int64_t count;
    size_t room;
} lb_tallies;

/** An empty tally for the next batch, valid until the following one; NULL if memory runs out, recorded on the tape. */
lb_tally *lb_tallies_next(lb_tallies *tallies, lb_tape *tape);

/** Whether this process has the last batch. */
bool lb_tallies_mine(const lb_tallies *tallies);

/** The sum over all batches, the same bits in all processes and with any number of them; frees the tallies.
 *  Errors: those of the tape, also from before; those of the group, recorded on it. */
LB_MUST_USE lb_status lb_tallies_sum(lb_tallies *tallies, lb_tape *tape, lb_tally *sum);

/** The means over `count` rows, at least `tally->rows`. Rows that were not added count as wrong. */
lb_evaluation lb_tally_evaluation(const lb_tally *tally, int64_t count);

#endif
