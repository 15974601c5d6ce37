/* A layer that attends before each step, in small steps: for cells and kinds of attention without a fused op. */
#ifndef LB_STEPWISE_H
#define LB_STEPWISE_H

#include "models/attention/decoder_attention.h"

/** Runs a layer. With additive attention and a GRU, it computes what lb_attention_gru_sequence does.
 *  Shapes: gates [batch, T, gates hidden], the part of the tokens; lengths [batch] or NULL; state as that of the cell.
 *  Errors: as the ops; all results are then poison. */
lb_attending_result lb_stepwise_attend(const lb_attending_layer *layer, lb_tensor *gates,
                                       const int32_t *lengths, lb_tensor *state);

#endif
