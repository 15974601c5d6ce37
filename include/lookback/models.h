/* Sequence-to-sequence models, decoding, and models as files. */
#ifndef LOOKBACK_MODELS_H
#define LOOKBACK_MODELS_H

#include "lookback/io.h"
#include "lookback/kinds.h"

#include <string.h>

LB_BEGIN_DECLS

/* ---- The attention of a recurrent decoder: the built-in kinds. ---- */

/** How the decoder looks at the source. */
typedef enum lb_attention_kind {
    LB_ATTENTION_ADDITIVE,   /* v' tanh(W_q q + W_k k) */
    LB_ATTENTION_NONE,       /* the decoder sees only the final state of the encoder: the bottleneck */
    LB_ATTENTION_DOT,        /* q' k; needs keys as wide as the state */
    LB_ATTENTION_GENERAL,    /* (W q)' k */
    LB_ATTENTION_SCALED_DOT, /* q' k / sqrt(width); needs keys as wide as the state */
    LB_ATTENTION_MULTI_HEAD, /* several scaled dot products of projected queries and keys */
    /* Exact hard attention: each step looks at one position, and the probabilities sum over all of them. */
    LB_ATTENTION_HARD,        /* any position at each step */
    LB_ATTENTION_MONOTONIC,   /* no key to the left of the key of the step before */
    LB_ATTENTION_MONOTONIC_1, /* and how far it is from there has a score of its own */
    /* Local attention: general, in a window of the source around one position per step. */
    LB_ATTENTION_LOCAL_M, /* the position is the number of the step */
    LB_ATTENTION_LOCAL_P, /* the position is predicted from the state; weights fall with the distance */
    /* Additive attention that also reads where the steps before have looked. */
    LB_ATTENTION_COVERAGE, /* the sum of their weights */
    LB_ATTENTION_LOCATION  /* filters over the weights of the last one */
} lb_attention_kind;

/** The names of the kinds in files and flags; ends with NULL. */
extern const char *const lb_attention_names[];

/** The names of the losses in files and flags, in the order of lb_normalizer: "cross-entropy", "sparsemax", "entmax";
 *  ends with NULL. */
extern const char *const lb_loss_names[];

/* ---- Copying: a symbol of the target is either chosen from the vocabulary or copied from the source. ---- */

/** The operands of the gate: the context, the state and the input of a step. */
enum { LB_COPYING_OPERANDS = 3 };

/** The pointer of a model that copies (See, Liu, Manning 2017, arXiv:1704.04368, section 2.2). With probability
 *  g = sigmoid(gate) a symbol is chosen by the logits, otherwise it is copied from a position of the source, by the
 *  attention weights: see lb_copy_mixture. The logits of such a model are log-probabilities. */
typedef struct lb_copying {
    const char *name;
    lb_linear gate;     /* 1 output */
    lb_tensor *symbols; /* [source_vocab] see lb_model_set_copies; NULL: the model does not copy */
} lb_copying;

/** Says as which symbol of the target each symbol of the source is copied. It is stored in the file of the model.
 *  Target: [source_vocab] ids of the target; LB_UNK for a symbol that the target vocabulary lacks, and for all unknown
 *          symbols of the source: the model then writes LB_UNK, and points at the symbol. LB_PAD for a symbol that
 *          is never copied, which is the default.
 *  Errors: LB_ERROR_ARGUMENT if the model does not copy, is an ensemble, or has no such target symbol. */
LB_MUST_USE lb_status lb_model_set_copies(lb_model *model, const int32_t *target, lb_error *error);

/* ---- A sequence-to-sequence model: one GRU reads the source; another attends to it and writes the target. ---- */

/** Zero means the default in brackets. */
typedef struct lb_seq2seq_config {
    int64_t source_vocab, target_vocab;
    int64_t embed;               /* [64] */
    int64_t hidden;              /* [128] */
    int64_t layers;              /* [1] of the encoder and of the decoder */
    bool bidirectional;          /* the encoder */
    lb_attention_kind attention; /* [LB_ATTENTION_ADDITIVE] */
    int64_t heads; /* [4] of LB_ATTENTION_MULTI_HEAD and of custom attention with several heads */
    lb_normalizer attention_weights; /* makes them of the scores [LB_SOFTMAX] */
    /* [0.1] Standard deviation of the initial embeddings. With 1, as in nn.Embedding, training takes longer. */
    double embedding_deviation;
    lb_real dropout;      /* [0] of embeddings, between layers and before the output */
    lb_normalizer output; /* makes probabilities of the logits, and so the loss [LB_SOFTMAX] */
    bool tied;            /* the output shares the weight of the target embedding */
    /* [NULL: `attention` applies] A custom attention, applied after each step. It must outlive the model. */
    const lb_attention_type *own_attention;
    /* [LB_CELL_GRU] Of encoder and decoder. Additive attention runs step by step with LB_CELL_LSTM, which takes
     * longer. */
    lb_cell_kind cell;
    /* [5] Of local attention: how far it reaches from its position to either side. [3] Of LB_ATTENTION_LOCATION: how
     * far a filter reaches. For no other kind. */
    int64_t window;
    /* A symbol can be copied from the source; needs soft attention other than LB_ATTENTION_LOCAL_P, and LB_SOFTMAX as
     * `output`. */
    bool copy;
} lb_seq2seq_config;

/** A GRU encoder and decoder. Its parameters have these names:
 *      source_embedding, target_embedding   as nn.Embedding
 *      encoder                              as nn.GRU or nn.LSTM
 *      bridge.L                             as nn.Linear: layer L of the decoder starts from tanh(bridge(final state of
 *                                           layer L of the encoder)); with an LSTM, both are [h; c], and the final
 *                                           state of a bidirectional encoder is [h_f; c_f; h_b; c_b], forward and
 *                                           backward
 *      attention                            additive: W_q, W_k, v; general and hard kinds: W; monotonic-1: W, jump;
 *                                           multi-head: W_q, W_k, W_v, W_o; local-m: W; local-p: W, W_p, v_p;
 *                                           coverage: as additive, and W_c [hidden, 1]; location: as additive, F as
 *                                           nn.Conv1d without bias, and U as nn.Linear; custom: whatever it adds
 *      decoder                              as the encoder; with additive attention, coverage and location, layer 0
 *                                           reads [embedding; context]
 *      combine                              as nn.Linear without bias; for dot, general, scaled-dot, hard and local
 *                                           attention, for custom attention with `combines`, and for all tied models
 *      output                               as nn.Linear, on [state of the last layer; context] or on
 *                                           tanh(combine([state; context])); tied: only output.bias
 *      copy.gate                            as nn.Linear, on [context; state; embedded input], without dropout; and
 *      copy.symbols                         [source_vocab] see lb_model_set_copies: both only with `copy`
 *  Additive attention is applied before each step, with the state of layer 0 (Bahdanau, Cho, Bengio 2015,
 *  arXiv:1409.0473), and so are coverage (See, Liu, Manning 2017, arXiv:1704.04368, without the coverage loss) and
 *  location-sensitive attention (Chorowski et al. 2015, arXiv:1506.07503), step by step. The others are applied after
 *  the step, with the state of the last layer, and their context does not enter the recurrence (Luong, Pham, Manning
 *  2015, arXiv:1508.04025, section 3, without input feeding). Hard attention (Wu, Shapiro, Cotterell 2018,
 *  arXiv:1808.10024; Wu, Cotterell 2019, arXiv:1905.06319) has no context: combine and output are applied to each
 *  encoder output, and the logits are log-probabilities, of which the softmax is the exponential. Its weights are
 *  p(position of the step | symbols before it). With `from_end`, a model with monotonic attention reads its source
 *  reversed: in reading order, it begins at the last position and never goes to the right. Local-m then counts from the
 *  last position down. A tied weight is one parameter with two uses, stored under the name of the embedding (Press,
 *  Wolf 2017, arXiv:1608.05859). The output layer then needs a vector of `embed` numbers, which combine computes from
 *  [state; context], or from the state without attention. It goes through tanh only if the untied model has a combine,
 *  too. A PyTorch module with tied weights loads the file with load_state_dict(strict=False). */
typedef struct lb_seq2seq {
    lb_model base; /* comes first */
    const char *name;
    lb_seq2seq_config config;
    lb_embedding source_embedding, target_embedding;
    lb_recurrent encoder, decoder;
    lb_linear *bridge; /* [layers] */
    lb_decoder_attention attention;
    lb_linear combine, output;
    lb_copying copying;
} lb_seq2seq;

/** Adds all parameters below NAME ("" adds them without a prefix).
 *  Errors: LB_ERROR_ARGUMENT for an invalid size; as lb_params_add. Recorded in `params`. */
lb_status lb_seq2seq_init(lb_seq2seq *model, lb_params *params, const char *name, lb_seq2seq_config config);

/** The model as an lb_seq2seq; NULL if it is of another kind. Custom kinds have other names. */
static inline const lb_seq2seq *lb_seq2seq_of(const lb_model *model)
{
    return strcmp(model->kind->name, "seq2seq") == 0 ? (const lb_seq2seq *)model : NULL;
}

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_seq2seq_forward(const lb_seq2seq *model, lb_tokens source, lb_tokens target_in);

/** A batch of sources as the decoder needs it. */
typedef struct lb_seq2seq_encoded {
    lb_attended_memory memory;
    lb_tensor **initial; /* [layers] of [batch, hidden]; of an LSTM [batch, 2 hidden] */
    lb_tensor *table;    /* [target_vocab, gates hidden]: of every symbol; NULL if few are looked up */
    lb_tokens symbols;   /* [batch, S] as which the symbols of the source are copied; empty without `copy` */
} lb_seq2seq_encoded;

/** Encodes a batch of sources for the decoder. */
lb_seq2seq_encoded lb_seq2seq_encode(const lb_seq2seq *model, lb_tokens source);

/* ---- A sequence-to-sequence transformer: an encoder, and a decoder that attends to it and to itself. ---- */

/** Zero means the default in brackets. */
typedef struct lb_transformer_config {
    int64_t source_vocab, target_vocab;
    int64_t width;                   /* of embeddings and layers [128] */
    int64_t heads;                   /* of every attention [4] */
    int64_t feed_forward;            /* [4 width] */
    int64_t layers;                  /* [2] of the encoder and of the decoder */
    lb_normalizer attention_weights; /* of every attention: makes them of the scores [LB_SOFTMAX] */
    bool post_norm;                  /* normalise after each part, as in the paper, instead of before it */
    lb_positional_kind positions;    /* [LB_POSITIONAL_SINUSOIDAL] */
    int64_t max_length;              /* of source and target [512]; only for learned and random positions */
    lb_real dropout;                 /* [0] of the embedded tokens and in the layers */
    lb_normalizer output;            /* makes probabilities of the logits, and so the loss [LB_SOFTMAX] */
    bool tied;                       /* the output shares the weight of the target embedding */
    int64_t kv_heads;                /* heads of keys and values, each shared by several of queries [heads] */
    double softcap;                  /* c > 0: scores of attention become c tanh(score / c) [none] */
    /* Self-attention reaches this many positions to the left and, in the encoder, to the right [any distance] */
    int64_t window;
    /* Some symbols of the source are features, which have no order: they get position 0 and a type of their own, and
     * the others are counted from 1. Needs sinusoidal or learned positions; lb_translator_train marks them, in
     * lb_transformer.source_features. Source: Wu, Cotterell, Hulden 2021, arXiv:2005.10213, section 3.1. */
    bool feature_positions;
    /* A symbol can be copied from the source, by the mean over the heads of the last layer; needs LB_SOFTMAX as
     * `output`. */
    bool copy;
    /* What embeddings and positions together are multiplied by, before the first layer. 1 / sqrt(width) is the position
     * embedding downscaling of Csordas et al. 2021, arXiv:2108.12284 [1] */
    double embedding_scale;
    /* Layers lack a part: for small models that are to be understood, as in lesson 12. Of an encoder that lacks both,
     * only its embeddings and the norm behind them are left. Without self-attention, only positions that are added to
     * the embeddings, or none, and no window. */
    bool no_self_attention, no_feed_forward;
} lb_transformer_config;

/** A transformer. Its parameters have these names:
 *      source_embedding, target_embedding   as nn.Embedding; a row is multiplied by sqrt(width) before positions and
 *                                           types are added
 *      source_positions, target_positions   as nn.Embedding, if they are learned; relative: [32, heads], the biases of
 *                                           all layers of encoder and decoder; FIRE: slope and threshold [1], linear1
 *                                           and linear2, as nn.Linear
 *      source_types                         as nn.Embedding, two rows: of letters, of features; and
 *      source_features                      [source_vocab] 1 for a feature: both only with feature_positions
 *      transformer.encoder, .decoder        as nn.Transformer
 *      output                               as nn.Linear; tied: only output.bias
 *      copy.gate                            as nn.Linear, on [output of the decoder; its input]; and
 *      copy.symbols                         [source_vocab] see lb_model_set_copies: both only with `copy`
 *  A tied weight is one parameter with two uses, stored under the name of the embedding (Press, Wolf 2017,
 *  arXiv:1608.05859). A PyTorch module with tied weights loads the file with load_state_dict(strict=False). */
typedef struct lb_transformer {
    lb_model base; /* comes first */
    const char *name;
    lb_transformer_config config;
    lb_embedding source_embedding, target_embedding;
    lb_embedding source_types;  /* with feature_positions */
    lb_tensor *source_features; /* with feature_positions: [source_vocab] 1 for a feature */
    lb_positional source_positions, target_positions;
    lb_transformer_stack encoder, decoder;
    lb_linear output;
    lb_copying copying;
} lb_transformer;

/** Adds all parameters below NAME ("" adds them without a prefix).
 *  Errors: LB_ERROR_ARGUMENT for an invalid size; as lb_params_add. Recorded in `params`.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: source and target have separate embeddings, and the output
 *          has a separate weight unless tied; by default layers normalise their input (Xiong et al. 2020,
 *          arXiv:2002.04745), which trains without a warm-up. Layers start as those of nn.TransformerEncoderLayer and
 *          nn.TransformerDecoderLayer; nn.Transformer then draws all their matrices again, with xavier_uniform_. */
lb_status lb_transformer_init(lb_transformer *model, lb_params *params, const char *name,
                              lb_transformer_config config);

/** The model as an lb_transformer; NULL if it is of another kind. Custom kinds have other names. */
static inline const lb_transformer *lb_transformer_of(const lb_model *model)
{
    return strcmp(model->kind->name, "transformer") == 0 ? (const lb_transformer *)model : NULL;
}

/** Teacher forcing: as lb_model_forward. */
lb_tensor *lb_transformer_forward(const lb_transformer *model, lb_tokens source, lb_tokens target_in);

/** The self-attention of a transformer; on the tape. */
typedef struct lb_self_attention {
    int64_t layers, heads; /* both 0 for a model without self-attention */
    lb_tensor *encoder;    /* [batch, layers heads, S, S] */
    lb_tensor *decoder;    /* [batch, layers heads, T, T]: each position attends to those up to itself */
} lb_self_attention;

/** Runs a model as lb_model_forward does and returns its self-attention, which decoding does not keep. The tape should
 *  be in LB_MODE_EVALUATE: with dropout, some weights are missing.
 *  Shapes: source [batch, S], target_in [batch, T].
 *  Kinds:  a transformer, unless its layers lack it; others have no self-attention, nor does an ensemble as a whole.
 *  Errors: as lb_model_forward, recorded on the tape. */
lb_self_attention lb_model_self_attention(const lb_model *model, lb_tokens source, lb_tokens target_in);

/* ---- Ensembles: several models that decode as one. ---- */

/** Models of any kind with the same vocabularies, trained separately. The logits of an ensemble are the weighted mean
 *  of the log-probabilities of its members, so that it prefers outputs that no member finds unlikely. If a member has
 *  sparse probabilities, whose logarithm may be -inf, the probabilities are averaged instead. Its attention weights are
 *  the mean of theirs.
 *  Vote:   members that write in different directions have no common step: they vote. lb_beam_search pools the
 *          hypotheses that the members of each direction find together, and every member scores each of them. The
 *          score of a hypothesis is the weighted mean of the log-probabilities of its members, over its length as
 *          `length_penalty` says. Such an ensemble cannot decode greedily, or sample.
 *  Cost:   the sum over its members; of a vote, twice to three times that.
 *  Source: Sutskever, Vinyals, Le 2014, arXiv:1409.3215. Differs: log-probabilities are averaged, not probabilities. */
typedef struct lb_ensemble {
    /* Comes first. Layers and heads are 0 unless all members agree on them; in a vote whose members all attend, they
     * are then 1 and 1: the mean over the heads of their last layers. */
    lb_model base;
    const lb_model *const *member; /* [count] */
    int64_t count;
    const double *weight; /* [count] of the members, with the sum 1; NULL: equal */
} lb_ensemble;

/** Whether this is an lb_ensemble, of members that decode together or that vote. */
bool lb_is_ensemble(const lb_model *model);

/** The weight of a member, counted from 0. */
double lb_ensemble_weight(const lb_ensemble *ensemble, int64_t member);

/** A model and where its parameters are. */
typedef struct lb_ensemble_part {
    const lb_model *model;
    const lb_params *params;
    int64_t first, count; /* of its parameters, by index; count 0: all from `first` on */
} lb_ensemble_part;

/** Copies models, also the members of other ensembles, into one store, below "member.0", "member.1" ..., so that
 *  lb_model_save can save the ensemble. `params` must be empty and will own the copy. `own` are the custom kinds of
 *  these models, as for lb_model_load. NULL after an error.
 *  Errors: LB_ERROR_ARGUMENT if there are no members, if the sizes of their vocabularies differ, or if a store does not
 *          match its model; LB_ERROR_MEMORY. */
LB_MUST_USE lb_ensemble *lb_ensemble_gather(lb_params *params, const lb_ensemble_part *parts, int64_t count,
                                            const lb_extensions *own, lb_error *error);

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

/** The index of the largest logit, the first of equal ones. */
int32_t lb_argmax(const lb_real *logits, int64_t classes);

/** Decodes all rows of a batch, without LB_PAD and LB_BOS, side by side until every row has ended or has `limit`
 *  tokens, or as many as the model has positions for. The tape is in LB_MODE_EVALUATE meanwhile; its mode is restored.
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
    bool without_weights; /* the outputs have no attention, which takes steps x source length of memory */
    /* A search that has its outputs waits for better ones of up to 2 source lengths + 8 tokens [of 264, or 33 source
     * lengths if that is more]. */
    bool near_horizon;
    /* The beginning of each output, [batch] rows of tokens with their lengths, shorter than `limit` [none]. For a model
     * that writes forwards and does not vote. */
    const int32_t *const *prefix;
    const int32_t *prefix_length; /* [batch] how many of them [none] */
    bool (*stop)(void *context);  /* called between two steps: true interrupts the search [NULL] */
    void *context;                /* passed to `stop` */
} lb_beam_config;

/** One output for one source; arrays on the tape. */
typedef struct lb_hypothesis {
    int64_t length; /* tokens, without LB_EOS */
    int32_t *id;    /* [length] */
    bool finished;  /* whether LB_EOS came within the limit */
    int64_t steps;  /* length, plus 1 if `finished` */
    double score;   /* log-probability of all steps, divided by steps to the power of the penalty */
    /* [layers, heads, steps, source length]: the attention of each step; NULL without attention, or
     * `without_weights` */
    lb_real *weights;
    double *log_probability; /* [steps] of each token, given those before it */
} lb_hypothesis;

/** The hypotheses for every source of a batch. */
typedef struct lb_beam {
    int64_t batch, n_best;
    /* [batch, n_best], all different within a row. Finished ones come first; both groups are sorted by score, highest
     * first. If all others have the probability 0, a row has fewer: the rest has 0 steps and a score of -INFINITY. */
    lb_hypothesis *hypothesis;
} lb_beam;

/** Decodes a batch. A row is done when `n_best` hypotheses have finished and no live one can still score better than
 *  they do, whatever its length up to the limit, or, if that is less, up to 264 tokens or 33 for each symbol of the
 *  source, the larger. A hypothesis ends if that is among the `beam` likeliest continuations, at the limit among twice
 *  as many. There, unfinished hypotheses fill up the result. The tape is in LB_MODE_EVALUATE meanwhile; its mode is
 *  restored.
 *  Exact:  a beam of 1 gives the tokens of lb_greedy. The greedy hypothesis is never pruned, so that no beam scores
 *          below lb_greedy.
 *  Errors: LB_ERROR_ARGUMENT unless 1 <= n_best <= beam, limit >= 1 and the length penalty is finite, if the
 *          vocabulary has no LB_EOS, or if there are fewer than n_best outputs within the limit, unless the others are
 *          impossible (the probability 0, by sparsemax or entmax), or if there is none; LB_ERROR_INTERRUPTED after
 *          `stop`; LB_ERROR_INDEX, LB_ERROR_MEMORY: `batch` of the result is then 0.
 *  Source: length normalisation after Wu et al. 2016, arXiv:1609.08144, section 7; the stopping rule after Huang, Zhao,
 *          Ma 2017, arXiv:1809.00069. Differs: the plain power of the length, as in most toolkits. */
lb_beam lb_beam_search(const lb_model *model, lb_tokens source, lb_beam_config config);

/* ---- Sampling: outputs that are drawn. ---- */

/** Zero means the default in brackets. */
typedef struct lb_sample_config {
    int64_t count;               /* outputs for each source, at most 65536, drawn independently [1] */
    int64_t limit;               /* tokens after which an output is cut off, as in lb_beam_config */
    double temperature;          /* divides the logits [1]; the nearer to 0, the closer to greedy decoding */
    double length_penalty;       /* of lb_beam_config [1] */
    bool without_weights;        /* of lb_beam_config */
    uint64_t seed;               /* of all outputs [0] */
    const uint64_t *text;        /* [batch] numbers of the sources [0, 1, 2 ...] */
    bool (*stop)(void *context); /* of lb_beam_config */
    void *context;               /* passed to `stop` */
} lb_sample_config;

/** Draws outputs for a batch, token by token, each from the softmax of its logits over the temperature. They are in the
 *  order in which they were drawn, and can be equal. Scores and log-probabilities come from the model itself, at
 *  temperature 1. The tape is in LB_MODE_EVALUATE meanwhile; its mode is restored.
 *  Random: each number is a function of the seed, the numbers of the source and of the output, and the step. It depends
 *          neither on the batch nor on the threads.
 *  Errors: LB_ERROR_ARGUMENT for an impossible number; LB_ERROR_INTERRUPTED after `stop`; LB_ERROR_INDEX,
 *          LB_ERROR_MEMORY; `batch` of the result is then 0. */
lb_beam lb_sample(const lb_model *model, lb_tokens source, lb_sample_config config);

/** Draws a class from the softmax of its logits over the temperature, for a program with its own loop. lb_sample does
 *  so at each step. With a temperature of 0 it is lb_argmax, the choice of lb_greedy.
 *  Uniform: a number from [0, 1), such as lb_rng_uniform of the seed and the step; the class is a function of it.
 *  Shapes:  logits [classes]; log-probabilities are such logits. A class with -inf is not drawn unless all have it. */
int32_t lb_draw(const lb_real *logits, int64_t classes, double temperature, double uniform);

/* ---- Forced decoding: what a model gives to targets that it is told. ---- */

/** What a model finds of given targets; on the tape, in reading order. */
typedef struct lb_forced {
    /* [batch, T, target_vocab] of each token, given those that the model writes before it; NULL after an error */
    lb_tensor *log_probabilities;
    /* [batch, layers heads, T, S]; NULL without attention, and of members that vote */
    lb_tensor *weights;
} lb_forced;

/** Teacher forcing in reading order, whatever the direction of the model. The tape is in LB_MODE_EVALUATE meanwhile;
 *  its mode is restored.
 *  Target: `target_out` [batch, T] in reading order. A row ends with LB_EOS, or else was cut off.
 *  Errors: as lb_model_forward, recorded on the tape. */
lb_forced lb_forced_decode(const lb_model *model, lb_tokens source, lb_tokens target_out);

/* ---- Alignment: which position of the source each symbol of the target was written from. ---- */

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

/* ---- Ensembles that vote: whose word counts how much. ---- */

/** Puts the next sources and their right outputs on the tape, which it resets first, and says how outputs are searched
 *  for. False at the end, and after an error, which the tape has.
 *  Shapes: source [batch, S], target_out [batch, T] in reading order, each with LB_EOS at its end. */
typedef bool (*lb_right_outputs_fn)(void *context, lb_tape *tape, lb_tokens *source, lb_tokens *target_out,
                                    lb_beam_config *search);

/** Gives the members of an ensemble, of lb_ensemble_gather with these `params`, the weights under which right outputs
 *  are likeliest: the members of each direction search together, every member scores what all have found, and the
 *  weights, not negative and with the sum 1, maximise the softmax of g times the weighted scores. The sharpness g is
 *  fitted, too, and each weight is regularised toward 1 / members, by 5 nats times the square of its relative distance.
 *  Sources whose right output nobody finds teach nothing; without others, weights are equal.
 *  Exact:  a function of the outputs in their order. Weights are multiples of 0.0001, so that a file has them exactly.
 *  Errors: LB_ERROR_ARGUMENT for more than 64 members; LB_ERROR_MEMORY; those that the tape has. */
LB_MUST_USE lb_status lb_ensemble_fit(lb_ensemble *ensemble, lb_params *params, lb_right_outputs_fn next,
                                      void *context, lb_error *error);

/* ---- Checkpoints: parameters in a safetensors file, under their own names. ---- */

/** The contents of a file besides the parameters. Everything may be empty. */
typedef struct lb_checkpoint_extra {
    const lb_safetensors_tensor *tensors;
    int64_t tensor_count;
    const lb_safetensors_metadata *metadata;
    int64_t metadata_count;
} lb_checkpoint_extra;

/** Writes all parameters and `extra`. Errors: as lb_safetensors_write. */
LB_MUST_USE lb_status lb_checkpoint_save(const lb_params *params, const char *path, lb_checkpoint_extra extra,
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

/** The metadata key of "backward" in the file of a model that writes from the end; other files do not have it. */
#define LB_DIRECTION_KEY "lookback.direction"

/** Writes the model, without its vocabularies: lb_translator_save writes those, too, for programs. The file also gets
 *  `extra`, its metadata next to the keys "lookback.model", LB_CONFIG_KEY and, for a model that writes from the end,
 *  LB_DIRECTION_KEY.
 *  Errors: LB_ERROR_ARGUMENT if a custom kind has the name of a built-in one; LB_ERROR_FORMAT if the configuration has
 *          more bytes than lb_model_load accepts; as lb_safetensors_write. */
LB_MUST_USE lb_status lb_model_save(const lb_model *model, const lb_params *params, const char *path,
                                    lb_checkpoint_extra extra, lb_error *error);

/** The metadata key of the configuration of a model, as JSON. */
#define LB_CONFIG_KEY "lookback.config"

/** The fields of lb_seq2seq_config or lb_transformer_config, for the kind "seq2seq" or "transformer"; NULL for another
 *  one. They are what LB_CONFIG_KEY has of such a model, unless its attention is custom. */
const lb_config_field *lb_model_fields(const char *kind);

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
