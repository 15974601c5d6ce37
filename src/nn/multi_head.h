/* Multi-head attention. */
#ifndef LB_MULTI_HEAD_H
#define LB_MULTI_HEAD_H

#include "nn/attention.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"

/** Zero means the default in brackets. */
typedef struct lb_multi_head_config {
    int64_t embed;     /* width of the query and of what goes out */
    int64_t key_embed; /* width of what keys and values are made from [embed]; another one needs names */
    int64_t heads;     /* [1] */
    int64_t key_width, value_width; /* of one head [embed / heads, which must be whole] */
    bool no_bias;
    lb_real dropout; /* [0] on the weights */
    /* Names of the projections of query, key, value and output, such as {"w_qs", "w_ks", "w_vs", "fc"}. [NULL: those of
     * nn.MultiheadAttention, with the first three packed into in_proj_weight and in_proj_bias] */
    const char *const *names;
} lb_multi_head_config;

/** Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2. */
typedef struct lb_multi_head {
    const char *name;
    lb_multi_head_config config;
    lb_tensor *packed_weight,
        *packed_bias;            /* [3 embed, embed] and [3 embed]; NULL if the projections have names */
    lb_linear query, key, value; /* used if they have names */
    lb_linear output;
} lb_multi_head;

/** Adds the projections below NAME, started as nn.MultiheadAttention (packed) or nn.Linear (named) starts them.
 *  Errors: LB_ERROR_ARGUMENT if the heads do not divide `embed`, or if packed projections are asked for with widths of
 *          their own; those of lb_params_add. Recorded in `params`. */
lb_status lb_multi_head_init(lb_multi_head *attention, lb_params *params, const char *name,
                             lb_multi_head_config config);

/** Shapes: query [batch, Q, embed], keys and values [batch, K, embed] -> context [batch, Q, embed], weights
 *          [batch, heads, Q, K]. Self-attention passes the same tensor three times.
 *  Mask:   mask (1 attends, 0 does not) and bias (added, -inf hides) broadcast to the weights; either may be NULL.
 *          For a padding mask [batch, K] see lb_key_mask. Errors: LB_ERROR_SHAPE. */
lb_attended_result lb_multi_head_forward(const lb_multi_head *attention, lb_tensor *query, lb_tensor *keys,
                                         lb_tensor *values, lb_tensor *mask, lb_tensor *bias);

/** Keys and values as the heads see them: what the queries of one step or of many are held against. */
typedef struct lb_key_values {
    lb_tensor *keys;   /* [batch, K, heads key_width] */
    lb_tensor *values; /* [batch, K, heads value_width] */
} lb_key_values;

/** The two halves of lb_multi_head_forward, for a decoder that asks the same keys at every step. */
lb_key_values lb_multi_head_project(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values);
lb_attended_result lb_multi_head_ask(const lb_multi_head *attention, lb_tensor *query, lb_key_values seen,
                                     lb_tensor *mask, lb_tensor *bias);

/** Multi-head attention with what a transformer puts around it: norm(query + dropout(attention)). */
typedef struct lb_multi_head_block {
    lb_multi_head attention;
    lb_layer_norm norm; /* NAME.layer_norm */
    lb_real dropout;    /* on the output */
} lb_multi_head_block;

/** Adds the attention's parameters below NAME and NAME.layer_norm; an epsilon of 0 means 1e-5.
 *  Errors: as lb_multi_head_init. */
lb_status lb_multi_head_block_init(lb_multi_head_block *block, lb_params *params, const char *name,
                                   lb_multi_head_config config, lb_real dropout, lb_real epsilon);

/** Shapes and errors as lb_multi_head_forward. */
lb_attended_result lb_multi_head_block_forward(const lb_multi_head_block *block, lb_tensor *query,
                                               lb_tensor *keys, lb_tensor *values, lb_tensor *mask);

#endif
