/* A sequence-to-sequence model of any kind, as decoding, training and files see it. */
#ifndef LB_MODEL_H
#define LB_MODEL_H

#include "autograd/tokens.h"
#include "nn/params.h"

typedef struct lb_model_kind lb_model_kind;

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

struct cJSON;

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

    /* The configuration as JSON, to be released with lb_release; NULL if there is no memory. */
    char *(*config_json)(const lb_model *model);

    /* A model of that configuration, with fresh parameters below `name` in `params`, which own it ("" adds them without a
     * prefix); NULL after an error. */
    lb_model *(*restore)(lb_params *params, const char *name, const struct cJSON *config, lb_error *error);
};

/** Logits of every target position, given the right tokens before it (teacher forcing).
 *  Shapes: source [batch, S], target_in [batch, T] starting with LB_BOS -> [batch, T, target_vocab].
 *  Errors: LB_ERROR_SHAPE if the batches differ, LB_ERROR_INDEX for a token that the vocabulary does not have. */
lb_tensor *lb_model_forward(const lb_model *model, lb_tokens source, lb_tokens target_in);

/** Rows row[0], row[1], ... of x, as a tensor of their own; for lb_model_kind.select, where no gradient passes. NULL
 *  stays NULL. */
lb_tensor *lb_select_rows(lb_tape *tape, const lb_tensor *x, const int64_t *row, int64_t count);

#endif
