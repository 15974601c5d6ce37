/* What only tests know about ops: their values by the definition, and examples. ops/NAME_cases.c has those of
 * ops/NAME.c; neither the library nor a program links them. */
#ifndef LB_OP_CASES_H
#define LB_OP_CASES_H

#include "autograd/op.h"

/** One example of an op. The tests derive a forward test and a gradient test from it. */
typedef struct lb_op_case {
    const char *name;              /* of the case, in messages */
    int inputs;                    /* number of operands of the op */
    lb_shape shape[LB_MAX_INPUTS]; /* of each operand */
    double low, high;              /* range of the operands' values; both zero: -1 to 1 */
    bool fixed[LB_MAX_INPUTS];     /* an operand without a gradient (a mask): its values are 0 and 1 */
    /* Calls the public function. The op is the last one that it runs, or led to the result. */
    lb_tensor *(*apply)(lb_tensor *const *in);
} lb_op_case;

/** How an op is tested. */
typedef struct lb_op_proof {
    const char *op; /* its name */
    /* Computes the outputs again, by the definition, in plain loops and double precision. */
    void (*reference)(const lb_node *node, double *const *out);
    const lb_op_case *cases; /* [case_count] */
    int case_count;
} lb_op_proof;

#define LB_OP_PROOF(name, definition, examples)                                                              \
    {                                                                                                        \
        .op = (name), .reference = (definition), .cases = (examples), .case_count = LB_LENGTH(examples)      \
    }

/** The ops of one file. */
typedef struct lb_op_proofs {
    const lb_op_proof *proof;
    int count;
} lb_op_proofs;

/** The ops of all files, sorted by name. This is generated from the names of the files. `count` receives how many. */
const lb_op_proofs *const *lb_op_registry(int *count);

/** How the op of this name is tested; NULL: there is none. */
const lb_op_proof *lb_op_proof_of(const char *op);

/* ---- Softmax and its relatives by their definition, for references. ---- */

/** Turns a row of scores into weights, in place. A score of -inf hides; a row of only hidden scores becomes zeros.
 *  The threshold of the sparse ones is found by bisection. */
void lb_reference_weights(lb_normalizer normalizer, int64_t count, double *x);

/** ln softmax(x)_i; -inf where x_i is. */
double lb_reference_log_softmax(int64_t count, const lb_real *x, int64_t i);

#endif
