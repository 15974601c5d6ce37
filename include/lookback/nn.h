/* Parameters and modules: linear, embedding, layer norm, GRU, attention, transformer layers. */
#ifndef LOOKBACK_NN_H
#define LOOKBACK_NN_H

#include "lookback/autograd.h"

LB_BEGIN_DECLS

/* ---- The parameter store: it owns every weight of a model, in one slab for values and one for gradients, so that an
 * optimiser is one flat loop. ---- */

/** Every parameter of one model or of several, with its gradient. Not to be changed while another thread uses it. */
typedef struct lb_params lb_params;

/** How numbers are made. */
typedef enum lb_init_kind { LB_INIT_CONSTANT, LB_INIT_UNIFORM, LB_INIT_NORMAL } lb_init_kind;

/** How a parameter starts. */
typedef struct lb_init {
    lb_init_kind kind; /* all the same, or drawn */
    double
        scale; /* the constant; the bound of a uniform distribution; the standard deviation of a normal one */
} lb_init;

/** A new, empty store; NULL if there is no memory for it, and every function takes NULL for such a store. The seed
 *  decides how parameters start: each depends on the seed and its own name only, not on the order in which they are
 *  added. */
lb_params *lb_params_new(uint64_t seed);

/** Frees the store and all that it owns. NULL is allowed. */
void lb_params_free(lb_params *params);

/** The first error since the store was made; LB_OK if there is none. */
lb_status lb_params_status(const lb_params *params);

/** Its text; "" if there is none. */
const char *lb_params_error(const lb_params *params);

/** Adds the parameter "module.name"; "name" if `module` is "".
 *  Memory: the tensor's address stays as long as the store lives; where its data lies changes while parameters are
 *          added.
 *  Errors: LB_ERROR_ARGUMENT if the name is taken, LB_ERROR_SHAPE, LB_ERROR_MEMORY: recorded, and the tensor returned
 *          is poison. */
lb_tensor *lb_params_add(lb_params *params, const char *module, const char *name, lb_shape shape,
                         lb_init init);

/** Parameters in the order in which they were added; NULL of an index that there is not. */
int lb_params_count(const lb_params *params);
/** Parameter `index`, 0 <= index < count. Memory: the store's. */
lb_tensor *lb_params_tensor(const lb_params *params, int index);
/** Its name, such as "model.encoder.weight_ih_l0". Memory: the store's. */
const char *lb_params_name(const lb_params *params, int index);

/** The parameter of that name, or NULL. */
lb_tensor *lb_params_find(const lb_params *params, const char *name);

/** Numbers in a slab: all parameters one behind the other, each starting at a multiple of 64 bytes, zeros between
 *  them. */
int64_t lb_params_size(const lb_params *params);
/** The slab of values. Memory: the store's; it moves while parameters are added. */
lb_real *lb_params_values(const lb_params *params);
/** The slab of gradients, laid out as that of the values. Memory: as lb_params_values. */
lb_real *lb_params_grads(const lb_params *params);

/** Numbers that are learned: the elements of all parameters, without the gaps. */
int64_t lb_params_learned(const lb_params *params);

/** Sets all gradients to zero. The optimisers do so after each step. */
void lb_params_zero_grads(lb_params *params);

/** Records an error, unless there is one: no parameter can be added from then on. Returns `status`. For modules whose
 *  sizes are impossible. */
lb_status lb_params_fail(lb_params *params, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Memory that lives as long as the store, all zero; NULL, with the error recorded, if there is no more. */
void *lb_params_alloc(lb_params *params, size_t bytes);

/** The text "module.name", or "name" if `module` is "", alive as long as the store; "" if there is no memory. */
const char *lb_params_scope(lb_params *params, const char *module, const char *name);

/* ---- The linear layer. ---- */

/** The sizes of a linear layer. Zero means the default in brackets. */
typedef struct lb_linear_config {
    int64_t inputs, outputs;
    bool no_bias;
    lb_tensor
        *tied; /* another module's weight [outputs, inputs], to be shared: then none is added; or NULL */
} lb_linear_config;

/** y = x weight' + bias. */
typedef struct lb_linear {
    const char *name;
    lb_tensor *weight; /* [outputs, inputs] */
    lb_tensor *bias;   /* [outputs]; NULL without bias */
} lb_linear;

/** Adds NAME.weight, unless it is tied, and NAME.bias, uniform within 1 / sqrt(inputs) as nn.Linear starts them.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_linear_init(lb_linear *linear, lb_params *params, const char *name, lb_linear_config config);

/** Shapes: x [..., inputs] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward(const lb_linear *linear, lb_tensor *x);

/* ---- The embedding: a vector for each token. ---- */

/** A table with a row for each token. */
typedef struct lb_embedding {
    const char *name;
    lb_tensor *weight; /* [vocabulary, width] */
} lb_embedding;

/** Adds NAME.weight, normal with this standard deviation; 0 means 1, as nn.Embedding starts it.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_embedding_init(lb_embedding *embedding, lb_params *params, const char *name, int64_t vocabulary,
                            int64_t width, double deviation);

/** Shapes: tokens [batch, length] -> [batch, length, width]. Errors: LB_ERROR_INDEX. */
lb_tensor *lb_embedding_forward(const lb_embedding *embedding, lb_tokens tokens);

/* ---- Layer normalisation as a module. ---- */

/** (x - mean) / sqrt(variance + epsilon) over the last axis, times weight, plus bias. */
typedef struct lb_layer_norm {
    const char *name;
    lb_tensor *weight, *bias; /* [width] */
    lb_real epsilon;
} lb_layer_norm;

/** Adds NAME.weight, all 1, and NAME.bias, all 0. An epsilon of 0 means 1e-5, as in nn.LayerNorm.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_layer_norm_init(lb_layer_norm *norm, lb_params *params, const char *name, int64_t width,
                             lb_real epsilon);

/** Shapes: x [..., width] -> the same. Errors: LB_ERROR_SHAPE. Source: see lb_normalize. */
lb_tensor *lb_layer_norm_forward(const lb_layer_norm *norm, lb_tensor *x);

/* ---- Where a token stands: attention alone does not know. ---- */

/** Where the encoding of a position comes from. */
typedef enum lb_positional_kind {
    LB_POSITIONAL_SINUSOIDAL, /* sin and cos of the position at wavelengths from 2 pi to 10000 2 pi; no parameters */
    LB_POSITIONAL_LEARNED /* a vector for each position */
} lb_positional_kind;

/** What kind of encoding, and how large. */
typedef struct lb_positional_config {
    lb_positional_kind kind;
    int64_t width;
    int64_t max_length; /* of a sequence; only LB_POSITIONAL_LEARNED needs it */
} lb_positional_config;

/** What is added to a token for its position. */
typedef struct lb_positional {
    const char *name;
    lb_positional_config config;
    lb_tensor *weight; /* [max_length, width]; NULL if sinusoidal */
} lb_positional;

/** Adds NAME.weight, normal with deviation 0.02, if it is learned. Errors: those of lb_params_add. */
lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config);

/** x plus the encoding of positions `first`, first + 1, ...
 *  Shapes: x [batch, length, width] -> the same.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX if `first` is negative, or beyond max_length.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5: even columns sine, odd columns cosine. */
lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first);

/* ---- The GRU: a cell, and whole sequences of any number of layers and one or two directions. ---- */

/** Weights of one layer in one direction, gates in the order r, z, n. */
typedef struct lb_gru_cell {
    const char *name;
    lb_tensor *weight_ih; /* [3 hidden, input] */
    lb_tensor *weight_hh; /* [3 hidden, hidden] */
    lb_tensor *bias_ih;   /* [3 hidden] */
    lb_tensor *bias_hh;   /* [3 hidden] */
} lb_gru_cell;

/** Adds NAME.weight_ih, weight_hh, bias_ih and bias_hh, each with `suffix` ("" or "_l0"), uniform within
 *  1 / sqrt(hidden) as nn.GRU starts them. Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_gru_cell_init(lb_gru_cell *cell, lb_params *params, const char *name, const char *suffix,
                           int64_t input, int64_t hidden);

/** One step. Shapes: x [batch, input], state [batch, hidden] -> the next state. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_gru_cell_forward(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state);

/** The sizes of a GRU. Zero means the default in brackets. */
typedef struct lb_gru_config {
    int64_t input, hidden;
    int layers; /* 0 means 1 */
    bool bidirectional;
    lb_real dropout; /* on what passes from one layer to the next */
} lb_gru_config;

/** Layers of cells over whole sequences, in one direction or in both. */
typedef struct lb_gru {
    const char *name;
    lb_gru_config config;
    int directions;    /* 1 or 2 */
    lb_gru_cell *cell; /* [layers * directions]: layer 0 forward, layer 0 backward, layer 1 forward, ... */
} lb_gru;

/** Adds the weights under PyTorch's names, NAME.weight_ih_l0, NAME.weight_ih_l0_reverse and so on.
 *  Errors: LB_ERROR_ARGUMENT for a negative number of layers; those of lb_params_add. Recorded in `params`. */
lb_status lb_gru_init(lb_gru *gru, lb_params *params, const char *name, lb_gru_config config);

/** What a GRU gives back. */
typedef struct lb_gru_result {
    lb_tensor *outputs; /* [batch, time, directions * hidden], zero behind a row's end */
    lb_tensor **final;  /* [layers * directions] of [batch, hidden]: PyTorch's h_n */
} lb_gru_result;

/** Runs over a padded batch.
 *  Shapes:  x [batch, time, input]; initial: layers * directions tensors [batch, hidden], or NULL for zeros.
 *  Lengths: [batch], alive until lb_tape_reset; NULL if all rows are full.
 *  Errors:  LB_ERROR_SHAPE, LB_ERROR_ARGUMENT; then the outputs are poison and so is every final state. If x is on no
 *           tape, or memory is out, `final` is NULL. */
lb_gru_result lb_gru_forward(const lb_gru *gru, lb_tensor *x, lb_tensor *const *initial,
                             const int32_t *lengths);

/** The same on tokens: lb_gru_forward on their embedding, but the first layer reads its input from a table where that
 *  costs less. Errors: also LB_ERROR_INDEX. */
lb_gru_result lb_gru_forward_tokens(const lb_gru *gru, const lb_embedding *embedding, lb_tokens tokens,
                                    lb_tensor *const *initial);

/* ---- Attention modules. ---- */

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

/** The widths of additive attention. Zero means the default in brackets. */
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

/** How well a query q and a key k fit. */
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

/* ---- Multi-head attention. ---- */

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

/** The first half of lb_multi_head_forward, for a decoder that asks the same keys at every step; the second is
 *  lb_multi_head_ask. */
lb_key_values lb_multi_head_project(const lb_multi_head *attention, lb_tensor *keys, lb_tensor *values);
/** The second half: asks what lb_multi_head_project made. Shapes, mask and errors as lb_multi_head_forward. */
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

/* ---- Transformer layers and stacks of them, with PyTorch's equations and names. ---- */

/** Zero means the default in brackets. */
typedef struct lb_transformer_layer_config {
    int64_t width;        /* of the model */
    int64_t heads;        /* [1] */
    int64_t feed_forward; /* width between the two linear maps [4 width] */
    lb_real dropout;      /* [0] on the weights, after each part, and within the feed-forward part */
    bool pre_norm;        /* normalise before each part instead of after it: nn's norm_first */
    lb_real epsilon;      /* of the layer norms [1e-5] */
} lb_transformer_layer_config;

/** One layer: attention to itself, attention to the encoder's output in a decoder, and a feed-forward part, each with
 *  a residual connection and a layer norm. */
typedef struct lb_transformer_layer {
    lb_transformer_layer_config config;
    bool crosses;              /* a decoder's layer */
    lb_multi_head self, cross; /* NAME.self_attn, NAME.multihead_attn */
    lb_linear inner, outer;    /* NAME.linear1, NAME.linear2; relu between them */
    lb_layer_norm norm[3];     /* NAME.norm1 and so on */
} lb_transformer_layer;

/** Adds the parameters of nn.TransformerEncoderLayer, or with `crosses` of nn.TransformerDecoderLayer, below NAME.
 *  Errors: LB_ERROR_ARGUMENT if the heads do not divide the width; those of lb_params_add. Recorded in `params`. */
lb_status lb_transformer_layer_init(lb_transformer_layer *layer, lb_params *params, const char *name,
                                    bool crosses, lb_transformer_layer_config config);

/** What a layer attends to, and what it saw. Arrays have an entry for each layer of a stack. */
typedef struct lb_transformer_context {
    lb_tensor *self_mask; /* broadcasts to [batch, heads, length, past + length]; NULL: none */
    lb_key_values
        *past;         /* of the positions before x, NULL tensors if there are none: those of x are appended.
                               NULL: x begins the sequence */
    lb_tensor *memory; /* the encoder's output [batch, S, width]; decoder only */
    const lb_key_values
        *memory_projected;  /* instead of `memory`: lb_transformer_stack_project made them of it */
    lb_tensor *memory_mask; /* broadcasts to [batch, heads, length, S]; NULL: none */
    lb_tensor **self_weights, **cross_weights; /* stored where these are not NULL */
} lb_transformer_context;

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE. `index` says which weights are stored
 *          where. */
lb_tensor *lb_transformer_layer_forward(const lb_transformer_layer *layer, lb_tensor *x,
                                        const lb_transformer_context *context, int index);

/** A stack: NAME.layers.0, NAME.layers.1, ... and NAME.norm, as in nn.Transformer. */
typedef struct lb_transformer_stack {
    int layers;
    lb_transformer_layer *layer; /* [layers] */
    lb_layer_norm norm;
} lb_transformer_stack;

/** Errors: as lb_transformer_layer_init; LB_ERROR_ARGUMENT for less than one layer. */
lb_status lb_transformer_stack_init(lb_transformer_stack *stack, lb_params *params, const char *name,
                                    bool crosses, int layers, lb_transformer_layer_config config);

/** What every layer of a decoder makes of the encoder's output: once for a sequence that is decoded step by step.
 *  Shapes: memory [batch, S, width] -> `projected` [layers]. */
void lb_transformer_stack_project(const lb_transformer_stack *stack, lb_tensor *memory,
                                  lb_key_values *projected);

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: a norm behind the last layer, as nn.Transformer has it. */
lb_tensor *lb_transformer_stack_forward(const lb_transformer_stack *stack, lb_tensor *x,
                                        const lb_transformer_context *context);

LB_END_DECLS

#endif
