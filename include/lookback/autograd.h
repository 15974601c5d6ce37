/* Reverse-mode automatic differentiation: the tape, tokens, backward, and a check of gradients. The ops are in
 * lookback/ops.h. */
#ifndef LOOKBACK_AUTOGRAD_H
#define LOOKBACK_AUTOGRAD_H

#include "lookback/tensor.h"

LB_BEGIN_DECLS

/* ---- The tape. It owns everything that lives for one step, records the ops in the order in which they ran, and keeps
 * the first error. ---- */

/** Owns the tensors of one step and the record of the ops. Two threads must not use it at once. */
typedef struct lb_tape lb_tape;

/** The mode of a tape. */
typedef enum lb_mode {
    LB_MODE_TRAIN,    /* ops are recorded, and there is noise: dropout, random positions */
    LB_MODE_EVALUATE, /* neither */
    LB_MODE_EXPLAIN   /* ops are recorded without noise, and parameters are constants, without a gradient */
} lb_mode;

/** A new tape in LB_MODE_TRAIN; NULL if there is no memory for it. Free it with lb_tape_free. Every function accepts
 *  NULL as a tape that is out of memory. */
lb_tape *lb_tape_new(void);

/** Frees the tape and all tensors on it. NULL is allowed. */
void lb_tape_free(lb_tape *tape);

/** Drops all ops and tensors and adds 1 to the step. The error, if there is one, stays.
 *  Cost: O(1) once all steps need the same memory. */
void lb_tape_reset(lb_tape *tape);

/** Sets the mode of the following ops. In LB_MODE_EVALUATE, parameters must not change until the next lb_tape_reset or
 *  lb_tape_set_mode: the tape caches some of them in another layout. */
void lb_tape_set_mode(lb_tape *tape, lb_mode mode);
/** The current mode; LB_MODE_TRAIN on a new tape. */
lb_mode lb_tape_mode(const lb_tape *tape);

/** How products with weights are computed in LB_MODE_TRAIN, forward and backward. Everything else, and all other modes,
 *  are in lb_real. */
typedef enum lb_precision {
    LB_FLOAT32, /* in lb_real */
    LB_BFLOAT16 /* of operands rounded to bfloat16, to nearest, ties to even; sums are in float */
} lb_precision;

/** Names of the precisions. */
extern const char *const lb_precision_names[];

/** Sets the precision of the following ops [LB_FLOAT32]. Errors: LB_ERROR_ARGUMENT for LB_BFLOAT16, unless lb_real is
 *  float, and the processor has avx512_bf16 and AVX-512 is in force. */
LB_MUST_USE lb_status lb_tape_set_precision(lb_tape *tape, lb_precision precision, lb_error *error);

/** Seeds the random ops (dropout): the same seed, step and order of ops give the same numbers. lb_tape_reset adds 1 to
 *  the step. A new tape has seed 0 and step 0. */
void lb_tape_seed(lb_tape *tape, uint64_t seed, uint32_t step);

/** The first error since lb_tape_new; LB_OK if there is none. */
lb_status lb_tape_status(const lb_tape *tape);

/** The message of that error; "" if there is none. */
const char *lb_tape_error(const lb_tape *tape);

/** A tensor on the tape with a copy of `values`, or with zeros if `values` is NULL. It gets no gradient.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY; the tensor is then poison. */
lb_tensor *lb_tensor_new(lb_tape *tape, lb_shape shape, const lb_real *values);

/** A tensor with 1 where a position is within the length of its row, else 0: the mask of a padded batch.
 *  Shapes: lengths [batch] -> [batch, width]. */
lb_tensor *lb_length_mask(lb_tape *tape, const int32_t *lengths, int64_t batch, int64_t width);

/** A tensor with 1 where a key does not come after its query, else 0: the mask of a decoder.
 *  Shapes: -> [length, length]. */
lb_tensor *lb_causal_mask(lb_tape *tape, int64_t length);

/** The parameter as a tensor of this tape, with shared values and gradient. For an op that has no other operand on a
 *  tape: it finds its tape through its operands. Errors: the error of a poison parameter; LB_ERROR_MEMORY. */
lb_tensor *lb_on_tape(lb_tape *tape, const lb_tensor *parameter);

/** The value of a tensor with one element; NaN for any other tensor and for poison. */
lb_real lb_item(const lb_tensor *tensor);

/** Why a tensor is poison: the first error of its tape or of its lb_params, or the error of an op that had no tape. ""
 *  for a sound tensor.
 *  Memory: the error of an op without a tape stays until this thread runs another such op. */
const char *lb_tensor_error(const lb_tensor *tensor);

/** The values of a tensor as double, for code that does not know tensors, such as the figures.
 *  Shapes: as the tensor, which must be on a tape. NULL for poison and for a parameter.
 *  Errors: NULL on LB_ERROR_MEMORY. Memory: lives until lb_tape_reset. */
double *lb_doubles(const lb_tensor *tensor);

/** Output `index` of the op that computed `first`; NULL if it has no such output. For poison it is poison, for NULL
 *  NULL. */
lb_tensor *lb_op_output(lb_tensor *first, int index);

/** Adds the gradient of `loss`, a tensor with one element, to every tensor that it depends on and that requires one.
 *  Gradients of parameters accumulate: their user sets them to zero afterwards, as the optimisers do.
 *  Errors: the error of the tape, so that the ops before need no checks; LB_ERROR_SHAPE if `loss` has more than one
 *  element; LB_ERROR_ARGUMENT if it is NULL or not on a tape, or if backward has run since the last reset;
 *  LB_ERROR_MEMORY. All errors are detected before the first gradient is written. A loss that is not finite is none:
 *  its gradient is that of PyTorch, and lb_optimizer_step says where it began. */
LB_MUST_USE lb_status lb_backward(lb_tensor *loss, lb_error *error);

/** lb_backward for an output of any shape: adds the gradient of the sum over `cotangent[i] * output[i]`. */
LB_MUST_USE lb_status lb_backward_from(lb_tensor *output, const lb_real *cotangent, lb_error *error);

/** True if the tensor can be computed with: neither NULL nor poison. */
bool lb_is_sound(const lb_tensor *tensor);

/* ---- Watching: the named points of a model, such as the weights of a head, read or replaced on the way through it.
 * docs/points.md lists them. ---- */

enum { LB_POINT_NAME = 48 };

/** A point that a model has come to. */
typedef struct lb_watch_point {
    char name[LB_POINT_NAME]; /* such as "encoder.embedding" or "cross.weights" */
    /* To which it belongs: of an ensemble, the member; NULL outside of a model. */
    const struct lb_model *model;
    int64_t layer, head; /* counted from 0; -1: the point has none */
    int64_t step;        /* of the decoder, of the first row of the value, counted from 0 */
    bool fixed;          /* it can be read, but not replaced */
} lb_watch_point;

/** Is told the value of each point that a model comes to, and returns what takes its place from there on: a tensor of
 *  its shape on its tape; NULL: the value stays. Gradients flow through what is not replaced. */
typedef lb_tensor *(*lb_watch_fn)(void *context, const lb_watch_point *point, lb_tensor *value);

/** A watcher, and what is passed to it. */
typedef struct lb_watcher {
    lb_watch_fn watch; /* NULL: nobody watches */
    void *context;
} lb_watcher;

/** Sets the watcher of the models that run on the tape from now on; a zero one ends watching. It stays until then, also
 *  beyond lb_tape_reset. A watched model computes the same by smaller ops, where a fused one has no such points: the
 *  numbers are equal but for rounding, and it takes longer. Without a watcher, nothing does. */
void lb_watch(lb_tape *tape, lb_watcher watcher);

/* ---- Tokens: a padded batch of sequences of token ids, the input of a model. ---- */

/** Rows of token ids, padded to the length of the longest row. */
typedef struct lb_tokens {
    lb_tape *tape; /* owns the arrays */
    int64_t batch;
    int64_t length;         /* of the longest row */
    const int32_t *id;      /* [batch, length]; LB_PAD after the end of a row */
    const int32_t *lengths; /* [batch], each from 0 to length */
} lb_tokens;

/** A batch of padding to fill in; its arrays are on the tape. `id` and `lengths` receive the writable arrays.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY; batch is then 0. */
lb_tokens lb_tokens_new(lb_tape *tape, int64_t batch, int64_t length, int32_t **id, int32_t **lengths);

/** A batch with a copy of these rows of ids, for a model, or of labels, as rows of length 1.
 *  Lengths: [batch], each from 0 to `length`; the rest of a row does not count. NULL: all rows are full.
 *  Shapes:  ids [batch, length]. Whether an id is in a vocabulary is checked by whoever looks it up.
 *  Errors:  LB_ERROR_INDEX, with the row, for a length beyond the array; LB_ERROR_SHAPE, LB_ERROR_MEMORY; batch is then
 *           0. */
lb_tokens lb_tokens_from(lb_tape *tape, const int32_t *ids, const int32_t *lengths, int64_t batch,
                         int64_t length);

/** 1 where there is a token, 0 where there is padding: [batch, length]. */
lb_tensor *lb_tokens_mask(lb_tokens tokens);

/* ---- Gradient check: compares the gradient of backward with central differences. It is part of the library, so that
 * you can check custom ops and modules. ---- */

/** Builds the output to check, of any shape, on `tape`. It is called many times and must do the same each time. */
typedef lb_tensor *(*lb_gradcheck_fn)(lb_tape *tape, void *context);

/** Zero means the default in brackets, for double and for float. Finite differences are inaccurate in float: check in
 *  lookback_f64 where you can. */
typedef struct lb_gradcheck_options {
    double step;   /* [1e-6; 1e-2] */
    double atol;   /* [1e-5; 1e-2] */
    double rtol;   /* [1e-3; 1e-2] */
    uint64_t seed; /* of the cotangent, the starting gradients and the tape [0] */
} lb_gradcheck_options;

/** Checks the derivative of sum_i c_i output_i, with random c, with respect to every element of every parameter that
 *  requires a gradient: |analytic - numeric| <= atol + rtol |numeric|, both finite. Gradients start from random
 *  numbers, which catches an op that overwrites instead of adding; they are restored before the function returns.
 *  Errors: LB_ERROR_GRADIENT, with the parameter, the element and both values; any error of the tape. */
LB_MUST_USE lb_status lb_gradcheck(lb_gradcheck_fn function, void *context, lb_tensor *const *parameters,
                                   int64_t count, lb_gradcheck_options options, lb_error *error);

/* ---- The named operands of an op that has many ---- */

/** The operands of lb_attention_gru_sequence and of its unfused twin. */
typedef struct lb_attention_gru_operands {
    lb_tensor *x; /* [batch, time, 3 hidden] = W_ih input + b_ih, without the part of the context */
    /* NULL, or [batch, time]: x is then a table [rows, 3 hidden], and each token reads its row in place. */
    const lb_tokens *tokens;
    const int32_t *lengths;  /* [batch], alive until lb_tape_reset; NULL: all rows are full */
    lb_tensor *initial;      /* [batch, hidden] */
    lb_tensor *keys;         /* [batch, K, width], projected */
    lb_tensor *values;       /* [batch, K, depth] */
    lb_tensor *mask;         /* [batch, K], as for lb_attend_additive; NULL hides nothing */
    lb_tensor *weight_query; /* [width, hidden] */
    lb_tensor *v;            /* [1, width] */
    /* [3 hidden, depth or more]. Only the last `depth` columns are used, so weight_ih fits. */
    lb_tensor *weight_context;
    lb_tensor *weight_hh;     /* [3 hidden, hidden] */
    lb_tensor *bias_hh;       /* [3 hidden] */
    lb_normalizer normalizer; /* of the weights [LB_SOFTMAX] */
} lb_attention_gru_operands;

/** Which keys a query may attend to, by their distance: those from `left` before it to `right` after it. */
typedef struct lb_window {
    bool on;             /* otherwise there is no limit */
    int64_t left, right; /* 0: none but the key at its own position; negative: no limit on this side */
} lb_window;

/** The options of lb_attend_dot_with. Zero means the default in brackets. */
typedef struct lb_dot_options {
    int64_t heads;            /* of the queries; ignored if they are an axis */
    int64_t kv_heads;         /* of keys and values [heads] */
    lb_real scale;            /* of the products; no default */
    lb_real dropout;          /* of the weights */
    lb_real softcap;          /* c > 0: scores become c tanh(score / c), before bias and mask [none] */
    bool cap_biased;          /* the softcap comes after bias and mask, which then hide no key entirely */
    lb_normalizer normalizer; /* of the weights [LB_SOFTMAX] */
    lb_window window;
    int64_t first; /* the position of the first query, where the first key is at 0; for the window */
    /* Output 1 has no columns: the memory then grows with the length, not with its square. */
    bool context_only;
} lb_dot_options;

/** The options of lb_relative_bias. Zero means the default in brackets. */
typedef struct lb_relative_options {
    int64_t queries, keys;
    int64_t first;    /* the position of the first query, where the first key is at 0 */
    int64_t farthest; /* the distance at which the last bucket begins, or before [128] */
    bool causal;      /* keys after a query do not count: all buckets are for those before it */
} lb_relative_options;

/** The options of lb_rotary. Zero means the default in brackets. */
typedef struct lb_rotary_options {
    int64_t heads;    /* ranges of columns [1]; ignored if they are an axis */
    int64_t first;    /* the position of the first row */
    int64_t rotated;  /* columns of each head that are turned, the first ones [all] */
    double base;      /* [10000] */
    bool interleaved; /* pairs are neighbours, not the columns of two halves */
} lb_rotary_options;

LB_END_DECLS

#include "lookback/ops.h"

#endif
