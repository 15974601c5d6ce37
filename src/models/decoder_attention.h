/* The attention of a recurrent decoder: any kind of it, behind one door. */
#ifndef LB_DECODER_ATTENTION_H
#define LB_DECODER_ATTENTION_H

#include "lookback/models.h"

/** Adds the kind's parameters below NAME: W_q, W_k, v (additive); W (general); W_q, W_k, W_v, W_o (multi-head).
 *  Errors: LB_ERROR_ARGUMENT if the widths or heads do not fit the kind; those of lb_params_add. Recorded in `params`. */
lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    lb_decoder_attention_config config);

/** Shapes: outputs [batch, S, key], mask [batch, S]. */
lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask);

/** Asks with some states. Not for LB_ATTENTION_NONE, nor for LB_ATTENTION_ADDITIVE, which lb_attention_gru_sequence asks.
 *  Shapes: query [batch, Q, query] -> context [batch, Q, depth], weights [batch, heads, Q, S]. */
lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory);

#endif
