/* What models need of layers, and users of layers do not: parts of a forward, for decoders that go on from a state. */
#ifndef LB_LAYERS_H
#define LB_LAYERS_H

#include "lookback/nn.h"

/** lb_softmax, lb_sparsemax or lb_entmax15. */
lb_tensor *lb_normalized(lb_tensor *scores, lb_normalizer normalizer);

/** The first half of lb_multi_head_forward, for a decoder that attends to the same keys at every step. The second half
 *  is lb_multi_head_ask. */
lb_key_values lb_multi_head_project(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values);

/** lb_multi_head_project for keys at the positions `first`, first + 1, ..., which only `rotary` reads. */
lb_key_values lb_multi_head_project_at(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values,
                                       int64_t first);

/** The second half: attends to the result of lb_multi_head_project. Shapes, mask and errors as
 *  lb_multi_head_forward. */
lb_attended_result lb_multi_head_ask(const lb_multi_head *attention, lb_tensor *query, lb_key_values seen,
                                     lb_tensor *mask, lb_tensor *bias);

/** The same with a position for each token, at most max_length - 1 for learned positions. Only for kinds that are added
 *  to x: sinusoidal and learned.
 *  Shapes: position [batch, length], its ids are the positions. Errors: LB_ERROR_SHAPE, LB_ERROR_INDEX. */
lb_tensor *lb_positional_forward_at(const lb_positional *positional, lb_tensor *x, lb_tokens position);

/** Projects the output of the encoder for every layer of a decoder, once for a sequence that is decoded step by step.
 *  Shapes: memory [batch, S, width] -> `projected` [layers]. */
void lb_transformer_stack_project(const lb_transformer_stack *stack, lb_tensor *memory,
                                  lb_key_values *projected);

/** One layer in one direction: lb_gru_sequence or lb_lstm_sequence with the weights of the cell. */
lb_tensor *lb_recurrent_sequence(const lb_recurrent_cell *cell, lb_tensor *x, const lb_tokens *tokens,
                                 lb_tensor *initial, const int32_t *lengths, bool reverse);

/** lb_recurrent_forward on the embedding of tokens. The first layer reads its input from a table where that costs less.
 *  Errors: also LB_ERROR_INDEX. */
lb_recurrent_result lb_recurrent_forward_tokens(const lb_recurrent *layers, const lb_embedding *embedding,
                                                lb_tokens tokens, lb_tensor *const *initial);

#endif
