/* Evaluation of a model on a sample of pairs. */
#ifndef LB_PAIR_EVALUATE_H
#define LB_PAIR_EVALUATE_H

#include "data/pairs.h"
#include "lookback/train.h"

/** The pairs for repeated evaluations. */
typedef struct lb_pair_sample {
    int64_t *pair;    /* [count] first those that a model can get right, then the others; both by length */
    int64_t possible; /* the other targets have symbols that are not in the vocabulary */
    int64_t count;    /* of all pairs */
    bool copies;      /* the model can also write the symbols of a source */
    int64_t longest;  /* symbols of a text of the training, for the limit of outputs; set by the caller [0] */
    int64_t *same; /* [count] of `sources`: how many pairs from this one on have its source; NULL elsewhere */
    /* Where any target is right: all pairs of these sources, those of one next to each other; NULL: each pair counts on
     * its own. */
    struct lb_pair_sample *sources;
} lb_pair_sample;

/** In the targets of lb_pair_sample_batch: a symbol that the model cannot write. No output has it. */
enum { LB_UNWRITABLE = -1 };

/** Takes all pairs if there are at most `most`, otherwise `most` of them, evenly spaced.
 *  Vocabulary: of the targets. With `copies`, the model can also write the symbols of a source.
 *  Memory: freed by lb_pair_sample_free; nothing to free after an error.
 *  Errors: LB_ERROR_ARGUMENT if `most` is less than 1; those of lb_pairs_read. */
LB_MUST_USE lb_status lb_pair_sample_make(lb_pairs *pairs, const lb_vocabulary *target, bool copies,
                                          int64_t most, lb_pair_sample *sample, lb_error *error);

/** Counts each source of the sample once from now on, with all of its targets in `pairs` as right answers.
 *  Errors: LB_ERROR_MEMORY; those of lb_pairs_read. */
LB_MUST_USE lb_status lb_pair_sample_any_target(lb_pair_sample *sample, lb_pairs *pairs, lb_error *error);

/** How many there are to get right: pairs or, if any target is right, sources. */
int64_t lb_pair_sample_judged(const lb_pair_sample *sample);

void lb_pair_sample_free(lb_pair_sample *sample);

/** How many of the pairs from `first` on have the same fate, that of sample->pair[first]: possible, or not. */
int64_t lb_pair_sample_alike(const lb_pair_sample *sample, int64_t first);

/** How many pairs from `first` on belong together, and into one batch: those of its source if any target is right. */
int64_t lb_pair_sample_same(const lb_pair_sample *sample, int64_t first);

/** `count` pairs of the sample from `first` on, all alike, as lb_pair_batch. In `target_out` of those that the model
 *  cannot get right, the symbols that it cannot write are LB_UNWRITABLE: they are for lb_tally_add_outputs alone.
 *  Errors: as lb_pair_batch. */
lb_batch lb_pair_sample_batch(const lb_pair_sample *sample, lb_pairs *pairs, const lb_vocabulary *source,
                              const lb_vocabulary *target, lb_tape *tape, int64_t first, int64_t count);

/** The measures of lb_tally_add on a sample, in batches of similar length, shared with a group unless it is NULL. Pairs
 *  that the model cannot get right count as wrong, each symbol that it cannot write as an edit; the loss leaves them
 *  out. If any target is right, rows are sources, and the loss is the same.
 *  Vocabularies: as in lb_pair_batch.
 *  Resets the tape; its mode is restored. Errors: those recorded on the tape. */
LB_MUST_USE lb_status lb_pair_evaluate(const lb_model *model, lb_pairs *pairs, const lb_vocabulary *source,
                                       const lb_vocabulary *target, const lb_pair_sample *sample,
                                       lb_tape *tape, const lb_group *group, lb_evaluation *found);

#endif
