/* What modules, optimisers and readers of files ask of a store of parameters, beyond lookback/nn.h. */
#ifndef LB_PARAMS_H
#define LB_PARAMS_H

#include "lookback/nn.h"

/** What is known of the values of new parameters, such as those of a file: they are checked before there is memory for
 *  them. */
typedef struct lb_params_source {
    const void *context;
    /* Returns LB_OK if there are values of this name and shape; NULL: there are any. */
    lb_status (*check)(const void *context, const char *name, lb_shape shape, lb_error *error);
    size_t room;  /* bytes that the store may use for anything but values */
    int64_t size; /* numbers that the slabs will have, or a few more; 0: not known */
} lb_params_source;

/** From now on new parameters are those of the source, and their values are 0 until the caller sets them. What the
 *  source does not have is an error of the store. NULL: initial values again.
 *  Memory: the source has to live until then. */
void lb_params_take_from(lb_params *params, const lb_params_source *source);

/** What works on the parameters from call to call, such as a training in parts: `release` frees it before the store, or
 *  when something else takes its place; NULL: nothing does. */
void lb_params_keep(lb_params *params, void *object, void (*release)(void *object));

/** What lb_params_keep has kept; NULL: nothing. */
void *lb_params_kept(const lb_params *params);

/** The next run of trained numbers in a slab: the first number at or after `at` that does not belong to a frozen
 *  parameter, and `*end`, where the run ends. lb_params_size if there is none. */
int64_t lb_params_trained(const lb_params *params, int64_t at, int64_t *end);

/** Records an error, unless there already is one, and returns `status`. No parameter can be added afterwards. For
 *  modules with invalid sizes. */
lb_status lb_params_fail(lb_params *params, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Records LB_ERROR_ARGUMENT, with the name of the field, for a size of the module `name` that is less than 1, as one
 *  that was forgotten is. */
void lb_params_need(lb_params *params, const char *name, const char *field, int64_t size);

/** Returns a choice, one of `names`, which end with NULL. For any other, records LB_ERROR_ARGUMENT, with the name of
 *  the field, and returns the first one, of poison. */
int lb_params_choose(lb_params *params, const char *name, const char *field, int choice,
                     const char *const *names);

/** The same for what makes weights or probabilities of scores. */
static inline lb_normalizer lb_params_choose_normalizer(lb_params *params, const char *name,
                                                        const char *field, lb_normalizer choice)
{
    return (lb_normalizer)lb_params_choose(params, name, field, (int)choice, lb_normalizer_names);
}

#endif
