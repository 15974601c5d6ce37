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
    LB_ATTENTION_NONE,       /* the decoder sees only the final state of the encoder: the bottleneck */
    LB_ATTENTION_DOT,        /* q' k; needs keys as wide as the state */
    LB_ATTENTION_GENERAL,    /* (W q)' k */
    LB_ATTENTION_SCALED_DOT, /* q' k / sqrt(width); needs keys as wide as the state */
    LB_ATTENTION_MULTI_HEAD  /* several scaled dot products of projected queries and keys */
} lb_attention_kind;

/** The names of the kinds in files and flags; ends with NULL. */
extern const char *const lb_attention_names[];

/* ---- A sequence-to-sequence model: one GRU reads the source; another attends to it and writes the target. ---- */

/** Zero means the default in brackets. */
typedef struct lb_seq2seq_config {
    int64_t source_vocab, target_vocab;
    int64_t embed;               /* [64] */
    int64_t hidden;              /* [128] */
    int layers;                  /* [1] of the encoder and of the decoder */
    bool bidirectional;          /* the encoder */
    lb_attention_kind attention; /* [LB_ATTENTION_ADDITIVE] */
    int64_t heads; /* [4] of LB_ATTENTION_MULTI_HEAD and of custom attention with several heads */
    /* [0.1] Standard deviation of the initial embeddings. With 1, as in nn.Embedding, training takes longer. */
    double embedding_deviation;
    lb_real dropout; /* [0] of embeddings, between layers and before the output */
    bool tied;       /* the output shares the weight of the target embedding */
    /* [NULL: `attention` applies] A custom attention, applied after each step. It must outlive the model. */
    const lb_attention_type *own_attention;
} lb_seq2seq_config;

/** A GRU encoder and decoder. Its parameters have these names:
 *      source_embedding, target_embedding   as nn.Embedding
 *      encoder                              as nn.GRU
 *      bridge.L                             as nn.Linear: layer L of the decoder starts from tanh(bridge(final state of
 *                                           layer L of the encoder))
 *      attention                            additive: W_q, W_k, v; general: W; multi-head: W_q, W_k, W_v, W_o; custom:
 *                                           whatever it adds
 *      decoder                              as nn.GRU; with additive attention, layer 0 reads [embedding; context]
 *      combine                              as nn.Linear without bias; for dot, general and scaled-dot attention, for
 *                                           custom attention with `combines`, and for all tied models
 *      output                               as nn.Linear, on [state of the last layer; context] or on
 *                                           tanh(combine([state; context])); tied: only output.bias
 *  Additive attention is applied before each step, with the state of layer 0 (Bahdanau, Cho, Bengio 2015,
 *  arXiv:1409.0473). The others are applied after the step, with the state of the last layer, and their context does
 *  not enter the recurrence (Luong, Pham, Manning 2015, arXiv:1508.04025, section 3, without input feeding).
 *  A tied weight is one parameter with two uses, stored under the name of the embedding (Press, Wolf 2017,
 *  arXiv:1608.05859). The output layer then needs a vector of `embed` numbers, which combine computes from [state;
 *  context], or from the state without attention. It goes through tanh only if the untied model has a combine, too. A
 *  PyTorch module with tied weights loads the file with load_state_dict(strict=False). */
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
 *  Errors: LB_ERROR_ARGUMENT for an invalid size; as lb_params_add. Recorded in `params`. */
lb_status lb_seq2seq_init(lb_seq2seq *model, lb_params *params, const char *name, lb_seq2seq_config config);

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in);

/** A batch of sources as the decoder needs it. */
typedef struct lb_seq2seq_encoded {
    lb_attended_memory memory;
    lb_tensor **initial; /* [layers] of [batch, hidden] */
    lb_tensor *table; /* [target_vocab, 3 hidden], see lb_embedding_table; NULL if few rows are looked up */
} lb_seq2seq_encoded;

/** Encodes a batch of sources for the decoder. */
lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source);

/* ---- A sequence-to-sequence transformer: the encoder reads the source; the decoder attends to it and to itself.
 * ---- */

/** Zero means the default in brackets. */
typedef struct lb_transformer_config {
    int64_t source_vocab, target_vocab;
    int64_t width;                /* of embeddings and layers [128] */
    int64_t heads;                /* of every attention [4] */
    int64_t feed_forward;         /* [4 width] */
    int layers;                   /* [2] of the encoder and of the decoder */
    bool post_norm;               /* normalise after each part, as in the paper, instead of before it */
    lb_positional_kind positions; /* [LB_POSITIONAL_SINUSOIDAL] */
    int64_t max_length;           /* of source and target [512]; only for learned positions */
    lb_real dropout;              /* [0] of the embedded tokens and in the layers */
    bool tied;                    /* the output shares the weight of the target embedding */
} lb_transformer_config;

/** A transformer. Its parameters have these names:
 *      source_embedding, target_embedding   as nn.Embedding
 *      source_positions, target_positions   as nn.Embedding, if they are learned
 *      transformer.encoder, .decoder        as nn.Transformer
 *      output                               as nn.Linear; tied: only output.bias
 *  A tied weight is one parameter with two uses, stored under the name of the embedding (Press, Wolf 2017,
 *  arXiv:1608.05859). A PyTorch module with tied weights loads the file with load_state_dict(strict=False). */
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
 *  Errors: LB_ERROR_ARGUMENT for an invalid size; as lb_params_add. Recorded in `params`.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: source and target have separate embeddings, and the output
 *          has a separate weight unless tied; by default layers normalise their input (Xiong et al. 2020,
 *          arXiv:2002.04745), which trains without a warm-up. Layers start as those of nn.TransformerEncoderLayer and
 *          nn.TransformerDecoderLayer; nn.Transformer then draws all their matrices again, with xavier_uniform_. */
lb_status lb_transformer_init(lb_transformer *model, lb_params *params, const char *name,
                              lb_transformer_config config);

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_transformer_forward(const lb_transformer *model, lb_tokens source, lb_tokens target_in);

/** The self-attention of a transformer; on the tape. */
typedef struct lb_self_attention {
    int64_t layers, heads; /* both 0 for a model without self-attention */
    lb_tensor *encoder;    /* [batch, layers heads, S, S] */
    lb_tensor *decoder;    /* [batch, layers heads, T, T]: each position attends to those up to itself */
} lb_self_attention;

/** Runs a model as lb_model_forward does and returns its self-attention, which decoding does not keep. The tape should be
 *  in LB_MODE_EVALUATE: with dropout, weights are those that remain.
 *  Shapes: source [batch, S], target_in [batch, T].
 *  Kinds:  a transformer; others have no self-attention, nor does an ensemble as a whole.
 *  Errors: as lb_model_forward, recorded on the tape. */
lb_self_attention lb_model_self_attention(const lb_model *model, lb_tokens source, lb_tokens target_in);

/* ---- A head switched off: what a model does without one head of its attention to the source. ---- */

/** What a head contributed, for switching it on again. */
typedef struct lb_head_off lb_head_off;

/** Switches off one head of the attention to the source: its context counts as zero, as if the output projection did not
 *  read it. With a single head, that is all of the attention. An ensemble does without the head of each member.
 *  Changes: the parameters that read the context. Do not train or save the model meanwhile.
 *  Memory:  switch the head on again with lb_head_switch_on, which restores the parameters bit for bit. NULL after an error; the
 *           parameters are then unchanged.
 *  Errors:  LB_ERROR_ARGUMENT if there is no such head, or if the heads of a custom kind of model or attention are not
 *           known; LB_ERROR_MEMORY.
 *  Source:  Michel, Levy, Neubig 2019, arXiv:1905.10650, section 2.3. */
LB_MUST_USE lb_head_off *lb_head_switch_off(const lb_model *model, int64_t layer, int64_t head,
                                            lb_error *error);

/** Switches the head on again and frees the memory. Several are switched on in the reverse order. NULL is allowed. */
void lb_head_switch_on(lb_head_off *off);

/* ---- Ensembles: several models that decode as one. ---- */

/** Models of any kind with the same vocabularies, trained separately. The logits of an ensemble are the mean of the
 *  log-probabilities of its members, so that it prefers outputs that no member finds unlikely. Its attention weights
 *  are the mean of theirs.
 *  Cost:   the sum over its members.
 *  Source: Sutskever, Vinyals, Le 2014, arXiv:1409.3215. Differs: log-probabilities are averaged, not probabilities. */
typedef struct lb_ensemble {
    lb_model base;                 /* comes first; layers and heads are 0 unless all members agree on them */
    const lb_model *const *member; /* [count] */
    int count;
} lb_ensemble;

/** Makes one model of several, whose parameters may be in different stores. `members` and its models must outlive the
 *  ensemble.
 *  Errors: LB_ERROR_ARGUMENT if there are no members, or if the sizes of their vocabularies differ. */
LB_MUST_USE lb_status lb_ensemble_init(lb_ensemble *ensemble, const lb_model *const *members, int count,
                                       lb_error *error);

/* ---- Greedy decoding: the likeliest token, step by step. ---- */

/** The outputs of a whole batch; arrays on the tape. */
typedef struct lb_decoded {
    int64_t batch, length; /* `length`: of the longest output, including its LB_EOS if there is one */
    int64_t source_length;
    int32_t *id;           /* [batch, length]; LB_PAD after the end of a row; without LB_EOS */
    int32_t *lengths;      /* [batch] tokens before LB_EOS */
    bool *finished;        /* [batch] whether LB_EOS came within the limit */
    int64_t layers, heads; /* of the attention; 0 without attention */
    /* [batch, layers, heads, length, source_length]: the attention of each output; NULL without attention */
    lb_real *weights;
} lb_decoded;

/** The index of the largest logit, the first of equal ones: the token that greedy decoding chooses. */
int32_t lb_argmax(const lb_real *logits, int64_t classes);

/** Decodes all rows of a batch side by side until every row has ended or has `limit` tokens, or as many as the model has
 *  positions for.
 *  The tape is in LB_MODE_EVALUATE meanwhile; its mode is restored.
 *  Errors: LB_ERROR_INDEX, LB_ERROR_MEMORY, LB_ERROR_ARGUMENT for a limit below 1; `batch` of the result is then 0. */
lb_decoded lb_greedy(const lb_model *model, lb_tokens source, int64_t limit);

/* ---- Beam search: several hypotheses for each source, side by side. ---- */

/** Zero means the default in brackets. */
typedef struct lb_beam_config {
    int64_t beam;   /* hypotheses kept at each step [1: greedy decoding] */
    int64_t n_best; /* hypotheses in the result, at most `beam` [beam] */
    /* Tokens after which a hypothesis is cut off [2 source lengths + 8]; at most lb_model.positions. */
    int64_t limit;
    /* The score is the log-probability divided by this power of the length [1]; negative: not divided. */
    double length_penalty;
    /* No output has a token below this one, however likely: LB_EOS leaves out LB_PAD and LB_BOS [0: all may be]. */
    int32_t first_token;
} lb_beam_config;

/** One output for one source; arrays on the tape. */
typedef struct lb_hypothesis {
    int64_t length; /* tokens, without LB_EOS */
    int32_t *id;    /* [length] */
    bool finished;  /* whether LB_EOS came within the limit */
    int64_t steps;  /* length, plus 1 if `finished` */
    double score;   /* log-probability of all steps, divided by steps to the power of the penalty */
    /* [layers, heads, steps, source length]: the attention of each step; NULL without attention */
    lb_real *weights;
    double *log_probability; /* [steps] of each token, given those before it */
} lb_hypothesis;

/** The hypotheses for every source of a batch. */
typedef struct lb_beam {
    int64_t batch, n_best;
    /* [batch, n_best], all different within a row. Finished ones come first; both groups are sorted by score, highest
     * first. */
    lb_hypothesis *hypothesis;
} lb_beam;

/** Decodes a batch. A row is done when `n_best` hypotheses have finished and no live one can still score better than
 *  they do, whatever its length up to the limit. At the limit, unfinished hypotheses fill up the result. The tape is in
 *  LB_MODE_EVALUATE meanwhile; its mode is restored.
 *  Exact:  a beam of 1 gives the tokens of lb_greedy. The greedy hypothesis is never pruned, so that no beam scores
 *          below lb_greedy.
 *  Errors: LB_ERROR_ARGUMENT unless 1 <= n_best <= beam <= vocabulary, limit >= 1 and 0 <= first_token <= LB_EOS, or if
 *          there are fewer than n_best outputs within the limit; LB_ERROR_INDEX, LB_ERROR_MEMORY: `batch` of the result
 *          is then 0.
 *  Source: length normalisation after Wu et al. 2016, arXiv:1609.08144, section 7; the stopping rule after Huang, Zhao,
 *          Ma 2017, arXiv:1809.00069. Differs: the plain power of the length, as in most toolkits. */
lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config);

/* ---- Sampling: outputs that are drawn. ---- */

/** Zero means the default in brackets. */
typedef struct lb_sample_config {
    int64_t count;         /* outputs for each source, at most 65536, drawn independently [1] */
    int64_t limit;         /* tokens after which an output is cut off, as in lb_beam_config */
    double temperature;    /* divides the logits [1]; the nearer to 0, the closer to greedy decoding */
    double length_penalty; /* of lb_beam_config [1] */
    int32_t first_token;   /* of lb_beam_config [0] */
    uint64_t seed;
    const uint64_t *text; /* [batch] numbers of the sources [0, 1, 2 ...] */
} lb_sample_config;

/** Draws outputs for a batch, token by token, each from the softmax of its logits over the temperature. They are in the
 *  order in which they were drawn, and can be equal. Scores and log-probabilities are those of the model itself, at
 *  temperature 1. The tape is in LB_MODE_EVALUATE meanwhile; its mode is restored.
 *  Random: each number is a function of the seed, the numbers of the source and of the output, and the step. It depends
 *          neither on the batch nor on the threads.
 *  Errors: LB_ERROR_ARGUMENT for an impossible number; LB_ERROR_INDEX, LB_ERROR_MEMORY; `batch` of the result is then
 *          0. */
lb_beam lb_sample(const lb_model *model, lb_tokens source, lb_sample_config config);

/* ---- Checkpoints: parameters in a safetensors file, under their own names. ---- */

/** What a file holds in addition to the parameters. Everything may be empty. */
typedef struct lb_checkpoint_extra {
    const lb_safetensors_tensor *tensors;
    size_t tensor_count;
    const lb_safetensors_metadata *metadata;
    size_t metadata_count;
} lb_checkpoint_extra;

/** Writes all parameters and `extra`. Errors: as lb_safetensors_write. */
LB_MUST_USE lb_status lb_checkpoint_save(const char *path, const lb_params *params, lb_checkpoint_extra extra,
                                         lb_error *error);

/** Sets every parameter of the store to the array with its name. Other arrays are ignored.
 *  Errors: LB_ERROR_FORMAT if an array is missing, has another shape, or a value in it is not finite, with its name;
 *          some parameters may have been set by then. */
LB_MUST_USE lb_status lb_checkpoint_load(const lb_safetensors *file, lb_params *params, lb_error *error);

/** The array with this name as a tensor on the tape, for data that comes with a program, such as in the lessons.
 *  Shapes: as the array. Numbers of any dtype are converted to lb_real. The tensor gets no gradient.
 *  Errors: LB_ERROR_FORMAT if there is no such array, LB_ERROR_MEMORY. They are recorded on the tape, and the tensor is
 *          poison. */
lb_tensor *lb_checkpoint_tensor(lb_tape *tape, const lb_safetensors *file, const char *name);

/* ---- A trained model as one file: its parameters under the names of PyTorch, and its kind and configuration in the
 * metadata. ---- */

/** Writes the model. The file also gets `metadata`, next to the keys "lookback.model" and "lookback.config".
 *  Errors: LB_ERROR_ARGUMENT if a custom kind has the name of a built-in one; as lb_safetensors_write. */
LB_MUST_USE lb_status lb_model_save(const char *path, const lb_model *model, const lb_params *params,
                                    const lb_safetensors_metadata *metadata, size_t metadata_count,
                                    lb_error *error);

/** Builds the model in a file that lb_model_save wrote, whatever its kind, with its parameters in `params`. `params`
 *  must be empty and will own the model. NULL after an error.
 *  Own:    custom kinds of models and attention that the file may hold; NULL: none.
 *  Limits: time and memory grow with the size of the file, whatever sizes its configuration names.
 *  Errors: LB_ERROR_FORMAT if the file holds no model of a known kind, or if configuration and parameters do not match,
 *          or if a parameter is not finite; LB_ERROR_ARGUMENT if a name in `own` is taken. */
LB_MUST_USE lb_model *lb_model_load(const lb_safetensors *file, lb_params *params, const lb_extensions *own,
                                    lb_error *error);

LB_END_DECLS

#endif
