/* A sequence-to-sequence transformer: an encoder reads the source, a decoder attends to it and to itself. */
#ifndef LB_TRANSFORMER_H
#define LB_TRANSFORMER_H

#include "models/model.h"
#include "nn/embedding.h"
#include "nn/positional.h"
#include "nn/transformer_layers.h"

/** Zero means the default in brackets. */
typedef struct lb_transformer_config {
    int64_t source_vocab, target_vocab;
    int64_t width;                /* of embeddings and layers [128] */
    int64_t heads;                /* of every attention [4] */
    int64_t feed_forward;         /* [4 width] */
    int layers;                   /* [2] of the encoder and of the decoder */
    bool post_norm;               /* normalise after each part, as in the paper, instead of before it */
    lb_positional_kind positions; /* [LB_POSITIONAL_SINUSOIDAL] */
    int64_t max_length;           /* of source and target [512]; only learned positions need it */
    lb_real dropout;              /* [0] on the embedded tokens and in the layers */
    bool tied;                    /* the output's weight is the target embedding's */
} lb_transformer_config;

/** The parameters, under these names:
 *      source_embedding, target_embedding     as nn.Embedding
 *      source_positions, target_positions     as nn.Embedding, if they are learned
 *      transformer.encoder, .decoder          as nn.Transformer
 *      output                                 as nn.Linear; tied: output.bias only
 *  A tied weight is one parameter with two uses, under the embedding's name only (Press, Wolf 2017, arXiv:1608.05859);
 *  a module in PyTorch that ties its weights takes the file by load_state_dict(strict=False). */
typedef struct lb_transformer {
    lb_model base; /* comes first */
    const char *name;
    lb_transformer_config config;
    lb_embedding source_embedding, target_embedding;
    lb_positional source_positions, target_positions;
    lb_transformer_stack encoder, decoder;
    lb_linear output;
} lb_transformer;

/** Of lb_transformer.base. */
extern const lb_model_kind lb_transformer_kind;

/** Adds all parameters below NAME ("" adds them without a prefix).
 *  Errors: LB_ERROR_ARGUMENT for an impossible size; those of lb_params_add. Recorded in `params`.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: source and target have an embedding each, and the output a weight
 *          of its own unless tied; by default layers normalise what they read (Xiong et al. 2020, arXiv:2002.04745),
 *          which trains without a warm-up. */
lb_status lb_transformer_init(lb_transformer *model, lb_params *params, const char *name,
                              lb_transformer_config config);

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_transformer_forward(const lb_transformer *model, lb_tokens source, lb_tokens target_in);

/** What the decoder knows of a batch of sources and of the tokens so far. */
typedef struct lb_transformer_memory {
    lb_key_values *source; /* [layers] of [batch, S, width] */
    lb_tensor *mask;       /* [batch, 1, 1, S] */
    lb_key_values *past;   /* [layers] of [batch, length, width]; tensors are NULL before the first token */
    int64_t length;        /* tokens so far */
} lb_transformer_memory;

lb_transformer_memory lb_transformer_encode(const lb_transformer *model, lb_tokens source);

typedef struct lb_transformer_decoded {
    lb_tensor *logits;            /* [batch, T, target_vocab] */
    lb_tensor *weights;           /* [batch, layers heads, T, S]: of the attention to the source */
    lb_transformer_memory memory; /* behind these tokens */
} lb_transformer_decoded;

/** Decodes T more tokens. */
lb_transformer_decoded lb_transformer_decode(const lb_transformer *model, const lb_transformer_memory *memory,
                                             lb_tokens target_in);

#endif
