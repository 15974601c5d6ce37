/* Beam search: several hypotheses for each source, side by side. */
#ifndef LB_BEAM_H
#define LB_BEAM_H

#include "models/model.h"

/** Zero means the default in brackets. */
typedef struct lb_beam_config {
    int64_t beam;  /* hypotheses that are kept at each step [1, which is greedy decoding] */
    int64_t limit; /* tokens after which a hypothesis is given up [2 source lengths + 8] */
    double
        length_penalty; /* scores are log-probabilities divided by length to this power [1]; negative: none */
} lb_beam_config;

/** One output for one source; arrays on the tape. */
typedef struct lb_hypothesis {
    int64_t length; /* tokens, without LB_EOS */
    int32_t *id;    /* [length] */
    bool finished;  /* did LB_EOS come within the limit? */
    int64_t steps;  /* length, and one for LB_EOS if it came */
    double score;   /* log-probability of all steps, divided by steps to the power of the penalty */
    lb_real
        *weights; /* [layers, heads, steps, source length]: where each step looked; NULL without attention */
} lb_hypothesis;

typedef struct lb_beam {
    int64_t batch, beam;
    /* [batch, beam], no two of a row the same; in each row the finished ones first, and of these, as of the others, the
     * one with the highest score */
    lb_hypothesis *hypothesis;
} lb_beam;

/** Decodes a batch. A row ends when as many hypotheses as the beam is wide have finished, or at the limit, where the best
 *  of those that have not fill up the result. The tape evaluates while this runs; its mode is restored.
 *  Exact:  a beam of 1 gives the tokens of lb_greedy.
 *  Errors: LB_ERROR_ARGUMENT if a size is negative or the beam is wider than the vocabulary; LB_ERROR_INDEX,
 *          LB_ERROR_MEMORY: then `batch` of the result is 0.
 *  Source: length normalisation after Wu et al. 2016, arXiv:1609.08144, section 7. Differs: the plain power of the
 *          length, as most toolkits have it. */
lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config);

#endif
