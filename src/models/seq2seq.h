/* A sequence-to-sequence model: a GRU reads the source, a GRU that attends to it writes the target. */
#ifndef LB_SEQ2SEQ_H
#define LB_SEQ2SEQ_H

#include "models/decoder_attention.h"
#include "models/model.h"
#include "nn/gru.h"
#include "nn/linear.h"

/** Zero means the default in brackets. */
typedef struct lb_seq2seq_config {
    int64_t source_vocab, target_vocab;
    int64_t embed;               /* [64] */
    int64_t hidden;              /* [128] */
    int layers;                  /* [1] of the encoder and of the decoder */
    bool bidirectional;          /* the encoder */
    lb_attention_kind attention; /* [LB_ATTENTION_ADDITIVE] */
    int64_t heads;               /* [4] of LB_ATTENTION_MULTI_HEAD */
    double
        embedding_deviation; /* [0.1] of the embeddings at the start; nn.Embedding's 1 takes longer to train away */
    lb_real dropout;         /* [0] on embeddings, between layers and before the output */
    bool tied;               /* the output's weight is the target embedding's */
} lb_seq2seq_config;

/** The parameters, under these names:
 *      source_embedding, target_embedding     as nn.Embedding
 *      encoder                                as nn.GRU
 *      bridge.L                               as nn.Linear: decoder layer L starts from tanh(bridge(encoder layer L's end))
 *      attention.W_q, attention.W_k, attention.v  and so on: see lb_decoder_attention_init
 *      decoder                                as nn.GRU; additive: layer 0 reads [embedding; context]
 *      combine                                as nn.Linear without bias; dot, general and scaled-dot, and all that are tied
 *      output                                 as nn.Linear on [last layer's state; context], or on tanh(combine(of these));
 *                                             tied: output.bias only
 *  Additive attention asks before each step, with layer 0's state (Bahdanau, Cho, Bengio 2015, arXiv:1409.0473). The others
 *  ask after it, with the last layer's, and their context does not reach the recurrence (Luong, Pham, Manning 2015,
 *  arXiv:1508.04025, section 3, without input feeding).
 *  A tied weight is one parameter with two uses, under the embedding's name only (Press, Wolf 2017, arXiv:1608.05859).
 *  The output then needs a vector of `embed` numbers: combine makes it of [state; context], without attention of the
 *  state; through tanh where it stands without tying too, else as it is. A module in PyTorch that ties its weights takes
 *  the file by load_state_dict(strict=False). */
typedef struct lb_seq2seq {
    lb_model base; /* comes first */
    const char *name;
    lb_seq2seq_config config;
    lb_embedding source_embedding, target_embedding;
    lb_gru encoder, decoder;
    lb_linear *bridge; /* [layers] */
    lb_decoder_attention attention;
    lb_linear combine, output;
} lb_seq2seq;

/** Of lb_seq2seq.base. */
extern const lb_model_kind lb_seq2seq_kind;

/** Adds all parameters below NAME ("" adds them without a prefix).
 *  Errors: LB_ERROR_ARGUMENT for an impossible size; those of lb_params_add. Recorded in `params`. */
lb_status lb_seq2seq_init(lb_seq2seq *model, lb_params *params, const char *name, lb_seq2seq_config config);

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in);

/** What the decoder knows of a batch of sources. */
typedef struct lb_seq2seq_encoded {
    lb_attended_memory memory;
    lb_tensor **initial; /* [layers] of [batch, hidden] */
    lb_tensor *table;    /* [target_vocab, 3 hidden], see lb_embedding_table; NULL where few are looked up */
} lb_seq2seq_encoded;

lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source);

typedef struct lb_seq2seq_decoded {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, heads, T, S]; NULL without attention */
    lb_tensor **final;  /* [layers] of [batch, hidden]: where to go on */
} lb_seq2seq_decoded;

/** Decodes T more tokens from the states in `initial` (those of `encoded`, or `final` of the tokens before). Behind the end of a row,
 *  which target_in.lengths tells, logits and weights mean nothing; `final` is the state at its end. */
lb_seq2seq_decoded lb_seq2seq_decode(const lb_seq2seq *model, const lb_seq2seq_encoded *encoded,
                                     lb_tensor *const *initial, lb_tokens target_in);

#endif
