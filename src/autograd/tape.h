/* The tape: it owns everything that lives for one step, remembers the ops in the order in which they ran, and keeps
 * the first error. */
#ifndef LB_TAPE_H
#define LB_TAPE_H

#include "tensor/status.h"
#include "tensor/tensor.h"

typedef struct lb_tape lb_tape;

typedef enum lb_mode {
    LB_MODE_TRAIN,   /* record ops, drop out */
    LB_MODE_EVALUATE /* neither */
} lb_mode;

/** A new tape in LB_MODE_TRAIN; NULL if there is no memory for it. To be freed by lb_tape_free. Every function takes NULL
 *  for a tape that is out of memory. */
lb_tape *lb_tape_new(void);

/** Frees the tape and all tensors on it. NULL is allowed. */
void lb_tape_free(lb_tape *tape);

/** Forgets all ops and tensors, and counts one step further; the error, if there is one, stays.
 *  Cost: O(1) once the steps need equal memory. */
void lb_tape_reset(lb_tape *tape);

/** Sets what the ops of the coming steps do beside computing. While a tape evaluates, parameters must stay as they are
 *  until the next lb_tape_reset or lb_tape_set_mode: it keeps some of them in another order. */
void lb_tape_set_mode(lb_tape *tape, lb_mode mode);
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

/** Why a tensor is poison: the first error of its tape, or of the parameters that it would belong to, or what was wrong with
 *  an op that knew no tape. LB_OK and "" for a sound tensor; LB_ERROR_ARGUMENT and "no tensor" for NULL.
 *  Memory: that of an op without a tape stays until this thread runs another one. */
lb_status lb_tensor_status(const lb_tensor *tensor);
const char *lb_tensor_error(const lb_tensor *tensor);

/** The values of a tensor as double, for what knows no tensors, such as the figures.
 *  Shapes: those of the tensor, which must be on a tape. NULL for poison and for a parameter.
 *  Errors: LB_ERROR_MEMORY; then NULL. Memory: lives until lb_tape_reset. */
double *lb_doubles(const lb_tensor *tensor);

/** Adds the gradient of `loss`, a tensor with one element, to every tensor that led to it and wants one.
 *  Parameters accumulate: whoever uses their gradient sets it to zero afterwards, as the optimisers do.
 *  Errors: whatever the tape holds, so that nothing before needs a check, and then no parameter's gradient is touched;
 *  LB_ERROR_SHAPE if `loss` has more elements than one; LB_ERROR_ARGUMENT if it is NULL or on no tape, or if backward has
 *  run since the last reset; LB_ERROR_MEMORY before the first gradient is written: a backward that begins ends. */
LB_MUST_USE lb_status lb_backward(lb_tensor *loss, lb_error *error);

/** The same for an output of any shape: adds the gradient of the sum over `cotangent[i] * output[i]`. */
LB_MUST_USE lb_status lb_backward_from(lb_tensor *output, const lb_real *cotangent, lb_error *error);

/* For those who write ops and modules. */

/** Records an error, with the names of the modules that are at work in front of it. Returns the tape's poison
 *  tensor, so that an op can say `return lb_tape_fail(...)`. */
lb_tensor *lb_tape_fail(lb_tape *tape, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** True if the tensor can be computed with: neither NULL nor poison. */
bool lb_is_sound(const lb_tensor *tensor);

/** Memory that lives until lb_tape_reset, aligned to 64 bytes; NULL, with the error recorded, if there is no more. */
void *lb_tape_alloc(lb_tape *tape, size_t bytes);

/** Names the module whose ops follow, for error messages; returns the name that was set before, to be set again when
 *  the module is done. `name` must outlive the tape's use. */
const char *lb_tape_enter(lb_tape *tape, const char *name);
void lb_tape_leave(lb_tape *tape, const char *outer);

/** The same for a module that knows its tape through an operand, if it is on one. */
static inline const char *lb_module_enter(const lb_tensor *operand, const char *name)
{
    return operand ? lb_tape_enter(operand->tape, name) : NULL;
}

static inline void lb_module_leave(const lb_tensor *operand, const char *outer)
{
    if (operand) lb_tape_leave(operand->tape, outer);
}

#endif
