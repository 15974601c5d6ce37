/* What an op is. All that the engine, the tests and the reference page know of an op stands in its descriptor, in
 * one file of ops/. CONTRIBUTING.md shows how to add one. */
#ifndef LB_OP_H
#define LB_OP_H

#include "lookback/op.h"
#include "tensor/gemm.h"

/** The ops of one file. */
typedef struct lb_op_family {
    const lb_op *const *ops;
    int count;
} lb_op_family;

/** All families, in the order of their files' names; generated from those. `count` receives their number. */
const lb_op_family *const *lb_op_registry(int *count);

/** Checks that each token is within 0 to `count`, and else records LB_ERROR_INDEX:
 *  `token id 9 in row 0, position 1: the table has 7 rows` of "token id", "the table has" and "rows". */
LB_MUST_USE lb_status lb_op_check_ids(const lb_node *node, const lb_tokens *tokens, int64_t count,
                                      const char *id, const char *there, const char *counted);

/** What ops have made of numbers that do not change while the tape evaluates: a decoder asks for the same at every
 *  step. */
typedef struct lb_kept {
    const lb_real *of;
    int64_t size; /* together with `of` it says what this is */
    int64_t uses; /* so far; the ops count */
    void *made;   /* NULL until an op finds that it pays */
    struct lb_kept *next;
} lb_kept;

/** What the tape keeps of these numbers, until the mode changes or the tape is reset. NULL if the tape does not
 *  evaluate, or if there is no memory. */
lb_kept *lb_op_kept(const lb_node *node, const lb_real *of, int64_t size);

/** Columns `first` to `first + inputs` of a weight [outputs, more], transposed, ready to meet `rows` rows: laid out
 *  anew as [inputs, outputs] if that pays, for our own kernel takes plain operands only; while the tape evaluates, once
 *  for all ops until the mode changes or the tape is reset. False if there is no memory. */
bool lb_op_transposed_weight(const lb_node *node, const lb_tensor *weight, int64_t first, int64_t inputs,
                             int64_t rows, lb_matrix *matrix);

#endif
