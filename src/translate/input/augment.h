/* How a batch of training is changed before the model reads it. */
#ifndef LB_AUGMENT_H
#define LB_AUGMENT_H

#include "lookback/translate.h"

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
 *  is hidden in more places than a symbol of mean frequency. Symbols that are not shared are never hidden.
 *  Memory: `*share` [size of `source`], to be given to lb_release. Errors: LB_ERROR_MEMORY. */
LB_MUST_USE lb_status lb_hidden_shares(const lb_shared_symbols *shared, const lb_vocabulary *source,
                                       double most, double **share, lb_error *error);

/** The batch, in reading order, with some symbols hidden: each symbol of a source that its target has, too, becomes
 *  LB_UNK in both with the probability `share` [source_vocab], wherever it occurs. A model that copies then cannot know
 *  what it is, and learns to point at it, as it has to at symbols that the training does not have.
 *  Random: depends on seed, step and row, not on the threads or on earlier random ops of the tape.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape; the batch is then empty. With `share` NULL it is the batch itself. */
lb_batch lb_hide_symbols(const lb_shared_symbols *shared, lb_batch batch, const double *share, uint64_t seed,
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
