/* Decoding with a model of any kind. */
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "lookback/kinds.h"

/** model->kind->decode, held to what the model says of itself: whoever copies logits and weights relies on it.
 *  Errors: LB_ERROR_SHAPE if they have other shapes. */
lb_model_step lb_model_decode(const lb_model *model, lb_decoder_state state, lb_tokens target_in,
                              int64_t source_length);

#endif
