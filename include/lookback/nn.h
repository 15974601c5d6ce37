/* Parameters and modules: linear, embedding, layer norm, GRU, attention, transformer layers. */
#ifndef LOOKBACK_NN_H
#define LOOKBACK_NN_H

#include "lookback/autograd.h"

LB_BEGIN_DECLS

/* ---- The parameter store. It owns all weights of a model, values in one slab and gradients in another, so that an
 * optimiser is one flat loop. ---- */

/** The parameters of one or more models, with their gradients. Do not change it while another thread uses it. */
typedef struct lb_params lb_params;

/** The distribution of initial values. */
typedef enum lb_init_kind { LB_INIT_CONSTANT, LB_INIT_UNIFORM, LB_INIT_NORMAL } lb_init_kind;

/** The initial values of a parameter. */
typedef struct lb_init {
    lb_init_kind kind;
    /* The constant, the bound of a uniform or the standard deviation of a normal distribution. */
    double scale;
} lb_init;

/** A new, empty store; NULL if there is no memory for it. Every function accepts NULL as such a store. Initial values
 *  depend only on the seed and the name of the parameter, not on the order in which parameters are added. */
lb_params *lb_params_new(uint64_t seed);

/** Frees the store and everything that it owns. NULL is allowed. */
void lb_params_free(lb_params *params);

/** The first error since lb_params_new; LB_OK if there is none. */
lb_status lb_params_status(const lb_params *params);

/** The message of that error; "" if there is none. */
const char *lb_params_error(const lb_params *params);

/** Adds the parameter "module.name", or "name" if `module` is "".
 *  Memory: the address of the tensor is valid as long as the store; its data moves while parameters are added.
 *  Errors: LB_ERROR_ARGUMENT if the name is taken, LB_ERROR_SHAPE, LB_ERROR_MEMORY. They are recorded in `params`, and
 *          the returned tensor is poison. */
lb_tensor *lb_params_add(lb_params *params, const char *module, const char *name, lb_shape shape,
                         lb_init init);

/** The number of parameters. */
int64_t lb_params_count(const lb_params *params);
/** Parameter `index` in the order of addition; NULL unless 0 <= index < count. Memory: owned by the store. */
lb_tensor *lb_params_tensor(const lb_params *params, int64_t index);
/** The name of parameter `index`, such as "model.encoder.weight_ih_l0"; NULL unless 0 <= index < count.
 *  Memory: owned by the store. */
const char *lb_params_name(const lb_params *params, int64_t index);

/** The parameter with that name, or NULL. */
lb_tensor *lb_params_find(const lb_params *params, const char *name);

/** The length of a slab in numbers. A slab holds all parameters one after the other; each starts at a multiple of 64
 *  bytes, and the gaps are zero. */
int64_t lb_params_size(const lb_params *params);
/** The slab of values. Memory: owned by the store; it moves while parameters are added. */
lb_real *lb_params_values(const lb_params *params);
/** A hash of the values: FNV-1a of 64 bits over them as little-endian float32, in the order of the names of the
 *  parameters, of those whose names begin with `prefix`. */
uint64_t lb_params_hash(const lb_params *params, const char *prefix);
/** The slab of gradients, with the layout of the values. Memory: as lb_params_values. */
lb_real *lb_params_grads(const lb_params *params);

/** The number of learned weights: the elements of all parameters, without the gaps. */
int64_t lb_params_learned(const lb_params *params);

/** Freezes a parameter, or all parameters of a module, such as "encoder": they get no gradient from now on, and the
 *  optimisers leave their bits as they are. Returns how many parameters have that name or lie in that module. */
int64_t lb_params_freeze(lb_params *params, const char *name);

/** Sets all gradients to zero. The optimisers do this after each step. */
void lb_params_zero_grads(lb_params *params);

/** Zeroed memory that lives as long as the store. If there is none, records the error and returns NULL. */
void *lb_params_alloc(lb_params *params, size_t bytes);

/** The text "module.name", or "name" if `module` is "". It lives as long as the store; "" if there is no memory. */
const char *lb_params_scope(lb_params *params, const char *module, const char *name);

/* ---- The linear layer. ---- */

/** The sizes of a linear layer. Zero means the default in brackets. */
typedef struct lb_linear_config {
    int64_t inputs, outputs;
    bool no_bias;
    lb_tensor *tied; /* [NULL] the weight [outputs, inputs] of another module, to share */
} lb_linear_config;

/** y = x weight' + bias. */
typedef struct lb_linear {
    const char *name;
    lb_tensor *weight; /* [outputs, inputs] */
    lb_tensor *bias;   /* [outputs]; NULL without bias */
} lb_linear;

/** Adds NAME.weight, unless it is tied, and NAME.bias, both uniform within 1 / sqrt(inputs), as in nn.Linear.
 *  Errors: as lb_params_add, also recorded in `params`. */
lb_status lb_linear_init(lb_linear *linear, lb_params *params, const char *name, lb_linear_config config);

/** Shapes: x [..., inputs] -> [..., outputs]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_linear_forward(const lb_linear *linear, lb_tensor *x);

/* ---- The embedding: one vector per token. ---- */

/** A table with one row per token. */
typedef struct lb_embedding {
    const char *name;
    lb_tensor *weight; /* [vocabulary, width] */
} lb_embedding;

/** Adds NAME.weight, normal with this standard deviation; 0 means 1, as in nn.Embedding.
 *  Errors: as lb_params_add, also recorded in `params`. */
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
 *  Errors: as lb_params_add, also recorded in `params`. */
lb_status lb_layer_norm_init(lb_layer_norm *norm, lb_params *params, const char *name, int64_t width,
                             lb_real epsilon);

/** Shapes: x [..., width] -> the same. Errors: LB_ERROR_SHAPE. Source: see lb_standardize. */
lb_tensor *lb_layer_norm_forward(const lb_layer_norm *norm, lb_tensor *x);

/* ---- Positional encoding: attention alone does not see the order of tokens. ---- */

/** The kind of a positional encoding. */
typedef enum lb_positional_kind {
    LB_POSITIONAL_SINUSOIDAL, /* sin and cos of the position at wavelengths from 2 pi to 10000 2 pi; no parameters */
    LB_POSITIONAL_LEARNED,  /* one vector per position */
    LB_POSITIONAL_RELATIVE, /* a learned bias of self-attention per head and distance: lb_relative_bias */
    LB_POSITIONAL_ALIBI, /* a bias of self-attention that falls with the distance: lb_alibi_bias; no parameters */
    LB_POSITIONAL_ROTARY, /* self-attention turns queries and keys: lb_rotary; no parameters */
    LB_POSITIONAL_NONE,
    LB_POSITIONAL_FIRE, /* a bias of self-attention that a small network learns of the distance as a share of the
                          * position (FIRE, Li et al. 2023, arXiv:2310.04418) */
    LB_POSITIONAL_RANDOM /* sinusoidal; in training, of sorted random positions, as if sequences were longer (Ruoss et
                          * al. 2023, arXiv:2305.16843); the largest is below a random number up to max_length */
} lb_positional_kind;

/** The names of the kinds in files and flags; ends with NULL. */
extern const char *const lb_positional_names[];

/** The kind and size of a positional encoding. */
typedef struct lb_positional_config {
    lb_positional_kind kind;
    int64_t width;
    int64_t max_length; /* of a sequence; only LB_POSITIONAL_LEARNED and LB_POSITIONAL_RANDOM need it */
    int64_t heads;      /* of the self-attention, for those that give it a bias */
    bool causal;        /* the self-attention sees no later positions */
} lb_positional_config;

/** A positional encoding, which is added to the tokens or to the scores of self-attention. */
typedef struct lb_positional {
    const char *name;
    lb_positional_config config;
    lb_tensor *weight; /* learned: [max_length, width]; relative: [32, heads]; otherwise NULL */
    /* FIRE: psi(i - j) / psi(max(i, L)) goes through inner, ReLU and outer, where psi(x) = log(1 + |slope| x) and
     * L = 512 |threshold|. */
    lb_tensor *slope, *threshold; /* [1] */
    lb_linear inner, outer;       /* from 1 to 32 to heads */
} lb_positional;

/** Adds NAME.weight if the encoding is learned, normal with standard deviation 0.02, or relative, with 1 / sqrt(width)
 *  as in T5; for FIRE NAME.slope, 0.1, NAME.threshold, 1, and NAME.linear1 and linear2, as lb_linear_init.
 *  Errors: as lb_params_add. */
lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config);

/** x plus the encoding of positions `first`, first + 1, ...; x itself for the kinds that work in self-attention.
 *  Shapes: x [batch, length, width] -> the same.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX if `first` is negative or a position is beyond max_length.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5: even columns sine, odd columns cosine. */
lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first);

/** The bias of self-attention for `queries` positions, starting at `first`, and the keys 0 to first + queries - 1.
 *  Shapes: -> [heads, queries, first + queries]; NULL for the kinds without one. Errors: as lb_relative_bias. */
lb_tensor *lb_positional_bias(const lb_positional *positional, lb_tape *tape, int64_t first, int64_t queries);

/* ---- Recurrent layers, GRU or LSTM: a cell, and layers of cells over sequences in one or two directions. ---- */

/** The kind of a recurrent cell. */
typedef enum lb_cell_kind {
    LB_CELL_GRU, /* three gates: r, z, n; the state is h */
    LB_CELL_LSTM /* four gates: i, f, g, o; the state is [h; c] in one tensor, twice as wide as the outputs */
} lb_cell_kind;

/** The names of the kinds in files and flags; ends with NULL. */
extern const char *const lb_cell_names[];

/** The weights of one layer in one direction, with gates in the order of the kind. */
typedef struct lb_recurrent_cell {
    const char *name;
    lb_tensor *weight_ih; /* [gates hidden, input] */
    lb_tensor *weight_hh; /* [gates hidden, hidden] */
    lb_tensor *bias_ih;   /* [gates hidden] */
    lb_tensor *bias_hh;   /* [gates hidden] */
    lb_cell_kind kind;
} lb_recurrent_cell;

/** A cell of a GRU. */
typedef lb_recurrent_cell lb_gru_cell;
/** A cell of an LSTM. */
typedef lb_recurrent_cell lb_lstm_cell;

/** Adds NAME.weight_ih, weight_hh, bias_ih and bias_hh, each with `suffix` ("" or "_l0"), uniform within
 *  1 / sqrt(hidden), as in nn.GRU. Errors: as lb_params_add, also recorded in `params`. */
lb_status lb_gru_cell_init(lb_gru_cell *cell, lb_params *params, const char *name, const char *suffix,
                           int64_t input, int64_t hidden);

/** One step. Shapes: x [batch, input], state [batch, hidden] -> the next state. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_gru_cell_forward(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state);

/** One step of the other GRU, in which the reset gate applies to the state before its product with the weight, not
 *  after it: n = tanh(W_in x + b_in + W_hn (r h) + b_hn). This is `GRU` of ONNX with linear_before_reset = 0, its
 *  default; that has its gates in the order z, r, n. There is no fused op for it, nor a layer.
 *  Shapes: as lb_gru_cell_forward. Errors: LB_ERROR_SHAPE. Source: Cho et al. 2014, arXiv:1406.1078, section 2.3. */
lb_tensor *lb_gru_cell_forward_reset_first(const lb_gru_cell *cell, lb_tensor *x, lb_tensor *state);

/** lb_gru_cell_init for an LSTM, as in nn.LSTM. */
lb_status lb_lstm_cell_init(lb_lstm_cell *cell, lb_params *params, const char *name, const char *suffix,
                            int64_t input, int64_t hidden);

/** One step. Shapes: x [batch, input], state [batch, 2 hidden] = [h; c] -> the next state. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_lstm_cell_forward(const lb_lstm_cell *cell, lb_tensor *x, lb_tensor *state);

/** The sizes of recurrent layers. Zero means the default in brackets. */
typedef struct lb_recurrent_config {
    int64_t input, hidden;
    int64_t layers; /* 0 means 1 */
    bool bidirectional;
    lb_real dropout;   /* between layers */
    lb_cell_kind kind; /* [LB_CELL_GRU]; only lb_recurrent_init reads it */
} lb_recurrent_config;

/** The sizes of a GRU. */
typedef lb_recurrent_config lb_gru_config;
/** The sizes of an LSTM. */
typedef lb_recurrent_config lb_lstm_config;

/** Layers of cells over whole sequences, in one direction or both. */
typedef struct lb_recurrent {
    const char *name;
    lb_recurrent_config config;
    int64_t directions;      /* 1 or 2 */
    lb_recurrent_cell *cell; /* [layers, directions]: layer 0 forward, layer 0 backward, layer 1 forward */
} lb_recurrent;

/** A GRU. */
typedef lb_recurrent lb_gru;
/** An LSTM. */
typedef lb_recurrent lb_lstm;

/** Adds the weights with the names of PyTorch: NAME.weight_ih_l0, NAME.weight_ih_l0_reverse and so on.
 *  Errors: LB_ERROR_ARGUMENT for a negative number of layers; as lb_params_add. Recorded in `params`. */
lb_status lb_recurrent_init(lb_recurrent *layers, lb_params *params, const char *name,
                            lb_recurrent_config config);

/** The result of recurrent layers. */
typedef struct lb_recurrent_result {
    lb_tensor *outputs; /* [batch, time, directions * hidden], zero after the end of a row */
    /* [layers * directions] states: of a GRU h_n in PyTorch, [batch, hidden]; of an LSTM h_n and c_n, [batch, 2
     * hidden] */
    lb_tensor **final;
} lb_recurrent_result;

/** The result of a GRU. */
typedef lb_recurrent_result lb_gru_result;
/** The result of an LSTM. */
typedef lb_recurrent_result lb_lstm_result;

/** Runs over a padded batch.
 *  Shapes:  x [batch, time, input]; initial: layers * directions states as in lb_recurrent_result, or NULL for zeros.
 *  Lengths: [batch], alive until lb_tape_reset; NULL if all rows are full.
 *  Errors:  LB_ERROR_SHAPE, LB_ERROR_ARGUMENT; the outputs and all final states are then poison. If x is not on a tape,
 *           or there is no memory, `final` is NULL. */
lb_recurrent_result lb_recurrent_forward(const lb_recurrent *layers, lb_tensor *x, lb_tensor *const *initial,
                                         const int32_t *lengths);

/** lb_recurrent_init for a GRU, initialised as nn.GRU. */
lb_status lb_gru_init(lb_gru *gru, lb_params *params, const char *name, lb_gru_config config);
/** lb_recurrent_forward for a GRU. */
lb_gru_result lb_gru_forward(const lb_gru *gru, lb_tensor *x, lb_tensor *const *initial,
                             const int32_t *lengths);
/** lb_gru_forward on the embedding of tokens. The first layer reads its input from a table where that costs less.
 *  Errors: also LB_ERROR_INDEX. */
lb_gru_result lb_gru_forward_tokens(const lb_gru *gru, const lb_embedding *embedding, lb_tokens tokens,
                                    lb_tensor *const *initial);

/** lb_recurrent_init for an LSTM, initialised as nn.LSTM. */
lb_status lb_lstm_init(lb_lstm *lstm, lb_params *params, const char *name, lb_lstm_config config);
/** lb_recurrent_forward for an LSTM. */
lb_lstm_result lb_lstm_forward(const lb_lstm *lstm, lb_tensor *x, lb_tensor *const *initial,
                               const int32_t *lengths);
/** The same for an LSTM. */
lb_lstm_result lb_lstm_forward_tokens(const lb_lstm *lstm, const lb_embedding *embedding, lb_tokens tokens,
                                      lb_tensor *const *initial);

/* ---- Attention modules. ---- */

/** The result of attention. */
typedef struct lb_attended_result {
    lb_tensor *context; /* [batch, Q, depth] */
    lb_tensor *weights; /* [batch, Q, K]: the attention map */
} lb_attended_result;

/** A padding mask [batch, K] reshaped to broadcast over heads and queries: [batch, 1, 1, K]. NULL stays NULL. */
lb_tensor *lb_key_mask(lb_tensor *mask);

/** Additive attention: score(q, k) = v' tanh(W_q q + W_k k).
 *  Source: Bahdanau, Cho, Bengio 2015, arXiv:1409.0473, appendix A.1.2. */
typedef struct lb_additive_attention {
    const char *name;
    lb_tensor *query; /* W_q [width, query] */
    lb_tensor *key;   /* W_k [width, key] */
    lb_tensor *v;     /* [1, width] */
    lb_normalizer normalizer;
} lb_additive_attention;

/** The widths of additive attention. Zero means the default in brackets. */
typedef struct lb_additive_attention_config {
    int64_t query, key;       /* widths of queries and keys */
    int64_t width;            /* of the projections that are added [query] */
    lb_normalizer normalizer; /* of the weights [LB_SOFTMAX] */
} lb_additive_attention_config;

/** Adds NAME.W_q.weight, NAME.W_k.weight and NAME.v.weight, initialised as nn.Linear without bias.
 *  Errors: as lb_params_add, also recorded in `params`. */
lb_status lb_additive_attention_init(lb_additive_attention *attention, lb_params *params, const char *name,
                                     lb_additive_attention_config config);

/** Shapes: query [batch, Q, query], keys [batch, K, key], values [batch, K, depth], mask [batch, K] or NULL.
 *  Mask:   1 attends, 0 does not. A row of weights sums to 1; a row with nothing to attend to is all zeros.
 *  Errors: LB_ERROR_SHAPE; both results are then poison. Memory: results live until lb_tape_reset. */
lb_attended_result lb_additive_attention_forward(const lb_additive_attention *attention, lb_tensor *query,
                                                 lb_tensor *keys, lb_tensor *values, lb_tensor *mask);

/** The projected keys W_k k, for a decoder that attends to the same keys at every step.
 *  Shapes: keys [batch, K, key] -> [batch, K, width]. */
lb_tensor *lb_additive_attention_project_keys(const lb_additive_attention *attention, lb_tensor *keys);

/** Multiplicative attention: score(q, k) = (W q)' k, or q' k without a weight.
 *  Source: Luong, Pham, Manning 2015, arXiv:1508.04025, section 3.1: "general" and "dot". */
typedef struct lb_multiplicative_attention {
    const char *name;
    lb_tensor *weight;        /* W [key, query]; NULL: dot */
    lb_real scale;            /* of the scores */
    lb_normalizer normalizer; /* [LB_SOFTMAX]; set it after lb_multiplicative_attention_init */
} lb_multiplicative_attention;

/** The score of a query q and a key k. */
typedef enum lb_score {
    LB_SCORE_DOT,        /* q' k */
    LB_SCORE_SCALED_DOT, /* q' k / sqrt(width) */
    LB_SCORE_GENERAL     /* (W q)' k */
} lb_score;

/** For LB_SCORE_GENERAL, adds NAME.W.weight, initialised as nn.Linear without bias. The other scores have no weight and
 *  need queries and keys of the same width.
 *  Errors: LB_ERROR_ARGUMENT if the widths must be equal and are not; as lb_params_add. Recorded in `params`. */
lb_status lb_multiplicative_attention_init(lb_multiplicative_attention *attention, lb_params *params,
                                           const char *name, lb_score score, int64_t query, int64_t key);

/** Shapes, mask and errors as lb_additive_attention_forward. */
lb_attended_result lb_multiplicative_attention_forward(const lb_multiplicative_attention *attention,
                                                       lb_tensor *query, lb_tensor *keys, lb_tensor *values,
                                                       lb_tensor *mask);

/* ---- Multi-head attention. ---- */

/** Zero means the default in brackets. */
typedef struct lb_multi_head_config {
    int64_t embed;     /* width of queries and outputs */
    int64_t key_embed; /* width of the input of keys and values [embed]; any other needs `names` */
    int64_t heads;     /* [1] */
    int64_t kv_heads;  /* of keys and values, each shared by several heads of queries [heads] */
    /* Of one head [embed / heads, which must be whole]; any other width needs `names`. */
    int64_t key_width, value_width;
    bool no_bias;
    lb_real dropout;          /* [0] of the weights */
    lb_normalizer normalizer; /* of the weights [LB_SOFTMAX] */
    lb_real softcap;          /* [none] of the scores, as in lb_dot_options */
    lb_window window; /* [none] of self-attention: the last query is at the position of the last key */
    bool rotary;      /* self-attention turns queries and keys by their positions, with lb_rotary */
    /* Names of the projections of query, key, value and output, such as {"w_qs", "w_ks", "w_vs", "fc"}. [NULL: the
     * names of nn.MultiheadAttention, with the first three packed into in_proj_weight and in_proj_bias] */
    const char *const *names;
} lb_multi_head_config;

/** Multi-head attention. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2. */
typedef struct lb_multi_head {
    const char *name;
    lb_multi_head_config config;
    /* [embed + 2 kv_heads key_width, embed]: [3 embed, embed] unless heads are shared; NULL with `names` */
    lb_tensor *packed_weight;
    lb_tensor *packed_bias;      /* as many numbers as the weight has rows; NULL with `names` */
    lb_linear query, key, value; /* used with `names` */
    lb_linear output;
} lb_multi_head;

/** Adds the projections below NAME, initialised as in nn.MultiheadAttention (packed) or nn.Linear (named).
 *  Errors: LB_ERROR_ARGUMENT if `embed` is not divisible by the heads, the heads are not by kv_heads, or if widths
 *          differ from the defaults without `names`; as lb_params_add. Recorded in `params`. */
lb_status lb_multi_head_init(lb_multi_head *attention, lb_params *params, const char *name,
                             lb_multi_head_config config);

/** Shapes: query [batch, Q, embed], keys and values [batch, K, embed] -> context [batch, Q, embed], weights
 *          [batch, heads, Q, K]. For self-attention, pass the same tensor three times.
 *  Mask:   mask (1 attends, 0 does not) and bias (added to the scores, -inf hides) broadcast to the weights; either may
 *          be NULL. For a padding mask [batch, K] see lb_key_mask. Errors: LB_ERROR_SHAPE. */
lb_attended_result lb_multi_head_forward(const lb_multi_head *attention, lb_tensor *query, lb_tensor *keys,
                                         lb_tensor *values, lb_tensor *mask, lb_tensor *bias);

/** Keys and values projected for the heads, in a tensor each, or both in `keys`, whose last columns they then are. */
typedef struct lb_key_values {
    /* [batch, K, kv_heads key_width]; with the values [batch, K, 2 kv_heads key_width or more]. */
    lb_tensor *keys;
    lb_tensor *values; /* [batch, K, kv_heads value_width]; NULL: in `keys` */
} lb_key_values;

/** Multi-head attention with the residual connection and norm of a transformer: norm(query + dropout(attention)). */
typedef struct lb_multi_head_block {
    lb_multi_head attention;
    lb_layer_norm norm; /* NAME.layer_norm */
    lb_real dropout;    /* of the output */
} lb_multi_head_block;

/** Adds the parameters of the attention below NAME, and NAME.layer_norm. An epsilon of 0 means 1e-5.
 *  Errors: as lb_multi_head_init. */
lb_status lb_multi_head_block_init(lb_multi_head_block *block, lb_params *params, const char *name,
                                   lb_multi_head_config config, lb_real dropout, lb_real epsilon);

/** Shapes and errors as lb_multi_head_forward. */
lb_attended_result lb_multi_head_block_forward(const lb_multi_head_block *block, lb_tensor *query,
                                               lb_tensor *keys, lb_tensor *values, lb_tensor *mask);

/* ---- Transformer layers and stacks of layers, with the equations and names of PyTorch. ---- */

/** Zero means the default in brackets. */
typedef struct lb_transformer_layer_config {
    int64_t width;            /* of the model */
    int64_t heads;            /* [1] */
    int64_t feed_forward;     /* width between the two linear layers [4 width] */
    lb_real dropout;          /* [0] of the weights, after each part, and within the feed-forward part */
    bool pre_norm;            /* normalise before each part instead of after it: norm_first in PyTorch */
    lb_real epsilon;          /* of the layer norms [1e-5] */
    lb_normalizer normalizer; /* of all attention weights [LB_SOFTMAX] */
    int64_t kv_heads;         /* [heads] */
    lb_real softcap;          /* [none] of the scores of every attention */
    lb_window window;         /* [none] of self-attention */
    bool rotary;              /* self-attention has rotary positions */
    bool no_self_attention, no_feed_forward; /* the layer lacks that part, with its norm */
} lb_transformer_layer_config;

/** One layer: self-attention, in a decoder also attention to the output of the encoder, and a feed-forward part. Each
 *  part has a residual connection and a layer norm. A part that the layer lacks is zero here. */
typedef struct lb_transformer_layer {
    lb_transformer_layer_config config;
    bool crosses;              /* whether it is a decoder layer */
    lb_multi_head self, cross; /* NAME.self_attn, NAME.multihead_attn */
    lb_linear inner, outer;    /* NAME.linear1, NAME.linear2; relu between them */
    lb_layer_norm norm[3];     /* NAME.norm1 and so on */
} lb_transformer_layer;

/** Adds the parameters of nn.TransformerEncoderLayer or, with `crosses`, of nn.TransformerDecoderLayer below NAME. They
 *  start as there.
 *  Errors: LB_ERROR_ARGUMENT if the width is not divisible by the heads; as lb_params_add. Recorded in `params`. */
lb_status lb_transformer_layer_init(lb_transformer_layer *layer, lb_params *params, const char *name,
                                    bool crosses, lb_transformer_layer_config config);

/** The memory that the layers of a stack attend to, and where their weights go. Arrays have one entry per layer. */
typedef struct lb_transformer_context {
    /* Each broadcasts to [batch, heads, length, past + length]; NULL: none. */
    lb_tensor *self_mask, *self_bias;
    /* Keys and values of the positions before x, with NULL tensors if there are none; the keys and values of x are
     * appended. NULL: x is the start of the sequence. */
    lb_key_values *past;
    lb_tensor *memory; /* the output of the encoder [batch, S, width]; decoder only */
    /* Used instead of `memory`: its keys and values, projected for each layer, as a decoder that runs step by step
     * keeps them. */
    const lb_key_values *memory_projected;
    lb_tensor *memory_mask;                    /* broadcasts to [batch, heads, length, S]; NULL: none */
    lb_tensor **self_weights, **cross_weights; /* receive the attention weights, unless NULL */
    /* What the models of the library attend to when they write step by step, instead of past, mask and memory; without
     * gradients. NULL: none. */
    const struct lb_decoder_step *step;
} lb_transformer_context;

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE. `index` is the layer's entry in the arrays of
 *          `context`. */
lb_tensor *lb_transformer_layer_forward(const lb_transformer_layer *layer, lb_tensor *x,
                                        const lb_transformer_context *context, int64_t index);

/** A stack: NAME.layers.0, NAME.layers.1, ... and NAME.norm, as in nn.Transformer. */
typedef struct lb_transformer_stack {
    int64_t layers;
    lb_transformer_layer *layer; /* [layers] */
    lb_layer_norm norm;
} lb_transformer_stack;

/** Adds the parameters of the layers and the norm. Errors: as lb_transformer_layer_init; LB_ERROR_ARGUMENT for fewer
 *  than one layer. Differs: every layer starts as in lb_transformer_layer_init; nn.Transformer then draws all matrices
 *  again, with xavier_uniform_, and all layers of an nn.TransformerEncoder start with the same numbers. */
lb_status lb_transformer_stack_init(lb_transformer_stack *stack, lb_params *params, const char *name,
                                    bool crosses, int64_t layers, lb_transformer_layer_config config);

/** Shapes: x [batch, length, width] -> the same. Errors: LB_ERROR_SHAPE.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762. Differs: a norm after the last layer, as in nn.Transformer. */
lb_tensor *lb_transformer_stack_forward(const lb_transformer_stack *stack, lb_tensor *x,
                                        const lb_transformer_context *context);

LB_END_DECLS

#endif
