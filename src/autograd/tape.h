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

/* ---- The points of a model (watch.c). ---- */

/** The layer of a place that is in none. */
enum { LB_NO_LAYER = -1 };

/** Where on the way through a model the tape is. */
typedef struct lb_model_place {
    const struct lb_model *model; /* NULL: that of the place outside */
    const char *part; /* comes before the names of its points, such as "encoder"; NULL: as outside */
    int64_t layer;    /* LB_NO_LAYER: its points are of none */
    int64_t step;     /* since the tape began its step */
} lb_model_place;

/** Sets the place. Returns the one that the tape was in, for lb_tape_leave_place. */
lb_model_place lb_tape_enter_place(lb_tape *tape, lb_model_place place);
/** Sets the place that lb_tape_enter_place returned. */
void lb_tape_leave_place(lb_tape *tape, lb_model_place outer);

/** lb_tape_enter_place for a part of a model as a whole. */
static inline lb_model_place lb_tape_enter_model(lb_tape *tape, const struct lb_model *model,
                                                 const char *part)
{
    return lb_tape_enter_place(tape, (lb_model_place){.model = model, .part = part, .layer = LB_NO_LAYER});
}

/** Whether anybody watches: then fused ops that have points within them are not for use. The library for prediction
 *  has no watchers. */
#ifdef LB_PREDICT
static inline bool lb_is_watched(const lb_tape *tape)
{
    (void)tape;
    return false;
}
#else
bool lb_is_watched(const lb_tape *tape);
#endif

/** lb_announce for a point that can only be read. Errors: also LB_ERROR_ARGUMENT if it is replaced. */
lb_tensor *lb_announce_fixed(lb_tensor *value, const char *name, int64_t head);

/** lb_announce at another place, for a point that no head has. */
lb_tensor *lb_announce_at(lb_tensor *value, const char *part, int64_t layer, const char *name);

/** lb_announce for each of the heads that lie side by side in columns first, first + 1, ... */
lb_tensor *lb_announce_columns(lb_tensor *x, const char *name, int64_t first, int64_t heads, int64_t width);

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

/** The random numbers of what runs next, see lb_op_rng. */
lb_rng lb_tape_rng(lb_tape *tape);

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
