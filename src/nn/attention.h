/* Attention modules. */
#ifndef LB_ATTENTION_H
#define LB_ATTENTION_H

#include "nn/params.h"

/** What attention gives back. */
typedef struct lb_attended_result {
    lb_tensor *context; /* [batch, Q, depth] */
    lb_tensor *weights; /* [batch, Q, K]: what to draw */
} lb_attended_result;

/** A padding mask [batch, K] as one that broadcasts over heads and queries: [batch, 1, 1, K]. NULL stays NULL. */
lb_tensor *lb_key_mask(lb_tensor *mask);

/** Additive attention: score(q, k) = v' tanh(W_q q + W_k k).
 *  Source: Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A.1.2. */
typedef struct lb_additive_attention {
    const char *name;
    lb_tensor *query; /* W_q [width, query] */
    lb_tensor *key;   /* W_k [width, key] */
    lb_tensor *v;     /* [1, width] */
} lb_additive_attention;

typedef struct lb_additive_attention_config {
    int64_t query, key; /* widths of what comes in */
    int64_t width;      /* in which they are compared; 0 means that of the query */
} lb_additive_attention_config;

/** Adds NAME.W_q.weight, NAME.W_k.weight and NAME.v.weight, as nn.Linear without bias starts them.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_additive_attention_init(lb_additive_attention *attention, lb_params *params, const char *name,
                                     lb_additive_attention_config config);

/** Shapes: query [batch, Q, query], keys [batch, K, key], values [batch, K, depth], mask [batch, K] or NULL.
 *  Mask:   1 attends, 0 does not. A row of weights sums to 1; a row with nothing to attend to is all zeros.
 *  Errors: LB_ERROR_SHAPE: both results are poison. Memory: results live until lb_tape_reset. */
lb_attended_result lb_additive_attention_forward(const lb_additive_attention *attention, lb_tensor *query,
                                                 lb_tensor *keys, lb_tensor *values, lb_tensor *mask);

/** The keys as the scores use them, W_k k: for a decoder that asks the same keys at every step.
 *  Shapes: keys [batch, K, key] -> [batch, K, width]. */
lb_tensor *lb_additive_attention_project_keys(const lb_additive_attention *attention, lb_tensor *keys);

/** Multiplicative attention: score(q, k) = (W q)' k, or q' k without a weight.
 *  Source: Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.1: "general" and "dot". */
typedef struct lb_multiplicative_attention {
    const char *name;
    lb_tensor *weight; /* W [key, query]; NULL: dot */
    lb_real scale;     /* of the scores */
} lb_multiplicative_attention;

typedef enum lb_score {
    LB_SCORE_DOT,        /* q' k */
    LB_SCORE_SCALED_DOT, /* q' k / sqrt(width) */
    LB_SCORE_GENERAL     /* (W q)' k */
} lb_score;

/** Adds NAME.W.weight, as nn.Linear without bias starts it, for LB_SCORE_GENERAL; nothing for the others, which need
 *  queries and keys of one width.
 *  Errors: LB_ERROR_ARGUMENT if the widths must be equal and are not; those of lb_params_add. Recorded in `params`. */
lb_status lb_multiplicative_attention_init(lb_multiplicative_attention *attention, lb_params *params,
                                           const char *name, lb_score score, int64_t query, int64_t key);

/** Shapes, mask and errors as lb_additive_attention_forward. */
lb_attended_result lb_multiplicative_attention_forward(const lb_multiplicative_attention *attention,
                                                       lb_tensor *query, lb_tensor *keys, lb_tensor *values,
                                                       lb_tensor *mask);

#endif
