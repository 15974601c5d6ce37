/* The attention of a recurrent decoder: one interface for all types. */
#ifndef LB_DECODER_ATTENTION_H
#define LB_DECODER_ATTENTION_H

#include "lookback/models.h"

/** The built-in types in the order of lb_attention_kind; ends with NULL. */
extern const lb_attention_type *const lb_attention_types[];

/** Adds the parameters of the type below NAME.
 *  Errors: LB_ERROR_ARGUMENT if the type does not support the widths or heads; as lb_params_add. Recorded in
 *          `params`. */
lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    const lb_attention_type *type, lb_decoder_attention_config config);

/** Shapes: outputs [batch, S, key], mask [batch, S]. */
lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask);

/** Attends with some states. Not for LB_ATTENTION_NONE, and not for LB_ATTENTION_ADDITIVE, which is part of
 *  lb_attention_gru_sequence.
 *  Shapes: query [batch, Q, query] -> context [batch, Q, depth], weights [batch, heads, Q, S]. */
lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory);

#endif
