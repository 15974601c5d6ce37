/* The embedding: one vector per token. */
#ifndef LB_EMBEDDING_H
#define LB_EMBEDDING_H

#include "lookback/nn.h"

/** The input part of the gates of a GRU, for lb_gru_sequence and lb_attention_gru_sequence. */
typedef struct lb_gates {
    lb_tensor *x;            /* [batch, length, 3 hidden]; or a table [vocabulary, 3 hidden] */
    const lb_tokens *tokens; /* select rows of the table; NULL: no table */
} lb_gates;

/** The part of the gates of every symbol, [vocabulary, 3 hidden]: the embedding times the first columns of weight_ih,
 *  plus bias_ih. NULL if fewer rows than that will be looked up.
 *  Shapes: weight_ih [3 hidden, width or more], bias_ih [3 hidden]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_embedding_table(const lb_embedding *embedding, lb_tape *tape, int64_t lookups,
                              lb_tensor *weight_ih, lb_tensor *bias_ih);

/** The part of the gates of the tokens: rows of the table, or without a table (NULL) the same for only these tokens.
 *  `tokens` must live as long as the result. Errors: LB_ERROR_INDEX, here or in the op; LB_ERROR_SHAPE. */
lb_gates lb_embedding_gates(const lb_embedding *embedding, const lb_tokens *tokens, lb_tensor *table,
                            lb_tensor *weight_ih, lb_tensor *bias_ih);

#endif
