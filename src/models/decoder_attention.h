/* The attention of a recurrent decoder: one interface for all types. */
#ifndef LB_DECODER_ATTENTION_H
#define LB_DECODER_ATTENTION_H

#include "lookback/models.h"

/** The built-in types in the order of lb_attention_kind; ends with NULL. */
extern const lb_attention_type *const lb_attention_types[];

/** The default of lb_seq2seq_config.window; 0 for a kind without a window. */
int64_t lb_attention_usual_window(lb_attention_kind kind);

/** Adds the parameters of the type below NAME.
 *  Errors: LB_ERROR_ARGUMENT if the type does not support the widths or heads; as lb_params_add. Recorded in
 *          `params`. */
lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    const lb_attention_type *type, lb_decoder_attention_config config);

/** Shapes: outputs [batch, S, key], mask [batch, S]. */
lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask);

/** Attends with some states. Not for LB_ATTENTION_NONE, not for additive attention, coverage and location, which are part
 *  of the steps of layer 0, and not for hard attention, which gives probabilities and no context.
 *  Shapes: query [batch, Q, query] -> context [batch, Q, depth], weights [batch, heads, Q, S]. */
lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory);

#endif
