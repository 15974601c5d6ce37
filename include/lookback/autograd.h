/* Reverse-mode automatic differentiation: the tape, tokens, backward, and a check of gradients. The ops are in
 * lookback/ops.h. */
#ifndef LOOKBACK_AUTOGRAD_H
#define LOOKBACK_AUTOGRAD_H

#include "lookback/tensor.h"

LB_BEGIN_DECLS

/* ---- The tape: it owns everything that lives for one step, remembers the ops in the order in which they ran, and
 * keeps the first error. ---- */

/** Owns the tensors of one step and the record of how they were made. Not to be used by two threads at once. */
typedef struct lb_tape lb_tape;

/** What ops do beside computing. */
typedef enum lb_mode {
    LB_MODE_TRAIN,   /* record ops, drop out */
    LB_MODE_EVALUATE /* neither */
} lb_mode;

/** A new tape in LB_MODE_TRAIN; NULL if there is no memory for it. To be freed by lb_tape_free. Every function takes
 *  NULL for a tape that is out of memory. */
lb_tape *lb_tape_new(void);

/** Frees the tape and all tensors on it. NULL is allowed. */
void lb_tape_free(lb_tape *tape);

/** Forgets all ops and tensors, and counts one step further; the error, if there is one, stays.
 *  Cost: O(1) once the steps need equal memory. */
void lb_tape_reset(lb_tape *tape);

/** Sets what the ops of the coming steps do beside computing. While a tape evaluates, parameters must stay as they are
 *  until the next lb_tape_reset or lb_tape_set_mode: it keeps some of them in another order. */
void lb_tape_set_mode(lb_tape *tape, lb_mode mode);
/** The mode that lb_tape_set_mode has set; LB_MODE_TRAIN on a new tape. */
lb_mode lb_tape_mode(const lb_tape *tape);

/** Sets what the random ops (dropout) draw from: the same seed, step and order of ops give the same numbers.
 *  lb_tape_reset adds 1 to the step. A new tape has seed 0 and step 0. */
void lb_tape_seed(lb_tape *tape, uint64_t seed, uint32_t step);

/** The first error since the tape was made or since lb_tape_clear_error; LB_OK if there is none. */
lb_status lb_tape_status(const lb_tape *tape);

/** Its text; "" if there is none. */
const char *lb_tape_error(const lb_tape *tape);

/** Forgets the error, so that the tape can be used again. */
void lb_tape_clear_error(lb_tape *tape);

/** A tensor on the tape with a copy of `values`, or of zeros if `values` is NULL. It wants no gradient.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY; then it is poison. */
lb_tensor *lb_tensor_new(lb_tape *tape, lb_shape shape, const lb_real *values);

/** The tensor with 1 where a position is within its row's length, else 0: the mask of a padded batch.
 *  Shapes: lengths [batch] -> [batch, width]. */
lb_tensor *lb_length_mask(lb_tape *tape, const int32_t *lengths, int64_t batch, int64_t width);

/** The tensor with 1 where a key is not behind its query, else 0: the mask of a decoder. -> [length, length]. */
lb_tensor *lb_causal_mask(lb_tape *tape, int64_t length);

/** The parameter as a tensor of this tape; values and gradient are shared. For ops that have no other operand on
 *  a tape: an op finds its tape through its operands. Errors: those of a poison parameter; LB_ERROR_MEMORY. */
lb_tensor *lb_on_tape(lb_tape *tape, const lb_tensor *parameter);

/** The value of a tensor with one element; NaN for any other and for poison. */
lb_real lb_item(const lb_tensor *tensor);

/** Why a tensor is poison: the first error of its tape, or of the parameters that it would belong to, or what was wrong
 *  with an op that knew no tape. LB_OK and "" for a sound tensor; LB_ERROR_ARGUMENT and "no tensor" for NULL.
 *  Memory: that of an op without a tape stays until this thread runs another one. */
lb_status lb_tensor_status(const lb_tensor *tensor);
/** The same in words. */
const char *lb_tensor_error(const lb_tensor *tensor);

/** The values of a tensor as double, for what knows no tensors, such as the figures.
 *  Shapes: those of the tensor, which must be on a tape. NULL for poison and for a parameter.
 *  Errors: LB_ERROR_MEMORY; then NULL. Memory: lives until lb_tape_reset. */
double *lb_doubles(const lb_tensor *tensor);

/** The other outputs of the op that made `first`; NULL of an output that it does not have. Poison has only itself, and
 *  NULL has NULL. */
lb_tensor *lb_op_output(lb_tensor *first, int index);

/** Adds the gradient of `loss`, a tensor with one element, to every tensor that led to it and wants one.
 *  Parameters accumulate: whoever uses their gradient sets it to zero afterwards, as the optimisers do.
 *  Errors: whatever the tape holds, so that nothing before needs a check, and then no parameter's gradient is touched;
 *  LB_ERROR_SHAPE if `loss` has more elements than one; LB_ERROR_ARGUMENT if it is NULL or on no tape, or if backward
 *  has run since the last reset; LB_ERROR_MEMORY before the first gradient is written: a backward that begins ends. */
LB_MUST_USE lb_status lb_backward(lb_tensor *loss, lb_error *error);

/** The same for an output of any shape: adds the gradient of the sum over `cotangent[i] * output[i]`. */
LB_MUST_USE lb_status lb_backward_from(lb_tensor *output, const lb_real *cotangent, lb_error *error);

/** True if the tensor can be computed with: neither NULL nor poison. */
bool lb_is_sound(const lb_tensor *tensor);

/* ---- A padded batch of sequences of token ids: the integers that enter a model. ---- */

/** Rows of token ids, each as long as it is, padded to the longest. */
typedef struct lb_tokens {
    lb_tape *tape; /* owns the arrays */
    int64_t batch;
    int64_t length;         /* of the longest row */
    const int32_t *id;      /* [batch, length]; LB_PAD behind a row's end */
    const int32_t *lengths; /* [batch], each from 0 to length */
} lb_tokens;

/** An all-padding batch to fill in; arrays on the tape. `id` and `lengths` receive the writable arrays.
 *  Errors: LB_ERROR_SHAPE, LB_ERROR_MEMORY; then batch is 0. */
lb_tokens lb_tokens_new(lb_tape *tape, int64_t batch, int64_t length, int32_t **id, int32_t **lengths);

/** 1 where there is a token, 0 where there is padding: [batch, length]. */
lb_tensor *lb_tokens_mask(lb_tokens tokens);

/* ---- Compares the gradient that backward computes with central differences. Part of the library, so that you can
 * check an op or a module of your own. ---- */

/** Builds the output to be checked, of any shape, on `tape`. Called many times; must do the same each time. */
typedef lb_tensor *(*lb_gradcheck_fn)(lb_tape *tape, void *context);

/** Zero means the default in brackets, for double and for float. Finite differences are blunt in float: check in
 *  lookback_f64 where you can. */
typedef struct lb_gradcheck_options {
    double step;   /* [1e-6; 1e-2] */
    double atol;   /* [1e-5; 1e-2] */
    double rtol;   /* [1e-3; 1e-2] */
    uint64_t seed; /* of the cotangent, the starting gradients and the tape [0] */
} lb_gradcheck_options;

/** Checks the derivative of sum_i c_i output_i, with random c, by every element of every parameter that wants a
 *  gradient:  |analytic - numeric| <= atol + rtol |numeric|. Gradients start from random numbers, so that an op that
 *  overwrites instead of adding is caught; they are restored before it returns.
 *  Errors: LB_ERROR_GRADIENT names parameter, element and both values; any error of the tape. */
LB_MUST_USE lb_status lb_gradcheck(lb_gradcheck_fn function, void *context, lb_tensor *const *parameters,
                                   int count, const lb_gradcheck_options *options, lb_error *error);

/* ---- What an op of many operands reads, by name ---- */

/** The operands of lb_attention_gru_sequence and of its unfused twin. */
typedef struct lb_attention_gru_operands {
    lb_tensor *x; /* [batch, time, 3 hidden] = W_ih input + b_ih without the context's part */
    const lb_tokens
        *tokens; /* NULL; or [batch, time]: each reads its row of x in place, a table [rows, 3 hidden] */
    const int32_t *lengths;  /* [batch], alive until lb_tape_reset; NULL: all rows are full */
    lb_tensor *initial;      /* [batch, hidden] */
    lb_tensor *keys;         /* [batch, K, width], projected */
    lb_tensor *values;       /* [batch, K, depth] */
    lb_tensor *mask;         /* [batch, K], as lb_attend_additive takes it; NULL hides nothing */
    lb_tensor *weight_query; /* [width, hidden] */
    lb_tensor *v;            /* [1, width] */
    lb_tensor
        *weight_context; /* [3 hidden, depth or more]: the last `depth` columns count, so weight_ih will do */
    lb_tensor *weight_hh; /* [3 hidden, hidden] */
    lb_tensor *bias_hh;   /* [3 hidden] */
} lb_attention_gru_operands;

LB_END_DECLS

#include "lookback/ops.h"

#endif
