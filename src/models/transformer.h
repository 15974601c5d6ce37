/* A sequence-to-sequence transformer: the encoder reads the source; the decoder attends to it and to itself. */
#ifndef LB_TRANSFORMER_H
#define LB_TRANSFORMER_H

#include "lookback/models.h"
#include "nn/embedding.h"

/** The kind of lb_transformer.base. */
extern const lb_model_kind lb_transformer_kind;

/** The state of the decoder: a batch of sources and the tokens so far. */
typedef struct lb_transformer_memory {
    lb_key_values *source; /* [layers] of [batch, S, width] */
    lb_tensor *mask;       /* [batch, 1, 1, S] */
    lb_key_values *past;   /* [layers] of [batch, length, width]; tensors are NULL before the first token */
    int64_t length;        /* tokens so far */
    lb_tokens symbols; /* [batch, S] as which the symbols of the source are copied; empty without `copy` */
} lb_transformer_memory;

/** Reads a batch of sources. `self` receives the weights of the self-attention of each layer, unless it is NULL. */
lb_transformer_memory lb_transformer_encode(const lb_transformer *model, lb_tokens source, lb_tensor **self);

typedef struct lb_transformer_decoded {
    lb_tensor *logits;            /* [batch, T, target_vocab] */
    lb_tensor *weights;           /* [batch, layers heads, T, S]: of the attention to the source */
    lb_transformer_memory memory; /* after these tokens */
} lb_transformer_decoded;

/** Decodes T more tokens; `self` as above. */
lb_transformer_decoded lb_transformer_decode(const lb_transformer *model, const lb_transformer_memory *memory,
                                             lb_tokens target_in, lb_tensor **self);

/** Says that a symbol of the source is a feature. Only for a model with feature_positions.
 *  Source: Wu, Cotterell, Hulden 2021, arXiv:2005.10213, section 3.1. */
void lb_transformer_mark_feature(lb_transformer *model, int32_t id);

#endif
