/* Sequence-to-sequence models, decoding, and models as files. */
#ifndef LOOKBACK_MODELS_H
#define LOOKBACK_MODELS_H

#include "lookback/io.h"
#include "lookback/kinds.h"

LB_BEGIN_DECLS

/* ---- The attention of a recurrent decoder: the built-in kinds. ---- */

/** How the decoder looks at the source. */
typedef enum lb_attention_kind {
    LB_ATTENTION_ADDITIVE,   /* v' tanh(W_q q + W_k k) */
    LB_ATTENTION_NONE,       /* the decoder has the encoder's final state and nothing else: the bottleneck */
    LB_ATTENTION_DOT,        /* q' k; needs keys as wide as the state */
    LB_ATTENTION_GENERAL,    /* (W q)' k */
    LB_ATTENTION_SCALED_DOT, /* q' k / sqrt(width); needs keys as wide as the state */
    LB_ATTENTION_MULTI_HEAD  /* several scaled dot products of projected queries and keys */
} lb_attention_kind;

/** Names of the kinds, as files and flags spell them; NULL behind the last. */
extern const char *const lb_attention_names[];

/* ---- A sequence-to-sequence model: a GRU reads the source, a GRU that attends to it writes the target. ---- */

/** Zero means the default in brackets. */
typedef struct lb_seq2seq_config {
    int64_t source_vocab, target_vocab;
    int64_t embed;               /* [64] */
    int64_t hidden;              /* [128] */
    int layers;                  /* [1] of the encoder and of the decoder */
    bool bidirectional;          /* the encoder */
    lb_attention_kind attention; /* [LB_ATTENTION_ADDITIVE] */
    int64_t heads;               /* [4] of LB_ATTENTION_MULTI_HEAD, and of one's own that can have several */
    double
        embedding_deviation; /* [0.1] of the embeddings at the start; nn.Embedding's 1 takes longer to train away */
    lb_real dropout;         /* [0] on embeddings, between layers and before the output */
    bool tied;               /* the output's weight is the target embedding's */
    const lb_attention_type *
        own_attention; /* [NULL: that of `attention`] one of one's own, asked after each step; outlives the model */
} lb_seq2seq_config;

/** The parameters, under these names:
 *      source_embedding, target_embedding     as nn.Embedding
 *      encoder                                as nn.GRU
 *      bridge.L                               as nn.Linear: decoder layer L starts from tanh(bridge(encoder layer L's
 *      end)) attention.W_q, attention.W_k, attention.v  (additive), W (general), W_q, W_k, W_v, W_o (multi-head), or
 *      what one's own adds decoder                                as nn.GRU; additive: layer 0 reads [embedding;
 *      context] combine                                as nn.Linear without bias; dot, general and scaled-dot, one's
 *      own that says so, and all that are tied output                                 as nn.Linear on [last layer's
 *      state; context], or on tanh(combine(of these));
 *                                             tied: output.bias only
 *  Additive attention asks before each step, with layer 0's state (Bahdanau, Cho, Bengio 2015, arXiv:1409.0473). The
 *  others ask after it, with the last layer's, and their context does not reach the recurrence (Luong, Pham, Manning
 *  2015, arXiv:1508.04025, section 3, without input feeding).
 *  A tied weight is one parameter with two uses, under the embedding's name only (Press, Wolf 2017, arXiv:1608.05859).
 *  The output then needs a vector of `embed` numbers: combine makes it of [state; context], without attention of the
 *  state; through tanh where it stands without tying too, else as it is. A module in PyTorch that ties its weights
 *  takes the file by load_state_dict(strict=False). */
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

/** Reads a batch of sources, as the decoder will ask them. */
lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source);

/* ---- A sequence-to-sequence transformer: an encoder reads the source, a decoder attends to it and to itself. ---- */

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

/** Adds all parameters below NAME ("" adds them without a prefix).
 *  Errors: LB_ERROR_ARGUMENT for an impossible size; those of lb_params_add. Recorded in `params`.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: source and target have an embedding each, and the output a
 *          weight of its own unless tied; by default layers normalise what they read (Xiong et al. 2020,
 *          arXiv:2002.04745), which trains without a warm-up. */
lb_status lb_transformer_init(lb_transformer *model, lb_params *params, const char *name,
                              lb_transformer_config config);

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_transformer_forward(const lb_transformer *model, lb_tokens source, lb_tokens target_in);

/* ---- Several models that decode together, as one. ---- */

/** Models of any kind with the same vocabularies, each trained on its own. Its logits are the mean of the members'
 *  log-probabilities, so that it prefers what none of them finds unlikely; it attends with the mean of their weights.
 *  Cost:   the sum of its members'.
 *  Source: Sutskever, Vinyals, Le 2014, arXiv:1409.3215. Differs: log-probabilities are averaged, not probabilities. */
typedef struct lb_ensemble {
    lb_model base;                 /* comes first; layers and heads are 0 unless all members have as many */
    const lb_model *const *member; /* [count] */
    int count;
} lb_ensemble;

/** Makes one model of several, which may have their parameters in different stores. `members` and all in it must
 *  outlive the ensemble.
 *  Errors: LB_ERROR_ARGUMENT without a member, or if their vocabularies differ in size. */
LB_MUST_USE lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int count,
                                       lb_error *error);

/* ---- Greedy decoding: the likeliest token, step by step. ---- */

/** The outputs of a whole batch; arrays on the tape. */
typedef struct lb_decoded {
    int64_t batch, length; /* of the longest output, its LB_EOS included if it came to that */
    int64_t source_length;
    int32_t *id;           /* [batch, length]; LB_PAD behind a row's end; without LB_EOS */
    int32_t *lengths;      /* [batch] tokens before LB_EOS */
    bool *finished;        /* [batch] did LB_EOS come within the limit? */
    int64_t layers, heads; /* of the attention; 0 without */
    /* [batch, layers, heads, length, source_length]: where each output looked; NULL without attention */
    lb_real *weights;
} lb_decoded;

/** The place of the largest of some logits, the first of equal ones: the token that greedy decoding takes. */
int32_t lb_argmax(const lb_real *logits, int64_t classes);

/** Decodes all rows of a batch side by side, and stops when every row has ended or has `limit` tokens.
 *  The tape evaluates while this runs; its mode is restored.
 *  Errors: LB_ERROR_INDEX, LB_ERROR_MEMORY, LB_ERROR_ARGUMENT for a limit below 1: then `batch` of the result is 0. */
lb_decoded lb_greedy(const lb_model *model, lb_tokens source, int64_t limit);

/* ---- Beam search: several hypotheses for each source, side by side. ---- */

/** Zero means the default in brackets. */
typedef struct lb_beam_config {
    int64_t beam;   /* hypotheses that are kept at each step [1: greedy decoding] */
    int64_t n_best; /* hypotheses in the result, at most `beam` [beam] */
    int64_t limit;  /* tokens after which a hypothesis is cut off [2 source lengths + 8] */
    /* A score is the log-probability divided by the length to this power [1]; negative: not divided. */
    double length_penalty;
} lb_beam_config;

/** One output for one source; arrays on the tape. */
typedef struct lb_hypothesis {
    int64_t length; /* tokens, without LB_EOS */
    int32_t *id;    /* [length] */
    bool finished;  /* did LB_EOS come within the limit? */
    int64_t steps;  /* length, and one for LB_EOS if it came */
    double score;   /* log-probability of all steps, divided by steps to the power of the penalty */
    lb_real
        *weights; /* [layers, heads, steps, source length]: where each step looked; NULL without attention */
} lb_hypothesis;

/** The hypotheses for every source of a batch. */
typedef struct lb_beam {
    int64_t batch, n_best;
    /* [batch, n_best], all different within a row. Finished ones come first, and among these, as among the others, the
     * highest score. */
    lb_hypothesis *hypothesis;
} lb_beam;

/** Decodes a batch. A row is done when `n_best` hypotheses have finished and no live one can still score better than
 *  they do, whatever its length up to the limit. At the limit, unfinished hypotheses fill up the result. The tape
 *  evaluates while this runs; its mode is restored.
 *  Exact:  a beam of 1 gives the tokens of lb_greedy. The greedy hypothesis is never pruned, so that no beam scores
 *          below lb_greedy.
 *  Errors: LB_ERROR_ARGUMENT unless 1 <= n_best <= beam <= vocabulary and limit >= 1; LB_ERROR_INDEX, LB_ERROR_MEMORY:
 *          then `batch` of the result is 0.
 *  Source: length normalisation after Wu et al. 2016, arXiv:1609.08144, section 7; the stopping rule after Huang, Zhao,
 *          Ma 2017, arXiv:1809.00069. Differs: the plain power of the length, as in most toolkits. */
lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config);

/* ---- Parameters in a file and back: one safetensors file with the parameters under their own names. ---- */

/** What a file holds beside the parameters; all of it may be empty. */
typedef struct lb_checkpoint_extra {
    const lb_safetensors_tensor *tensors;
    size_t tensor_count;
    const lb_safetensors_metadata *metadata;
    size_t metadata_count;
} lb_checkpoint_extra;

/** Writes all parameters and what else is given. Errors: those of lb_safetensors_write. */
LB_MUST_USE lb_status lb_checkpoint_save(const char *path, const lb_params *params, lb_checkpoint_extra extra,
                                         lb_error *error);

/** Sets every parameter of the store to the array of its name. Arrays that no parameter asks for are left alone.
 *  Errors: LB_ERROR_FORMAT if one is missing or has another shape, named with both shapes and the file; then some
 *          parameters may have been set already. */
LB_MUST_USE lb_status lb_checkpoint_load(const lb_safetensors *file, lb_params *params, lb_error *error);

/** The array of this name as a tensor on the tape: data that a program brings along, such as the lessons'.
 *  Shapes: that of the array. Numbers of any kind are converted to lb_real. It wants no gradient.
 *  Errors: LB_ERROR_FORMAT if there is no such array, LB_ERROR_MEMORY: recorded on the tape, and the tensor is
 *          poison. */
lb_tensor *lb_checkpoint_tensor(lb_tape *tape, const lb_safetensors *file, const char *name);

/* ---- A trained model as one file: its parameters under PyTorch's names, and in the metadata what is needed to build
 * it again. ---- */

/** Writes the model. `metadata` is written beside the model's own keys, "lookback.model" and "lookback.config".
 *  Errors: LB_ERROR_ARGUMENT if a kind of one's own has the name of a built-in one; those of lb_safetensors_write. */
LB_MUST_USE lb_status lb_model_save(const char *path, const lb_model *model, const lb_params *params,
                                    const lb_safetensors_metadata *metadata, size_t metadata_count,
                                    lb_error *error);

/** Builds the model of a file that lb_model_save wrote, of whichever kind it is, with its parameters in `params`, which
 *  must be empty and own the model. NULL if that fails.
 *  Own:    what the file may hold beside the built-in kinds of models and of attention; NULL: nothing.
 *  Errors: LB_ERROR_FORMAT if the file holds no model of a known kind, or if config and parameters do not fit;
 *          LB_ERROR_ARGUMENT if a name in `own` is taken. */
LB_MUST_USE lb_model *lb_model_load(const lb_safetensors *file, lb_params *params, const lb_extensions *own,
                                    lb_error *error);

LB_END_DECLS

#endif
