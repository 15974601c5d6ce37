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

/** Says that a symbol of the source is a feature. Only for a model with feature_positions.
 *  Source: Wu, Cotterell, Hulden 2021, arXiv:2005.10213, section 3.1. */
void lb_transformer_mark_feature(lb_transformer *model, int32_t id);

/* ---- model_copies.c: what is asked of a model of any kind; more of it is in attention/copying.h. ---- */

enum { LB_LABEL = 64 };

/** Writes the attention of a seq2seq, otherwise the kind of the model, then "-copy" if it copies, and "-backward" if it
 *  writes from the end, such as "additive", "transformer-copy" or "general-backward". Returns `text`. */
const char *lb_model_label(const lb_model *model, char text[LB_LABEL]);

/* ---- best_alignment.c: alignment: which position of the source each symbol of the target was written from. ---- */

/** The likeliest alignment of each row of a batch; on the tape. */
typedef struct lb_best_alignment {
    int64_t batch, length;   /* both 0 for a model without alignments, and after an error */
    int32_t *position;       /* [batch, length]: positions of the source; -1 after the end of a row */
    double *log_probability; /* [batch]: of the target and this alignment together */
} lb_best_alignment;

/** Finds the alignment a_1 ... a_T that makes p(target, a | source) largest, by the algorithm of Viterbi. Other than
 *  the weights of decoding, p(a_t | symbols before t), it takes all symbols of the target into account, and is one
 *  path: a monotonic attention never goes to the left. Of equal alignments, it is the leftmost; if the model reads its
 *  source reversed (monotonic and `from_end`), the rightmost.
 *  Shapes: source [batch, S], target_out [batch, T] in reading order. A row ends with LB_EOS, or else was cut off.
 *  Kinds:  an lb_seq2seq with hard attention. Soft attention mixes positions, and has no alignment; nor has an ensemble
 *          as a whole.
 *  The tape is in LB_MODE_EVALUATE meanwhile; its mode is restored.
 *  Errors: as lb_model_forward, LB_ERROR_INDEX if a token of target_out is not in the vocabulary; recorded on the
 *  tape. */
lb_best_alignment lb_model_best_alignment(const lb_model *model, lb_tokens source, lb_tokens target_out);

#endif
