/* Ops, inside of the library: lookback/op.h has the descriptor. */
#ifndef LB_OP_H
#define LB_OP_H

#include "lookback/op.h"
#include "tensor/gemm.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/** A function of a descriptor that only training calls. In the library for prediction, which is compiled with
 *  LB_PREDICT, nothing refers to it, so that it is left out with all that it calls. */
#ifdef LB_PREDICT
#    define LB_TRAINING(function) (0 ? (function) : NULL)
#else
#    define LB_TRAINING(function) (function)
#endif

/** Checks that each token is in [0, count) or, unless `ignored` is NULL, equal to `*ignored`. Otherwise records
 *  LB_ERROR_INDEX, for example, with "token id", "the table has" and "rows":
 *  `token id 9 in row 0, position 1: the table has 7 rows`. */
LB_MUST_USE lb_status lb_op_check_ids(const lb_node *node, const lb_tokens *tokens, int64_t count,
                                      const int32_t *ignored, const char *id, const char *there,
                                      const char *counted);

/** Cached results from numbers that do not change in LB_MODE_EVALUATE: a decoder needs the same ones at every step. */
typedef struct lb_kept {
    const lb_real *of;
    int64_t size; /* identifies the numbers, together with `of` */
    int64_t uses; /* so far; counted by the ops */
    void *made;   /* NULL until an op decides that caching pays */
    struct lb_kept *next;
} lb_kept;

/** The cache entry of these numbers, until the mode changes or the tape is reset; `made` is memory that lasts as long.
 *  NULL in LB_MODE_TRAIN, for numbers of a step, see autograd/tape.h, or if there is no memory. */
lb_kept *lb_op_kept(const lb_node *node, const lb_real *of, int64_t size);

/** Columns `first` to `first + inputs` of rows `top` to `top + outputs` of a weight, transposed, as the right operand
 *  for `rows` rows. They are rearranged as [inputs, outputs] if that pays, because our kernel takes only plain
 *  operands. In LB_MODE_EVALUATE this is done once for all ops, until the mode changes or the tape is reset. False if
 *  there is no memory. */
bool lb_op_transposed_weight(const lb_node *node, const lb_tensor *weight, int64_t top, int64_t outputs,
                             int64_t first, int64_t inputs, int64_t rows, lb_matrix *matrix);

/** A matrix whose products are computed in the precision of the tape: with weights, and of gradients with weights. */
lb_matrix lb_op_rounded(const lb_node *node, lb_matrix matrix);

/** lb_affine with columns first, first + 1, ... of the weight, if the product with the other columns is computed
 *  elsewhere.
 *  Shapes: x [..., inputs], weight [outputs, first + inputs or more]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_affine_columns(lb_tensor *x, lb_tensor *weight, int64_t first, lb_tensor *bias);

/** lb_affine with rows top, top + 1, ... of the weight and of the bias: some outputs of a layer.
 *  Shapes: x [..., inputs], weight [top + rows or more, inputs] -> [..., rows]. Errors: LB_ERROR_SHAPE. */
lb_tensor *lb_affine_rows(lb_tensor *x, lb_tensor *weight, int64_t top, int64_t rows, lb_tensor *bias);

/** max(lb_affine(x, weight, bias), 0). Shapes and errors as lb_affine. */
lb_tensor *lb_affine_relu(lb_tensor *x, lb_tensor *weight, lb_tensor *bias);

/** lb_standardize(x + lb_dropout(branch, p)): a residual connection and a norm. Output 1 is the sum.
 *  Shapes: as lb_standardize; branch as x. Errors: LB_ERROR_SHAPE; LB_ERROR_ARGUMENT unless 0 <= p < 1. */
lb_tensor *lb_add_standardize(lb_tensor *x, lb_tensor *branch, lb_tensor *weight, lb_tensor *bias,
                              lb_real epsilon, lb_real p);

/** lb_attend_dot_with on columns of one or two tensors, with values as wide as keys. The query is the first columns of
 *  its tensor. Keys and then values are the last columns of theirs, or of that of the query if `keys` is NULL.
 *  Shapes: query [batch, Q, heads width or more], keys [batch, K, 2 kv_heads width or more] -> as there.
 *  Errors: as there. */
lb_tensor *lb_attend_packed(lb_tensor *query, lb_tensor *keys, lb_tensor *mask, lb_tensor *bias,
                            int64_t width, lb_dot_options options);

/** lb_rotary of the first `turned` of the heads; the others stay. */
lb_tensor *lb_rotary_first(lb_tensor *x, int64_t turned, lb_rotary_options options);

/** Adds the sum of `rows` rows, each as long as the operand, to its gradient, if lb_wants_grad. */
void lb_op_add_grad_rows(lb_tensor *operand, int64_t rows, const lb_real *grad);

/** Defines the two passes of an op that goes through its elements in both in the same way: visit(node, backward). */
#define LB_PASSES(forward, backward, visit)                                                                  \
    static lb_status forward(lb_node *node)                                                                  \
    {                                                                                                        \
        visit(node, false);                                                                                  \
        return LB_OK;                                                                                        \
    }                                                                                                        \
    static void backward(lb_node *node)                                                                      \
    {                                                                                                        \
        visit(node, true);                                                                                   \
    }

/** Records LB_ERROR_ARGUMENT unless the normalizer is one of lb_normalizer. */
lb_status lb_op_check_normalizer(const lb_node *node, lb_normalizer normalizer);

/** Records that operands `a` and `b` (indices) do not match, with both shapes:
 *  `lb_add: shapes do not broadcast: a[3,4] x b[5]`. */
lb_status lb_op_misfit(const lb_node *node, const char *what, int a, int b);

/* ---- The operands of an op: a list has their names in order, `x weight bias?`. A question mark follows an optional
 * operand; three dots follow a name for any number of operands. ---- */

enum { LB_OPERAND_TEXT = 32 };

/** Writes the name of operand `i` into `text` and returns it: "" after the last one. For `x...` the names are x_1, x_2,
 *  ... */
char *lb_operand_name(const char *operands, int i, char text[LB_OPERAND_TEXT]);

/** True if operand `i` is optional. */
bool lb_operand_optional(const char *operands, int i);

/** NULL if `lb_<name>` can use these operands: no required one is missing, none is poison, at least one is on a tape,
 *  and all of those are on the same tape. Otherwise poison: with a tape, its poison, and an error that names the
 *  operand is recorded there; without a tape, stray poison with that error (lb_tensor_error). */
lb_tensor *lb_check_operands(const char *name, const char *operands, lb_tensor *const *in, int inputs);

/** The tape of the first operand that is on one; NULL if none is. */
lb_tape *lb_operands_tape(lb_tensor *const *in, int inputs);

/* ---- Several arrays in one block of memory. The same code computes the size of the block and divides it, so that
 * sizes and order are in one place. ---- */

typedef struct lb_parts {
    lb_real *block; /* NULL: parts are only counted */
    int64_t count;  /* numbers in the parts so far */
} lb_parts;

/** The next part, of `count` numbers; NULL without a block. */
static inline lb_real *lb_parts_next(lb_parts *parts, int64_t count)
{
    lb_real *part = parts->block ? parts->block + parts->count : NULL;
    parts->count += count;
    return part;
}

/** The next part, of `count` numbers of double precision. The block starts at a multiple of their size. */
static inline double *lb_parts_next_doubles(lb_parts *parts, int64_t count)
{
    assert((uintptr_t)parts->block % sizeof(double) == 0);
    while ((size_t)parts->count * sizeof(lb_real) % sizeof(double)) parts->count++;
    return (double *)(void *)lb_parts_next(parts,
                                           (int64_t)((size_t)count * sizeof(double) / sizeof(lb_real)));
}

#endif
