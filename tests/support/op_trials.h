/* All ops with their examples. */
#ifndef SUPPORT_OP_TRIALS_H
#define SUPPORT_OP_TRIALS_H

#include "autograd/op_cases.h"

/** An op with one of its examples. */
typedef struct support_trial {
    const lb_op *op; /* NULL: no op of this name runs in the first example */
    const lb_op_proof *proof;
    const lb_op_case *example;
} support_trial;

/** One for each example, in the order of the files. `count` receives their number. */
const support_trial *support_trials(int *count);

/** An operand of an example, with values in its range, or a fifth more ones than zeros if it is fixed; the gradient is
 *  required, unless it is fixed. Free it with support_leaf_free. */
lb_tensor *support_trial_leaf(const lb_op_case *example, int operand);

/** The run of the op that led to this result; NULL: none did. */
const lb_node *support_node_of(const char *op, const lb_tensor *result);

#endif
