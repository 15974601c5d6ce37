/* The parts of layers that only models need: parts of a forward, for decoders that go on from a state. */
#ifndef LB_LAYERS_H
#define LB_LAYERS_H

#include "lookback/nn.h"

/* ---- layers.c ---- */

/** The layer applied to [a; b], without copying the two tensors together.
 *  Shapes: a [..., n], b [..., inputs - n] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward_pair(const lb_linear *linear, lb_tensor *a, lb_tensor *b);

/** lb_relu of lb_linear_forward, in one op. */
lb_tensor *lb_linear_forward_relu(const lb_linear *linear, lb_tensor *x);

/** lb_layer_norm_forward of x + lb_dropout(branch, p), in one op. Output 1 is the sum. */
lb_tensor *lb_layer_norm_forward_sum(const lb_layer_norm *norm, lb_tensor *x, lb_tensor *branch, lb_real p);

/** The input part of the gates of a cell, 3 of a GRU and 4 of an LSTM: the operand x of the recurrent ops. */
typedef struct lb_gates {
    lb_tensor *x;            /* [batch, length, gates hidden]; or a table [vocabulary, gates hidden] */
    const lb_tokens *tokens; /* select rows of the table; NULL: no table */
} lb_gates;

/** The part of the gates of every symbol, [vocabulary, gates hidden]: the embedding times the first columns of
 *  weight_ih, plus bias_ih. NULL if fewer rows than that will be looked up.
 *  Shapes: weight_ih [gates hidden, width or more], bias_ih [gates hidden]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_embedding_table(const lb_embedding *embedding, lb_tape *tape, int64_t lookups,
                              lb_tensor *weight_ih, lb_tensor *bias_ih);

/** The part of the gates of the tokens: rows of the table, or without a table (NULL) the same for only these tokens.
 *  `tokens` must live as long as the result. Errors: LB_ERROR_INDEX, here or in the op; LB_ERROR_SHAPE. */
lb_gates lb_embedding_gates(const lb_embedding *embedding, const lb_tokens *tokens, lb_tensor *table,
                            lb_tensor *weight_ih, lb_tensor *bias_ih);

/* ---- attention.c and multi_head.c ---- */

/** lb_softmax, lb_sparsemax or lb_entmax15. */
lb_tensor *lb_normalized(lb_tensor *scores, lb_normalizer normalizer);

/** The rest of attention, in small ops, whose points a watcher sees: scores, weights and context of a head.
 *  Shapes: scores [batch, Q, K], values [batch, K, depth], mask broadcasts to the scores, or NULL -> context
 *          [batch, Q, depth], weights as the scores. Errors: LB_ERROR_SHAPE. */
lb_attended_result lb_attend_by_scores(lb_tensor *scores, lb_tensor *values, lb_tensor *mask,
                                       lb_normalizer normalizer, lb_real dropout, int64_t head);

/** lb_additive_attention_forward with projected keys. */
lb_attended_result lb_additive_attention_ask(const lb_additive_attention *attention, lb_tensor *query,
                                             lb_tensor *keys, lb_tensor *values, lb_tensor *mask);

/** The first half of lb_multi_head_forward, for a decoder that attends to the same keys at every step. The second half
 *  is lb_multi_head_ask. */
lb_key_values lb_multi_head_project(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values);

/** The second half: attends to the result of lb_multi_head_project. Shapes, mask and errors as
 *  lb_multi_head_forward. `weighs`: the caller wants the weights; without it they are NULL, and the memory grows with
 *  the length, not with its square. */
lb_attended_result lb_multi_head_ask(const lb_multi_head *attention, lb_tensor *query, lb_key_values seen,
                                     lb_tensor *mask, lb_tensor *bias, bool weighs);

/** The queries of x at the positions `first`, first + 1, ..., which only `rotary` reads. `to_self`: also its keys and
 *  values, by one product: the first half of self-attention. That not with `names`.
 *  Shapes: x [batch, length, embed] -> [batch, length, heads key_width], or 2 kv_heads key_width columns more. */
lb_tensor *lb_multi_head_project_queries(const lb_multi_head *attention, lb_tensor *x, int64_t first,
                                         bool to_self);

/** The second half with projected queries: the first columns of `asked`, which may be the keys, too. */
lb_attended_result lb_multi_head_attend(const lb_multi_head *attention, lb_tensor *asked, lb_key_values seen,
                                        lb_tensor *mask, lb_tensor *bias, bool weighs);

/* ---- positional.c ---- */

/** lb_positional_forward with a position for each token, at most max_length - 1 for learned positions. Only for kinds
 *  that are added to x: sinusoidal and learned.
 *  Shapes: position [batch, length], its ids are the positions. Errors: LB_ERROR_SHAPE, LB_ERROR_INDEX. */
lb_tensor *lb_positional_forward_at(const lb_positional *positional, lb_tensor *x, lb_tokens position);

/* ---- transformer_layers.c ---- */

/** Projects the output of the encoder for every layer of a decoder, once for a sequence that is decoded step by step.
 *  Shapes: memory [batch, S, width] -> `projected` [layers]. */
void lb_transformer_stack_project(const lb_transformer_stack *stack, lb_tensor *memory,
                                  lb_key_values *projected);

/* ---- recurrent.c ---- */

/** One layer in one direction: lb_gru_sequence or lb_lstm_sequence with the weights of the cell. */
lb_tensor *lb_recurrent_sequence(const lb_recurrent_cell *cell, lb_tensor *x, const lb_tokens *tokens,
                                 lb_tensor *initial, const int32_t *lengths, bool reverse);

/** lb_recurrent_forward on the embedding of tokens. The first layer reads its input from a table where that costs less.
 *  Errors: also LB_ERROR_INDEX. */
lb_recurrent_result lb_recurrent_forward_tokens(const lb_recurrent *layers, const lb_embedding *embedding,
                                                lb_tokens tokens, lb_tensor *const *initial);

#endif
