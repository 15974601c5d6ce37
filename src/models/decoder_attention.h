/* The attention of a recurrent decoder: any kind of it, behind one door. */
#ifndef LB_DECODER_ATTENTION_H
#define LB_DECODER_ATTENTION_H

#include "nn/attention.h"
#include "nn/multi_head.h"

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

typedef struct lb_decoder_attention_config {
    lb_attention_kind kind;
    int64_t query; /* width of the decoder's state */
    int64_t key;   /* width of the encoder's outputs */
    int64_t heads; /* LB_ATTENTION_MULTI_HEAD only; 0 means 1 */
} lb_decoder_attention_config;

typedef struct lb_decoder_attention {
    lb_decoder_attention_config config;
    int64_t depth; /* of a context; 0 without attention */
    int64_t heads; /* of the weights */
    lb_additive_attention additive;
    lb_multiplicative_attention multiplicative;
    lb_multi_head multi_head;
} lb_decoder_attention;

/** Adds the kind's parameters below NAME: W_q, W_k, v (additive); W (general); W_q, W_k, W_v, W_o (multi-head).
 *  Errors: LB_ERROR_ARGUMENT if the widths or heads do not fit the kind; those of lb_params_add. Recorded in `params`. */
lb_status lb_decoder_attention_init(lb_decoder_attention *attention, lb_params *params, const char *name,
                                    lb_decoder_attention_config config);

/** What all steps ask: made once for a batch. */
typedef struct lb_attended_memory {
    lb_tensor *keys;   /* [batch, S, .]; NULL without attention */
    lb_tensor *values; /* [batch, S, .] */
    lb_tensor *mask;   /* [batch, S] */
} lb_attended_memory;

/** Shapes: outputs [batch, S, key], mask [batch, S]. */
lb_attended_memory lb_decoder_attention_prepare(const lb_decoder_attention *attention, lb_tensor *outputs,
                                                lb_tensor *mask);

/** Asks with some states. Not for LB_ATTENTION_NONE, nor for LB_ATTENTION_ADDITIVE, which lb_attention_gru_sequence asks.
 *  Shapes: query [batch, Q, query] -> context [batch, Q, depth], weights [batch, heads, Q, S]. */
lb_attended_result lb_decoder_attention_ask(const lb_decoder_attention *attention, lb_tensor *query,
                                            const lb_attended_memory *memory);

#endif
