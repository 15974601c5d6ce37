/* What a model is, and what a kind of model or an attention of one's own consists of. docs/extending.md shows how to
 * write them. */
#ifndef LOOKBACK_KINDS_H
#define LOOKBACK_KINDS_H

#include "lookback/nn.h"

LB_BEGIN_DECLS

/* ---- A sequence-to-sequence model of any kind, as decoding, training and files see it. ---- */

/** What differs from one kind of model to another. */
typedef struct lb_model_kind lb_model_kind;
/** Kinds of models and of attention beside the built-in ones. */
typedef struct lb_extensions lb_extensions;

/** What all models begin with: `&seq2seq.base` and `&transformer.base` are models. */
typedef struct lb_model {
    const lb_model_kind *kind;
    int64_t source_vocab, target_vocab;
    int64_t layers, heads; /* of the attention of the decoder to the source; both 0 without */
    int64_t step_reals;    /* about what a step of decoding takes for each row, beside logits and weights */
    int64_t state_reals;   /* about what a state holds for each token of each row */
} lb_model;

/** Where a decoder stands, behind the source or behind some tokens of the target. Each kind of model has its own; it
 *  lives on the tape. NULL after an error. */
typedef const void *lb_decoder_state;

/** What comes of decoding some tokens. */
typedef struct lb_model_step {
    lb_tensor *logits;  /* [batch, T, target_vocab] */
    lb_tensor *weights; /* [batch, layers heads, T, S]: where each position looked; NULL without attention */
    lb_decoder_state state;
} lb_model_step;

/** Logits of every target position, given the right tokens before it (teacher forcing).
 *  Shapes: source [batch, S], target_in [batch, T] starting with LB_BOS -> [batch, T, target_vocab].
 *  Errors: LB_ERROR_SHAPE if the batches differ, LB_ERROR_INDEX for a token that the vocabulary does not have. */
lb_tensor *lb_model_forward(const lb_model *model, lb_tokens source, lb_tokens target_in);

/** One kind of model: what differs between a GRU and a transformer. */
struct lb_model_kind {
    const char *name; /* in files */

    /* Reads a batch of sources [batch, S]. */
    lb_decoder_state (*encode)(const lb_model *model, lb_tokens source);

    /* Decodes T more tokens from a state. */
    lb_model_step (*decode)(const lb_model *model, lb_decoder_state state, lb_tokens target_in);

    /* The state of rows row[0], row[1], ... of the batch, as a batch of their own. */
    lb_decoder_state (*select)(const lb_model *model, lb_tape *tape, lb_decoder_state state,
                               const int64_t *row, int64_t count);

    /* The configuration as JSON, to be released with lb_release; NULL if there is no memory. Of the built-in kinds the
     * library knows this and `restore` by itself, and they have NULL here. */
    char *(*config_json)(const lb_model *model);

    /* A model of that configuration, with fresh parameters below `name` in `params`, which own it ("" adds them without
     * a prefix); NULL after an error. `own` is what lb_model_load was given, for what the model is made of. */
    lb_model *(*restore)(lb_params *params, const char *name, const char *config, const lb_extensions *own,
                         lb_error *error);
};

/** Rows row[0], row[1], ... of x, as a tensor of their own; for lb_model_kind.select, where no gradient passes. NULL
 *  stays NULL. */
lb_tensor *lb_select_rows(lb_tape *tape, const lb_tensor *x, const int64_t *row, int64_t count);

/* ---- The attention of a recurrent decoder: what differs from one to another stands in a descriptor, as for models.
 * ---- */

/** What differs from one type of attention to another. */
typedef struct lb_attention_type lb_attention_type;

/** The widths of an attention. */
typedef struct lb_decoder_attention_config {
    int64_t query; /* width of the decoder's state */
    int64_t key;   /* width of the encoder's outputs */
    int64_t heads; /* for an attention that can have several; 0 means 1 */
} lb_decoder_attention_config;

/** The attention of one model. */
typedef struct lb_decoder_attention {
    const lb_attention_type *type;
    const char *name; /* of its parameters */
    lb_decoder_attention_config config;
    int64_t depth; /* of a context; 0 without attention */
    int64_t heads; /* of the weights */
    void *own;     /* what the type keeps beside: memory of lb_params_alloc */
} lb_decoder_attention;

/** What all steps ask: made once for a batch. */
typedef struct lb_attended_memory {
    lb_tensor *keys;   /* [batch, S, .]; NULL without attention */
    lb_tensor *values; /* [batch, S, .] */
    lb_tensor *mask;   /* [batch, S] */
} lb_attended_memory;

/** One type of attention. It must outlive the models that use it. */
struct lb_attention_type {
    const char *name; /* in files: less than LB_CONFIG_WORD_BYTES */

    /* Whether the output reads tanh(combine([state; context])), rather than [state; context]. */
    bool combines;

    /* Adds the parameters below attention->name, and sets `own`. There are a depth, that of the encoder's outputs, and
     * one head already; it may set others. Errors are recorded in `params`. */
    lb_status (*init)(lb_decoder_attention *attention, lb_params *params);

    /* Sets what `memory` shall hold, which is the encoder's outputs as keys and as values; what is made here is made
     * once for a batch, not at each step. NULL: these will do. */
    void (*prepare)(const lb_decoder_attention *attention, lb_attended_memory *memory);

    /* Asks with the decoder's states. Each row of the batch and each state by itself: a decoder asks with one at a
     * time.
     * Shapes: query [batch, Q, config.query] -> context [batch, Q, depth], weights [batch, heads, Q, S], or [batch, Q,
     *         S]
     * of one head. */
    lb_attended_result (*ask)(const lb_decoder_attention *attention, lb_tensor *query,
                              const lb_attended_memory *memory);
};

/* ---- What there is beside the built-in kinds: for whoever loads models. ---- */

/** Kinds and types of one's own. A name can be taken once, and the built-in ones' are. */
struct lb_extensions {
    const lb_model_kind *const *kinds;          /* NULL behind the last; or NULL: none */
    const lb_attention_type *const *attentions; /* the same */
};

/* ---- The configuration of a model in JSON: a table of its fields, by which it is written and read. ---- */

/** What a field is, in the struct and in JSON. */
typedef enum lb_config_kind {
    LB_CONFIG_SIZE,     /* int64_t: a whole number from 1 to a million */
    LB_CONFIG_COUNT,    /* int: the same */
    LB_CONFIG_FRACTION, /* lb_real: a number from 0 to below 1 */
    LB_CONFIG_FLAG,     /* bool: true or false */
    LB_CONFIG_CHOICE,   /* an enum that counts from 0: one of `names` */
    LB_CONFIG_WORD      /* char[LB_CONFIG_WORD_BYTES]: a text of less bytes, never missing */
} lb_config_kind;

enum { LB_CONFIG_WORD_BYTES = 32 };

/** Instead of a default, where files without the field make no sense. */
#define LB_CONFIG_NEEDED (-1)

/** One field of a configuration. */
typedef struct lb_config_field {
    const char *key; /* in JSON; NULL ends a table */
    size_t offset;   /* in the struct */
    lb_config_kind kind;
    int missing;              /* what a file without the field means, or LB_CONFIG_NEEDED */
    const char *const *names; /* of LB_CONFIG_CHOICE: one for each value, then NULL; else NULL */
} lb_config_field;

/** The struct as a JSON object with all fields of the table, in its order.
 *  Memory: to be released with lb_release; NULL if there is no memory. */
LB_MUST_USE char *lb_config_write(const lb_config_field *fields, const void *config);

/** Reads all fields of the table from a JSON object into the struct; those that it has beside them are left alone.
 *  False if one is not what its kind says, or is needed and not there. */
LB_MUST_USE bool lb_config_read(const lb_config_field *fields, const char *json, void *config);

/** Records that a configuration makes no sense, or what `params` hold against it. Returns NULL. */
lb_model *lb_config_fail(const lb_params *params, lb_error *error);

LB_END_DECLS

#endif
