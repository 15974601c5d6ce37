/* What an op is. All that the engine, the tests and the reference page know of an op stands in its descriptor, in
 * one file of ops/. CONTRIBUTING.md shows how to add one. */
#ifndef LB_OP_H
#define LB_OP_H

#include "autograd/tokens.h"
#include "tensor/gemm.h"
#include "tensor/rng.h"

enum { LB_MAX_INPUTS = 10, LB_MAX_OUTPUTS = 4 };

typedef struct lb_node lb_node;
typedef struct lb_op lb_op;

/** One run of an op. */
struct lb_node {
    const lb_op *op;
    lb_tape *tape;
    lb_tensor *in[LB_MAX_INPUTS]; /* NULL: an optional operand that was left out */
    lb_tensor *out[LB_MAX_OUTPUTS];
    int inputs;
    const void *attributes; /* a copy of the struct handed to lb_op_apply */
    void *saved;            /* what forward keeps for backward */
    lb_real *work;          /* the memory that the op's `work` asked for, during backward */
    unsigned sets;          /* see lb_op_sets; known when `work` is asked */
    bool records;           /* will backward be able to come here? */
    lb_node *previous;
};

/** One example of an op, from which the tests make a forward and a gradient test. */
typedef struct lb_op_case {
    const char *name;
    int inputs;
    lb_shape shape[LB_MAX_INPUTS];
    double low, high;          /* range of the operands' values; both zero: -1 to 1 */
    bool fixed[LB_MAX_INPUTS]; /* an operand without a gradient (a mask): its values are 0 and 1 */
    lb_tensor *(*apply)(lb_tensor *const *in);
} lb_op_case;

struct lb_op {
    const char *name;
    const char *operands;   /* their names in order, as operands.h reads them: x weight bias? */
    const char *formula;    /* y = ... */
    const char *derivative; /* dx += ... */
    int outputs;            /* 0 means 1 */
    /** Sets out[...]; on a misfit calls lb_op_fail and returns its value. */
    lb_status (*shape)(const lb_node *node, lb_shape *out);
    /** Computes the values of all outputs. Returns LB_OK or the status of what failed. */
    lb_status (*forward)(lb_node *node);
    /** How many numbers of working memory backward needs; NULL: none. They are there, of any value, before the first
     *  gradient is written: a backward that begins does not run out of memory. */
    int64_t (*work)(const lb_node *node);
    /** The operands, as bits 1 << i, whose gradient backward can set as well as add to. */
    unsigned can_set;
    /** Adds to in[i]->grad for each operand that lb_wants_grad, or sets it where lb_op_sets says so; outputs' gradients are
     *  all there. */
    void (*backward)(lb_node *node);
    /** The outputs' values once more, by the definition, in plain loops and double precision: the tests' oracle. */
    void (*reference)(const lb_node *node, double *const *out);
    const lb_op_case *cases;
    int case_count;
};

/** The ops of one file. */
typedef struct lb_op_family {
    const lb_op *const *ops;
    int count;
} lb_op_family;

/** All families, in the order of their files' names; generated from those. `count` receives their number. */
const lb_op_family *const *lb_op_registry(int *count);

/** Runs an op: checks the operands, allocates the outputs on the operands' tape, computes, records.
 *  `attributes` (`size` bytes, copied) is the op's own. Returns the first output; poison if an operand is missing or
 *  poison, if none is on a tape, or if anything failed. */
lb_tensor *lb_op_apply(const lb_op *op, lb_tensor *const *in, int inputs, const void *attributes,
                       size_t size);

/** lb_op_apply(&op, LB_INPUTS(a, b), NULL, 0) */
#define LB_INPUTS(...)                                                                                       \
    (lb_tensor *const[]){__VA_ARGS__}, (int)(sizeof((lb_tensor *const[]){__VA_ARGS__}) / sizeof(lb_tensor *))

/** Number of elements of a static array. */
#define LB_LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/** The other outputs of the op that made `first`; NULL of an output that it does not have. Poison has only itself, and NULL
 *  has NULL. */
lb_tensor *lb_op_output(lb_tensor *first, int index);

/** Does backward have to add to this operand's gradient? False for an operand that was left out. */
bool lb_wants_grad(const lb_tensor *operand);

/** Shall backward set operand `i`'s gradient rather than add to it? So it is where nothing has flowed back to the operand
 *  before: its gradient has not been zeroed then. Only for operands of the op's `can_set`. */
static inline bool lb_op_sets(const lb_node *node, int i)
{
    return node->sets >> i & 1;
}

/** `count` numbers of operand `i`'s gradient from `first` on, ready to be added to: all zero where backward shall set it. So an op
 *  that goes through a gradient once, part by part, can set it as well. */
lb_real *lb_op_begin_grad(const lb_node *node, int i, int64_t first, int64_t count);

/** Adds `grad` to the operand's gradient, if that is wanted. */
void lb_op_add_grad(lb_tensor *operand, const lb_real *grad);

/** The same for an operand of the op's `can_set`: sets its gradient where lb_op_sets says so. */
void lb_op_give_grad(const lb_node *node, int i, const lb_real *grad);

/** Adds the sum of `rows` rows, each as long as the operand, to the operand's gradient, if that is wanted. */
void lb_op_add_grad_rows(lb_tensor *operand, int64_t rows, const lb_real *grad);

/** Records `lb_<op>: <message>` as an error of shape or argument, and returns the status. */
lb_status lb_op_fail(const lb_node *node, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Records that operands `a` and `b` (indices) do not fit each other, naming both shapes:
 *  `lb_add: shapes do not broadcast: a[3,4] x b[5]`. */
lb_status lb_op_misfit(const lb_node *node, const char *what, int a, int b);

/** Checks that each token is within 0 to `count`, and else records LB_ERROR_INDEX:
 *  `token id 9 in row 0, position 1: the table has 7 rows` of "token id", "the table has" and "rows". */
LB_MUST_USE lb_status lb_op_check_ids(const lb_node *node, const lb_tokens *tokens, int64_t count,
                                      const char *id, const char *there, const char *counted);

/** Memory for node->saved or for one call of forward, until lb_tape_reset. */
lb_real *lb_op_reals(const lb_node *node, int64_t count);

/** The same, all zero. */
lb_real *lb_op_zeros(const lb_node *node, int64_t count);

/** What ops have made of numbers that do not change while the tape evaluates: a decoder asks for the same at every step. */
typedef struct lb_kept {
    const lb_real *of;
    int64_t size;  /* together with `of` it says what this is */
    int64_t uses;  /* so far; the ops count */
    lb_real *made; /* NULL until an op finds that it pays */
    struct lb_kept *next;
} lb_kept;

/** What the tape keeps of these numbers, until the mode changes or the tape is reset. NULL if the tape does not evaluate, or if
 *  there is no memory. */
lb_kept *lb_op_kept(const lb_node *node, const lb_real *of, int64_t size);

/** Columns `first` to `first + inputs` of a weight [outputs, more], transposed, ready to meet `rows` rows: laid out anew as
 *  [inputs, outputs] if that pays, for our own kernel takes plain operands only; while the tape evaluates, once for all ops
 *  until the mode changes or the tape is reset. False if there is no memory. */
bool lb_op_transposed_weight(const lb_node *node, const lb_tensor *weight, int64_t first, int64_t inputs,
                             int64_t rows, lb_matrix *matrix);

/** The position in the tape's randomness that belongs to this run of an op: two runs in a step differ. */
lb_rng lb_op_rng(const lb_node *node);

#endif
