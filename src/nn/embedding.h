/* The embedding: a vector for each token. */
#ifndef LB_EMBEDDING_H
#define LB_EMBEDDING_H

#include "autograd/tokens.h"
#include "nn/params.h"

typedef struct lb_embedding {
    const char *name;
    lb_tensor *weight; /* [vocabulary, width] */
} lb_embedding;

/** Adds NAME.weight, normal with this standard deviation; 0 means 1, as nn.Embedding starts it.
 *  Errors: those of lb_params_add, also recorded in `params`. */
lb_status lb_embedding_init(lb_embedding *embedding, lb_params *params, const char *name, int64_t vocabulary,
                            int64_t width, double deviation);

/** Shapes: tokens [batch, length] -> [batch, length, width]. Errors: LB_ERROR_INDEX. */
lb_tensor *lb_embedding_forward(const lb_embedding *embedding, lb_tokens tokens);

/** The embedding and an affine map behind it, lb_affine_columns(embedding, weight, 0, bias), in whichever order costs less: where
 *  the vocabulary is smaller than the batch, the table is mapped once and its rows are looked up.
 *  Shapes: weight [outputs, width or more], bias [outputs] or NULL -> [batch, length, outputs].
 *  Errors: LB_ERROR_INDEX, LB_ERROR_SHAPE. */
lb_tensor *lb_embedding_affine(const lb_embedding *embedding, lb_tokens tokens, lb_tensor *weight,
                               lb_tensor *bias);

#endif
