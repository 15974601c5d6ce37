/* Scheduled sampling: in training, the decoder reads some of its own tokens instead of the correct ones. */
#ifndef LB_SCHEDULED_SAMPLING_H
#define LB_SCHEDULED_SAMPLING_H

#include "lookback/models.h"

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
