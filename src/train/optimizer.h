/* Optimisers: one flat loop over the slab of parameters. They set the gradients to zero after using them. */
#ifndef LB_OPTIMIZER_H
#define LB_OPTIMIZER_H

#include "autograd/cause.h"
#include "base/buffer.h"
#include "lookback/train.h"

/* ---- optimizer.c ---- */

enum { LB_BAD_TEXT = 256 };

/** Writes "net.weight is nan at [0,3]" into `text` and returns it: the first parameter whose values, or gradients, are
 *  not all finite; "" if there is none. */
char *lb_bad_parameter(const lb_params *params, bool gradients, char text[LB_BAD_TEXT]);

/** The norm of all gradients, in double, summed in the same order for any number of threads. */
double lb_params_grad_norm(const lb_params *params);

/** What an optimiser keeps from step to step: up to LB_OPTIMIZER_SLABS slabs with the layout of the parameters. */
enum { LB_OPTIMIZER_SLABS = 2 };
struct lb_optimizer {
    lb_params *params;
    lb_optimizer_config config;
    int64_t size, steps; /* the bias correction of Adam depends on the steps */
    double grad_norm;
    lb_real *slab[LB_OPTIMIZER_SLABS];
};

/** Its slabs as arrays of a file; returns how many there are. */
int lb_optimizer_state(const lb_optimizer *optimizer, lb_safetensors_tensor slab[LB_OPTIMIZER_SLABS]);

/** Checks its kind. Errors: LB_ERROR_ARGUMENT for one that there is not. */
LB_MUST_USE lb_status lb_optimizer_check(const lb_optimizer *optimizer, lb_error *error);

/** The name of its kind in files. */
const char *lb_optimizer_name(const lb_optimizer *optimizer);

/* ---- optimizer_config.c ---- */

/** With defaults instead of zeros, and zeros instead of negative numbers. */
lb_optimizer_config lb_optimizer_with_defaults(lb_optimizer_config config);

/** Prints all that decides its steps, with defaults filled in, as members of a JSON object. */
void lb_optimizer_print(lb_buffer *json, lb_optimizer_config config);

/* ---- optimizer_file.c ---- */

/** Reads the state of an optimiser from a file.
 *  Errors: LB_ERROR_FORMAT if an array is missing, has another size, or has a value that is not finite. */
LB_MUST_USE lb_status lb_optimizer_load_state(lb_optimizer *optimizer, const lb_safetensors *file,
                                              lb_error *error);

#endif
