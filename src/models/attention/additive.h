/* Additive attention in a recurrent decoder: what its relatives share (models/attention/recall.c). */
#ifndef LB_MODELS_ADDITIVE_ATTENTION_H
#define LB_MODELS_ADDITIVE_ATTENTION_H

#include "models/attention/decoder_attention.h"

/** Sets attention->own to a struct of `bytes` that begins with an lb_additive_attention, and adds W_q, W_k and v.
 *  Returns NULL if there is no memory. Errors: as lb_params_add. */
void *lb_additive_own(lb_decoder_attention *attention, lb_params *params, size_t bytes);

/** lb_attention_type.prepare: projects the keys. */
void lb_additive_prepare(const lb_decoder_attention *attention, lb_attended_memory *memory);

/** lb_attention_type.ask, with these projected keys. */
lb_attended_result lb_additive_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                   const lb_attended_memory *memory);

#endif
