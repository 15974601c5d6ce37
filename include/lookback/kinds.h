/* The interface of a model, and how to define a custom kind of model or attention. docs/extending.md has examples. */
#ifndef LOOKBACK_KINDS_H
#define LOOKBACK_KINDS_H

#include "lookback/io.h"
#include "lookback/nn.h"

LB_BEGIN_DECLS

/* ---- A sequence-to-sequence model of any kind, as decoding, training and files see it. ---- */

/** The functions of one kind of model. */
typedef struct lb_model_kind lb_model_kind;
/** Custom kinds of models and attention. */
typedef struct lb_extensions lb_extensions;

/** The first member of every model: `&seq2seq.base` and `&transformer.base` are models. */
typedef struct lb_model {
    const lb_model_kind *kind;
    int64_t source_vocab, target_vocab;
    int64_t layers, heads; /* of the attention of the decoder to the source; both 0 without attention */
    int64_t step_reals; /* estimated numbers per row that a decoding step needs, without logits and weights */
    int64_t state_reals; /* estimated numbers per token and row that a state holds */
    int64_t positions;   /* the most tokens of a source or a target, where decoding stops; 0: any number */
    /* It writes its targets from their end. Decoding returns them in reading order all the same; lb_model_forward and
     * the functions of a kind read them in the order of writing, from the last symbol to the first. */
    bool from_end;
    lb_normalizer output; /* makes probabilities of the logits [LB_SOFTMAX] */
    bool copies; /* it can copy symbols of the source, or a member of it can: see lb_model_set_copies */
} lb_model;

/** The state of a decoder after the source and some tokens of the target. Each kind of model defines its own. It lives
 *  on the tape. NULL after an error. */
typedef const void *lb_decoder_state;

/** The result of decoding some tokens. */
typedef struct lb_model_step {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, layers heads, T, S]: attention of each position; NULL without attention */
    lb_decoder_state state;
} lb_model_step;

/** Logits of every target position, given the correct tokens before it (teacher forcing). A model with `from_end` reads
 *  and finds the tokens in the order in which it writes, from the end.
 *  Shapes: source [batch, S], target_in [batch, T] starting with LB_BOS -> [batch, T, target_vocab].
 *  Errors: LB_ERROR_SHAPE if the batch sizes differ, LB_ERROR_INDEX for a token outside the vocabulary. */
lb_tensor *lb_model_forward(const lb_model *model, lb_tokens source, lb_tokens target_in);

/** The loss that belongs to these probabilities: lb_cross_entropy_smoothed or lb_entmax_loss.
 *  Weights: [batch] what the loss of each row of the targets counts; NULL: 1. */
lb_tensor *lb_model_loss(const lb_model *model, lb_tensor *logits, lb_tokens targets, const lb_real *weights,
                         int32_t ignored, lb_real smoothing);

struct lb_beam;
struct lb_beam_config;

/** One kind of model, such as a GRU or a transformer. */
struct lb_model_kind {
    const char *name; /* in files */

    /* Encodes a batch of sources [batch, S]. */
    lb_decoder_state (*encode)(const lb_model *model, lb_tokens source);

    /* Decodes T more tokens from a state. */
    lb_model_step (*decode)(const lb_model *model, lb_decoder_state state, lb_tokens target_in);

    /* The state of rows row[0], row[1], ... of the batch, as a new batch. All of it that `decode` has made must be
     * copied, as lb_select_rows does: decoding frees what a step has made when it is done. What `encode` has made
     * lasts. */
    lb_decoder_state (*select)(const lb_model *model, lb_tape *tape, lb_decoder_state state,
                               const int64_t *row, int64_t count);

    /* The configuration as JSON; release it with lb_release. NULL if there is no memory. For the built-in kinds, this
     * and `restore` are NULL: the library handles them itself. */
    char *(*config_json)(const lb_model *model);

    /* A model with that configuration and new parameters below `name` in `params` ("" adds them without a prefix).
     * `params` owns the model. NULL after an error. `own` is the argument of lb_model_load, for models that contain
     * other kinds. */
    lb_model *(*restore)(lb_params *params, const char *name, const char *config, const lb_extensions *own,
                         lb_error *error);

    /* NULL, but for a kind without steps, such as an ensemble whose members write in different directions. It has this
     * and `force` instead of `encode`, `decode` and `select`: lb_beam_search with a settled configuration. */
    struct lb_beam (*search)(const lb_model *model, lb_tokens source, struct lb_beam_config config);

    /* The log-probabilities [batch, T, target_vocab] of given targets, each in reading order; NULL after an error. */
    lb_tensor *(*force)(const lb_model *model, lb_tokens source, lb_tokens target_out);

    /* lb_model_forward: the logits [batch, T, target_vocab] of `encode` and `decode`, where these cost more because of
     * their weights. NULL: these two are called. */
    lb_tensor *(*forward)(const lb_model *model, lb_tokens source, lb_tokens target_in);
};

/** Rows row[0], row[1], ... of x as a new tensor, without a gradient: for lb_model_kind.select. NULL stays NULL. */
lb_tensor *lb_select_rows(lb_tape *tape, const lb_tensor *x, const int64_t *row, int64_t count);

/* ---- The attention of a recurrent decoder. ---- */

/** The functions of one type of attention. */
typedef struct lb_attention_type lb_attention_type;

/** The widths of an attention. */
typedef struct lb_decoder_attention_config {
    int64_t query;            /* width of the decoder state */
    int64_t key;              /* width of the encoder outputs */
    int64_t heads;            /* for an attention with several heads; 0 means 1 */
    lb_normalizer normalizer; /* of the weights, for an attention that lets its user choose [LB_SOFTMAX] */
    int64_t window;           /* for an attention with one: lb_seq2seq_config.window */
} lb_decoder_attention_config;

/** The attention of one model. */
typedef struct lb_decoder_attention {
    const lb_attention_type *type;
    const char *name; /* of its parameters */
    lb_decoder_attention_config config;
    int64_t depth; /* of a context; 0 without attention */
    int64_t heads; /* of the weights */
    void *own;     /* further data of the type, from lb_params_alloc */
} lb_decoder_attention;

/** The memory that all steps attend to. All but `past` is computed once per batch. */
typedef struct lb_attended_memory {
    lb_tensor *keys;   /* [batch, S, .]; NULL without attention */
    lb_tensor *values; /* [batch, S, .] */
    lb_tensor *mask;   /* [batch, S] */
    /* The state of a built-in attention after the steps before; NULL if it needs none. Coverage: the sum of their
     * weights, [batch, S]; location: the weights of the last one, [batch, S]; local-m: the position of the next one,
     * and the way to the one after, [batch, 2]; monotonic: the beliefs of lb_attend_monotonic, NULL before the first
     * step. */
    lb_tensor *past;
} lb_attended_memory;

/** One type of attention. It must outlive the models that use it. */
struct lb_attention_type {
    const char *name; /* in files: fewer than LB_CONFIG_WORD_BYTES bytes */

    /* Whether the output layer reads tanh(combine([state; context])) instead of [state; context]. */
    bool combines;

    /* Adds the parameters below attention->name and sets `own`. `depth` is the width of the encoder outputs and `heads`
     * is 1; it may change both. Errors are recorded in `params`. */
    lb_status (*init)(lb_decoder_attention *attention, lb_params *params);

    /* Projects keys and values once per batch, not at each step. On entry, `memory` holds the encoder outputs as both.
     * NULL: they are used unchanged. */
    void (*prepare)(const lb_decoder_attention *attention, lb_attended_memory *memory);

    /* Attends with the decoder states. Rows and states are independent: a decoder asks with one state at a time.
     * Shapes: query [batch, Q, config.query] -> context [batch, Q, depth], weights [batch, heads, Q, S], or
     *         [batch, Q, S] with one head. */
    lb_attended_result (*ask)(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory);
};

/* ---- Custom kinds, for loading models. ---- */

/** Custom kinds of models and attention. Names must be unique and differ from the built-in ones. */
struct lb_extensions {
    const lb_model_kind *const *kinds;          /* ends with NULL; or NULL: none */
    const lb_attention_type *const *attentions; /* ends with NULL; or NULL: none */
};

/** Records that a configuration is invalid, or the error of `params` if there is one; an error that lb_config_read has
 *  recorded stays. Returns NULL. */
lb_model *lb_config_fail(const lb_params *params, lb_error *error);

LB_END_DECLS

#endif
