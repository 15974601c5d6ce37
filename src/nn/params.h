/* The parameter store: it owns every weight of a model, in one slab for values and one for gradients, so that an
 * optimiser is one flat loop. */
#ifndef LB_PARAMS_H
#define LB_PARAMS_H

#include "autograd/tape.h"

typedef struct lb_params lb_params;

/** How a parameter starts. */
typedef struct lb_init {
    enum { LB_INIT_CONSTANT, LB_INIT_UNIFORM, LB_INIT_NORMAL } kind;
    double
        scale; /* the constant; the bound of a uniform distribution; the standard deviation of a normal one */
} lb_init;

/** A new, empty store; NULL if there is no memory for it, and every function takes NULL for such a store. The seed decides how
 *  parameters start: each depends on the seed and its own name only, not on the order in which they are added. */
lb_params *lb_params_new(uint64_t seed);

/** Frees the store and all that it owns. NULL is allowed. */
void lb_params_free(lb_params *params);

/** The first error since the store was made; LB_OK if there is none. */
lb_status lb_params_status(const lb_params *params);

/** Its text; "" if there is none. */
const char *lb_params_error(const lb_params *params);

/** Records an error, unless there is one: no parameter can be added from then on. Returns `status`. For modules whose
 *  sizes are impossible. */
lb_status lb_params_fail(lb_params *params, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Adds the parameter "module.name"; "name" if `module` is "".
 *  Memory: the tensor's address stays as long as the store lives; where its data lies changes while parameters are
 *          added.
 *  Errors: LB_ERROR_ARGUMENT if the name is taken, LB_ERROR_SHAPE, LB_ERROR_MEMORY: recorded, and the tensor returned is
 *          poison. */
lb_tensor *lb_params_add(lb_params *params, const char *module, const char *name, lb_shape shape,
                         lb_init init);

/** Memory that lives as long as the store, all zero; NULL, with the error recorded, if there is no more. */
void *lb_params_alloc(lb_params *params, size_t bytes);

/** The text "module.name", or "name" if `module` is "", alive as long as the store; "" if there is no memory. */
const char *lb_params_scope(lb_params *params, const char *module, const char *name);

/** Parameters in the order in which they were added; NULL of an index that there is not. */
int lb_params_count(const lb_params *params);
lb_tensor *lb_params_tensor(const lb_params *params, int index);
const char *lb_params_name(const lb_params *params, int index);

/** The parameter of that name, or NULL. */
lb_tensor *lb_params_find(const lb_params *params, const char *name);

/** The slabs: all parameters one behind the other, each starting at a multiple of 64 bytes, zeros between them. */
int64_t lb_params_size(const lb_params *params);
lb_real *lb_params_values(const lb_params *params);
lb_real *lb_params_grads(const lb_params *params);

/** Numbers that are learned: the elements of all parameters, without the gaps. */
int64_t lb_params_learned(const lb_params *params);

/** Sets all gradients to zero. The optimisers do so after each step. */
void lb_params_zero_grads(lb_params *params);

#endif
