/* Local attention: a window of the source around one position per step
 * (docs/adr/0029-attention-that-knows-where-it-looked.md). */
#ifndef LB_MODELS_LOCAL_ATTENTION_H
#define LB_MODELS_LOCAL_ATTENTION_H

#include "models/seq2seq.h"

/** Weights of the positions s with |s - p| <= window around a position p; all others have none. The score is that of
 *  `general`: (W q)' k.
 *  Monotonic (local-m): p is the number of the step; after the end of the source, its last position. A model that writes
 *  from the end counts from the last position down to 0.
 *  Predictive (local-p): p = S sigmoid(v_p' tanh(W_p q)), S the length of the source, and the weights are multiplied by
 *  exp(-(s - p)^2 / (2 sigma^2)) with sigma = window / 2, so that a row of them sums to less than 1.
 *  Source: Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.2. */
typedef struct lb_local_attention {
    lb_linear score;            /* W */
    lb_linear middle, position; /* W_p, v_p; without weights: local-m */
} lb_local_attention;

/** lb_attention_type.init of local-m. Errors: as lb_params_add. */
lb_status lb_local_m_init(lb_decoder_attention *attention, lb_params *params);

/** lb_attention_type.init of local-p. Errors: as lb_params_add. */
lb_status lb_local_p_init(lb_decoder_attention *attention, lb_params *params);

/** lb_attention_type.ask of both. */
lb_attended_result lb_local_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                          const lb_attended_memory *memory);

/** Whether the attention of a model is local-m, which counts its steps in lb_attended_memory.past: [batch, 2], the position
 *  of the next step, and 1 or -1, the way to the one after. */
bool lb_local_attention_counts(const lb_seq2seq *model);

/** The count before the first step. Shapes: mask [batch, S] -> [batch, 2]. */
lb_tensor *lb_local_attention_begin(const lb_seq2seq *model, lb_tensor *mask);

/** The count after the steps of target_in. */
lb_tensor *lb_local_attention_next(lb_tensor *past, lb_tokens target_in);

#endif
