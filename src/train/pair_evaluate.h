/* Evaluation of a model on a sample of pairs. */
#ifndef LB_PAIR_EVALUATE_H
#define LB_PAIR_EVALUATE_H

#include "data/pairs.h"
#include "lookback/train.h"

/** The pairs for repeated evaluations. */
typedef struct lb_pair_sample {
    int64_t *pair;    /* [possible] pairs that a model can get right, by length */
    int64_t possible; /* the other targets have symbols that are not in the vocabulary */
    int64_t count;    /* of all pairs */
} lb_pair_sample;

/** Takes all pairs if there are at most `most`, otherwise `most` of them, evenly spaced.
 *  Vocabulary: of the targets. With `copies`, the model can also write the symbols of a source.
 *  Memory: freed by lb_pair_sample_free; nothing to free after an error.
 *  Errors: LB_ERROR_ARGUMENT if `most` is less than 1; those of lb_pairs_read. */
LB_MUST_USE lb_status lb_pair_sample_make(lb_pairs *pairs, const lb_vocabulary *target, bool copies,
                                          int64_t most, lb_pair_sample *sample, lb_error *error);

/** Frees the sample. */
void lb_pair_sample_free(lb_pair_sample *sample);

/** The measures of lb_tally_add on a sample, in batches of similar length, shared with a group
 *  unless it is NULL. Pairs that the model cannot get right count
 *  as wrong in the exact match, and do not count in the other measures. Vocabularies: as in lb_pair_batch.
 *  Resets the tape; its mode is restored. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_pair_evaluate(const lb_model *model, lb_pairs *pairs, const lb_vocabulary *source,
                                       const lb_vocabulary *target, const lb_pair_sample *sample,
                                       lb_tape *tape, const lb_group *group, lb_evaluation *found);

#endif
