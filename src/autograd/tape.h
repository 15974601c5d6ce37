/* The tape, for those who build modules and decoders on it. */
#ifndef LB_TAPE_H
#define LB_TAPE_H

#include "lookback/autograd.h"

/* ---- The name of the module whose ops follow, for error messages. ---- */

/** Sets the name of the module whose ops follow, for error messages. Returns the previous name, for lb_tape_leave.
 *  `name` must outlive the use of the tape. */
const char *lb_tape_enter(lb_tape *tape, const char *name);
/** Sets the name that lb_tape_enter returned. */
void lb_tape_leave(lb_tape *tape, const char *outer);

/** lb_tape_enter for a module that finds its tape through an operand. Does nothing if the operand is NULL. */
static inline const char *lb_module_enter(const lb_tensor *operand, const char *name)
{
    return operand ? lb_tape_enter(operand->tape, name) : NULL;
}

/** Sets the name that lb_module_enter returned. */
static inline void lb_module_leave(const lb_tensor *operand, const char *outer)
{
    if (operand) lb_tape_leave(operand->tape, outer);
}

/* ---- The steps of a decoder: what one step computes need not last as long as the tape. ---- */

/** Begins a step: what is allocated from now on lives until the step after the next begins. A step can thus read the
 *  results of the one before, and copies what the one after needs.
 *  Shares: all rows of a batch go on in their order, and lb_select_rows need not copy what lasts.
 *  Errors: LB_ERROR_MEMORY, recorded on the tape. */
void lb_tape_begin_step(lb_tape *tape, bool shares);

/** Ends the last step: memory lives until lb_tape_reset again, which does the same. */
void lb_tape_end_steps(lb_tape *tape);

/** A tensor on the tape whose values are arbitrary; poison on failure. */
lb_tensor *lb_tensor_uninitialised(lb_tape *tape, lb_shape shape);

/** Before backward: nobody will read a gradient of this tape after it, except those of leaves. So a gradient lends its
 *  memory to others when the op that made its tensor has run. Until lb_tape_reset. */
void lb_tape_spend(lb_tape *tape);

/** lb_tape_alloc of `count` elements of `size` bytes, all zero. */
void *lb_tape_alloc_zero(lb_tape *tape, int64_t count, size_t size);

/** lb_tape_alloc of memory that outlives the steps. */
void *lb_tape_alloc_lasting(lb_tape *tape, size_t bytes);

/** Whether all rows go on in their order, as lb_tape_begin_step was told. */
bool lb_tape_shares(const lb_tape *tape);

/** Whether memory outlives the steps: all but what they have allocated. */
bool lb_tape_lasts(const lb_tape *tape, const void *memory);

/* ---- Angles of positions. ---- */

/** Rows `first` to `first + count - 1` of a table of sinusoids: sin of position base^(-j / width) in column j, and cos
 *  of the same angle in column j + 1, for even j. They are computed once in the life of a tape, if the positions are
 *  not absurd. Memory: until lb_tape_reset at least. Errors: NULL without memory, recorded on the tape. */
lb_real *lb_tape_sinusoids(lb_tape *tape, double base, int64_t width, int64_t first, int64_t count);

/* ---- A tape for what need not last as long as the tape that it belongs to. ---- */

/** The scratch tape of a tape, empty, without an error, and in the mode of the tape. Each call frees what was on it.
 *  Its pages stay with the tape until lb_tape_free.
 *  Errors: NULL without memory, recorded on the tape. */
lb_tape *lb_tape_scratch(lb_tape *tape);

/* ---- Poison without a tape: the result of a function that fails and has no tape on which to record the error. ---- */

/** The stray poison of this thread, with this message instead of the previous one. */
lb_tensor *lb_poison_stray(lb_status status, const char *format, ...) LB_PRINTF(2, 3);

/** The poison and the error of a tape or store of parameters that could not be allocated. */
lb_tensor *lb_poison_no_memory(void);
const lb_error *lb_error_no_memory(void);

/* ---- Errors of tapes and tensors. ---- */

/** Why a tensor is poison: the first error of its tape or of its lb_params, or the error of an op that had no tape.
 *  LB_OK and "" for a sound tensor; LB_ERROR_ARGUMENT and "the tensor is missing" for NULL.
 *  Memory: the error of an op without a tape stays until this thread runs another such op. */
lb_status lb_tensor_status(const lb_tensor *tensor);

/** Clears the error, so that the tape can be used again. */
void lb_tape_clear_error(lb_tape *tape);

#endif
