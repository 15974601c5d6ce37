/* Batches: of sources and targets for teacher forcing, of examples in arrays, and how batches are augmented. */
#ifndef LB_BATCH_H
#define LB_BATCH_H

#include "lookback/train.h"

/* ---- batch.c ---- */

/** The arrays for the ids of a new batch. */
typedef struct lb_batch_rows {
    int64_t source_width, target_width;                 /* of a row; target_width counts LB_BOS or LB_EOS */
    int32_t *source, *target_in, *target_out;           /* [size, width] */
    int32_t *source_lengths, *in_lengths, *out_lengths; /* [size] */
} lb_batch_rows;

/** A batch on the tape for sources and targets of at most this many tokens, filled with padding. Fill in tokens through
 *  `rows`.
 *  Shapes: source [size, source_longest], target_in and target_out [size, target_longest + 1].
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_new(lb_tape *tape, int64_t size, int64_t source_longest, int64_t target_longest,
                      lb_batch_rows *rows);

/** The same batch with ids of its own, to be changed through `rows`.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_copy(lb_batch batch, lb_batch_rows *rows);

/** A batch, in reading order, as a model reads it for lb_model_forward: with reversed targets for a model that writes
 *  from the end (lb_model.from_end), and otherwise the batch itself.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. */
lb_batch lb_batch_for(const lb_model *model, lb_batch batch);

/** A batch without rows. Each part knows the tape, which has the error, so a model treats it like poison. */
lb_batch lb_batch_empty(lb_tape *tape);

/** Writes the source of one row: `length` ids. */
void lb_batch_set_source(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** Writes the target of one row: `length` ids, with LB_BOS at the start of target_in and LB_EOS at the end of
 *  target_out. */
void lb_batch_set_target(const lb_batch_rows *rows, int64_t row, const int32_t *id, int32_t length);

/** The row of each list in a batch, ordered so that padding costs a recurrent model little: each tile of rows
 *  (tensor/panels.h) gets lists of similar lengths, longest first. `row` receives one row per list.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
LB_MUST_USE lb_status lb_batch_order(lb_tape *tape, int64_t size, const int32_t *lengths, int64_t *row);

/* ---- examples.c ---- */

/** The label of what does not count. */
enum { LB_NO_LABEL = -1 };

/** Some examples, on the tape. */
typedef struct lb_example_batch {
    lb_example_input input;
    lb_tokens labels;  /* [batch, 1], or with tags and `next` as the tokens; empty for values */
    lb_tensor *values; /* [batch, outputs]; NULL for labels */
} lb_example_batch;

/** Checks all examples. Errors: LB_ERROR_ARGUMENT and LB_ERROR_INDEX, as lb_fit. */
LB_MUST_USE lb_status lb_examples_check(const lb_examples *examples, lb_error *error);

/** A hash of all that is in the arrays. */
uint64_t lb_examples_hash(const lb_examples *examples);

/** The examples with these numbers, in this order. Tokens are as long as the longest of them.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
lb_example_batch lb_examples_batch(const lb_examples *examples, lb_tape *tape, const int64_t *number,
                                   int64_t count);

/* ---- augment.c: how a batch of training is changed before the model reads it. ---- */

/* ---- Hallucination: made-up stems, for few pairs whose sources and targets share most of their letters, after
 * Anastasopoulos, Neubig 2019, arXiv:1908.05838, section 3. ---- */

/** Which symbols of the source the target has, too. */
typedef struct lb_shared_symbols {
    int32_t *target; /* [size]: the id of the same symbol in the target; below LB_FIRST_TOKEN: none */
    int32_t size;    /* of the source vocabulary */
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

/* ---- Hidden symbols, for models that copy. ---- */

/** How often each symbol of a source is hidden: with the probability `most`, but frequent ones less often, so that none
 *  is hidden in more places than a symbol of average frequency. Symbols that are not copied are never hidden.
 *  Memory: `*share` [source_vocab], to be given to lb_release; NULL for a model that does not copy.
 *  Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_hidden_shares(const lb_model *model, const lb_vocabulary *source, double most,
                                       double **share, lb_error *error);

/** The batch, in reading order, with some symbols hidden: each symbol of a source that its target has, too, becomes
 *  LB_UNK in both with the probability `share` [source_vocab], wherever it occurs. A model that copies then cannot know
 *  what it is, and learns to point at it, as it has to at symbols that the training does not have.
 *  Random: depends on seed, step and row, not on the threads or on earlier random ops of the tape.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. With `share` NULL it is the batch itself. */
lb_batch lb_hide_symbols(const lb_model *model, lb_batch batch, const double *share, uint64_t seed,
                         int64_t step);

/* ---- Scheduled sampling: the decoder reads some of its own tokens instead of the correct ones. ---- */

/** Zero means the default in brackets. */
typedef struct lb_scheduled_sampling {
    double probability; /* [0] of replacing a correct token; the caller raises it over the steps */
    bool likeliest;     /* replace by the likeliest token of the model instead of a sampled one */
    uint64_t seed;      /* [0] of the replacements */
} lb_scheduled_sampling;

/** The input of the decoder: `target_in`, but each token is replaced, with the given probability, by a token that the
 *  model would write there after the correct tokens before it. The LB_BOS at the start and padding are kept.
 *  It takes two passes: the model first reads the correct tokens, without gradient and dropout. Then the caller runs it
 *  on the result like on any other target, and trains it to write the same `target_out`.
 *  Random:  depends on seed, step and weights, not on the threads or on earlier random ops of the tape.
 *  Shapes:  source [batch, S], target_in [batch, T] -> [batch, T]. With probability 0, it is `target_in` itself.
 *  Errors:  LB_ERROR_ARGUMENT unless 0 <= probability <= 1; as lb_model_forward. The batch is then 0. The mode of the
 *           tape is restored.
 *  Memory:  that of a forward pass, until lb_tape_reset. Cost: one forward pass; nothing with probability 0.
 *  Source:  Bengio, Vinyals, Jaitly, Shazeer 2015, arXiv:1506.03099; in two passes by Mihaylova, Martins 2019,
 *           arXiv:1906.07651.
 *  Differs: Bengio et al. draw each token after previously drawn ones; here the model has read only correct ones. */
lb_tokens lb_scheduled_tokens(const lb_model *model, lb_tokens source, lb_tokens target_in,
                              lb_scheduled_sampling sampling, int64_t step);

#endif
