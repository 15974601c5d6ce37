/* The built-in kinds of models, a seq2seq and a transformer, as other parts of the library use them. */
#ifndef LB_BUILT_IN_H
#define LB_BUILT_IN_H

#include "lookback/kinds.h"
#include "models/attention/decoder_attention.h"
#include "nn/kv_cache.h"

/* ---- seq2seq.c: a GRU or an LSTM reads the source; another attends to it and writes the target. ---- */

/** The kind of lb_seq2seq.base. */
extern const lb_model_kind lb_seq2seq_kind;

typedef struct lb_seq2seq_decoded {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, heads, T, S]; NULL without attention */
    lb_tensor *top;     /* [batch, T, hidden]: the states of the last layer */
    lb_tensor **final;  /* [layers] states to continue from */
    lb_tensor *past;    /* to continue with as lb_attended_memory.past; NULL if the attention needs nothing */
    lb_tensor *input;   /* [batch, T, embed]: the embedded tokens, if somebody watches; otherwise NULL */
} lb_seq2seq_decoded;

/** Decodes T more tokens from the states in `initial` (those of `encoded`, or `final` of the previous tokens). After
 *  the end of a row, given by target_in.lengths, logits and weights are meaningless; `final` is the state at the
 *  end. */
lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in);

/* ---- transformer.c: the encoder reads the source; the decoder attends to it and to itself. ---- */

/** The kind of lb_transformer.base. */
extern const lb_model_kind lb_transformer_kind;

/** The state of the decoder: a batch of sources and the tokens so far. */
typedef struct lb_transformer_memory {
    int64_t batch, length; /* rows, and tokens so far */
    lb_tensor *mask;       /* [batch, 1, 1, S] */
    lb_tokens symbols; /* [batch, S] as which the symbols of the source are copied; empty without `copy` */
    /* Keys and values of the source: tensors [layers] of [batch, S, 2 width], a cache, or both. After rows were
     * selected, a cache. */
    lb_key_values *source;
    lb_kv_cache *source_cache;
    /* Those of the tokens so far: tensors [layers] of [batch, length, 2 width or more] after tokens that were recorded,
     * or read all at once; otherwise a cache. Neither before the first token. */
    lb_key_values *past;
    lb_kv_cache *cache;
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

#endif
