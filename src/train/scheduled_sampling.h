/* Scheduled sampling: in training, the decoder reads some tokens of its own instead of the right ones. */
#ifndef LB_SCHEDULED_SAMPLING_H
#define LB_SCHEDULED_SAMPLING_H

#include "models/model.h"

/** Zero means the default in brackets. */
typedef struct lb_scheduled_sampling {
    double probability; /* [0] with which a right token is replaced: the caller lets it rise over the steps */
    bool likeliest;     /* by the model's likeliest token, not by one drawn as likely as the model holds it */
    uint64_t seed;      /* [0] of what is replaced and of what is drawn */
} lb_scheduled_sampling;

/** What the decoder is to read: `target_in`, but each token is replaced, with the given probability, by one that the model
 *  would write in its place after the right tokens before it. LB_BOS in front and padding stay.
 *  Two passes: the model first reads the right tokens, without gradient and dropout; then the caller runs it on the result
 *  as on any other target, and trains it to write the same `target_out`.
 *  Random:  seed, step and weights decide; not the threads, nor what the tape has drawn so far.
 *  Shapes:  source [batch, S], target_in [batch, T] -> [batch, T]. With probability 0 it is `target_in` itself.
 *  Errors:  LB_ERROR_ARGUMENT unless 0 <= probability <= 1, those of lb_model_forward; then batch is 0. The tape's mode is
 *           restored.
 *  Memory:  that of a forward pass, until lb_tape_reset. Cost: a forward pass; nothing with probability 0.
 *  Source:  Bengio, Vinyals, Jaitly, Shazeer 2015, arXiv:1506.03099; in two passes by Mihaylova, Martins 2019,
 *           arXiv:1906.07651.
 *  Differs: Bengio et al. draw each token after those that were drawn before it; here the model has read right ones only. */
lb_tokens lb_scheduled_tokens(const lb_model *model, lb_tokens source, lb_tokens target_in,
                              lb_scheduled_sampling sampling, int64_t step);

#endif
