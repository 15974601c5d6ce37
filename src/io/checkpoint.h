/* Parameters in a file and back: one safetensors file with the parameters under their own names. */
#ifndef LB_CHECKPOINT_H
#define LB_CHECKPOINT_H

#include "io/safetensors.h"
#include "nn/params.h"

/** What a file holds beside the parameters; all of it may be empty. */
typedef struct lb_checkpoint_extra {
    const lb_safetensors_tensor *tensors;
    size_t tensor_count;
    const lb_safetensors_metadata *metadata;
    size_t metadata_count;
} lb_checkpoint_extra;

/** Writes all parameters and what else is given. Errors: those of lb_safetensors_write. */
LB_MUST_USE lb_status lb_checkpoint_save(const char *path, const lb_params *params, lb_checkpoint_extra extra,
                                         lb_error *error);

/** Sets every parameter of the store to the array of its name. Arrays that no parameter asks for are left alone.
 *  Errors: LB_ERROR_FORMAT if one is missing or has another shape, named with both shapes and the file; then some
 *          parameters may have been set already. */
LB_MUST_USE lb_status lb_checkpoint_load(const lb_safetensors *file, lb_params *params, lb_error *error);

/** The array of this name as a tensor on the tape: data that a program brings along, such as the lessons'.
 *  Shapes: that of the array. Numbers of any kind are converted to lb_real. It wants no gradient.
 *  Errors: LB_ERROR_FORMAT if there is no such array, LB_ERROR_MEMORY: recorded on the tape, and the tensor is poison. */
lb_tensor *lb_checkpoint_tensor(lb_tape *tape, const lb_safetensors *file, const char *name);

#endif
