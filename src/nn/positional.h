/* Where a token stands: attention alone does not know. */
#ifndef LB_POSITIONAL_H
#define LB_POSITIONAL_H

#include "nn/params.h"

typedef enum lb_positional_kind {
    LB_POSITIONAL_SINUSOIDAL, /* sin and cos of the position at wavelengths from 2 pi to 10000 2 pi; no parameters */
    LB_POSITIONAL_LEARNED /* a vector for each position */
} lb_positional_kind;

typedef struct lb_positional_config {
    lb_positional_kind kind;
    int64_t width;
    int64_t max_length; /* of a sequence; only LB_POSITIONAL_LEARNED needs it */
} lb_positional_config;

typedef struct lb_positional {
    const char *name;
    lb_positional_config config;
    lb_tensor *weight; /* [max_length, width]; NULL if sinusoidal */
} lb_positional;

/** Adds NAME.weight, normal with deviation 0.02, if it is learned. Errors: those of lb_params_add. */
lb_status lb_positional_init(lb_positional *positional, lb_params *params, const char *name,
                             lb_positional_config config);

/** x plus the encoding of positions `first`, first + 1, ...
 *  Shapes: x [batch, length, width] -> the same.
 *  Errors: LB_ERROR_SHAPE; LB_ERROR_INDEX if `first` is negative, or beyond max_length.
 *  Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5: even columns sine, odd columns cosine. */
lb_tensor *lb_positional_forward(const lb_positional *positional, lb_tensor *x, int64_t first);

#endif
