/* For authors of ops, modules and models of their own. Not part of lookback.h: whoever only uses models needs none of
 * it. */
#ifndef LOOKBACK_OP_H
#define LOOKBACK_OP_H

#include "lookback/autograd.h"

LB_BEGIN_DECLS

/** Records an error, with the names of the modules that are at work in front of it. Returns the tape's poison
 *  tensor, so that an op can say `return lb_tape_fail(...)`. */
lb_tensor *lb_tape_fail(lb_tape *tape, lb_status status, const char *format, ...) LB_PRINTF(3, 4);

/** Memory that lives until lb_tape_reset, aligned to 64 bytes; NULL, with the error recorded, if there is no more. */
void *lb_tape_alloc(lb_tape *tape, size_t bytes);

/** Names the module whose ops follow, for error messages; returns the name that was set before, to be set again when
 *  the module is done. `name` must outlive the tape's use. */
const char *lb_tape_enter(lb_tape *tape, const char *name);
/** Sets the name that lb_tape_enter returned. */
void lb_tape_leave(lb_tape *tape, const char *outer);

/** The same for a module that knows its tape through an operand, if it is on one. */
static inline const char *lb_module_enter(const lb_tensor *operand, const char *name)
{
    return operand ? lb_tape_enter(operand->tape, name) : NULL;
}

/** Sets the name that lb_module_enter returned. */
static inline void lb_module_leave(const lb_tensor *operand, const char *outer)
{
    if (operand) lb_tape_leave(operand->tape, outer);
}

/* ---- What an op is. All that the engine, the tests and the reference page know of an op stands in its descriptor, in
 * one file of ops/. CONTRIBUTING.md shows how to add one. ---- */

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
    const char *name;              /* of the case, in messages */
    int inputs;                    /* as many as the op has operands */
    lb_shape shape[LB_MAX_INPUTS]; /* of each operand */
    double low, high;              /* range of the operands' values; both zero: -1 to 1 */
    bool fixed[LB_MAX_INPUTS];     /* an operand without a gradient (a mask): its values are 0 and 1 */
    lb_tensor *(*apply)(lb_tensor *const *in); /* calls the public function */
} lb_op_case;

/** All that is known of an op. Static and constant: nodes point to it. */
struct lb_op {
    const char *name;       /* without "lb_" */
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
    /** Adds to in[i]->grad for each operand that lb_wants_grad, or sets it where lb_op_sets says so; outputs' gradients
     *  are all there. */
    void (*backward)(lb_node *node);
    /** The outputs' values once more, by the definition, in plain loops and double precision: the tests' oracle. */
    void (*reference)(const lb_node *node, double *const *out);
    const lb_op_case *cases; /* what the tests try it on: [case_count] */
    int case_count;          /* at least 1 */
};

/** Runs an op: checks the operands, allocates the outputs on the operands' tape, computes, records.
 *  `attributes` (`size` bytes, copied) is the op's own. Returns the first output; poison if an operand is missing or
 *  poison, if none is on a tape, or if anything failed. */
lb_tensor *lb_op_apply(const lb_op *op, lb_tensor *const *in, int inputs, const void *attributes,
                       size_t size);

/** lb_op_apply(&op, LB_INPUTS(a, b), NULL, 0) */
#ifdef __cplusplus
#    define LB_INPUTS(...)                                                                                   \
        std::initializer_list<lb_tensor *>{__VA_ARGS__}.begin(),                                             \
            static_cast<int>(sizeof(lb_inputs_counted({__VA_ARGS__})))
#else
#    define LB_INPUTS(...)                                                                                   \
        (lb_tensor *const[]){__VA_ARGS__},                                                                   \
            (int)(sizeof((lb_tensor *const[]){__VA_ARGS__}) / sizeof(lb_tensor *))
#endif

/** Number of elements of a static array. */
#define LB_LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/** Does backward have to add to this operand's gradient? False for an operand that was left out. */
bool lb_wants_grad(const lb_tensor *operand);

/** Shall backward set operand `i`'s gradient rather than add to it? So it is where nothing has flowed back to the
 *  operand before: its gradient has not been zeroed then. Only for operands of the op's `can_set`. */
static inline bool lb_op_sets(const lb_node *node, int i)
{
    return node->sets >> i & 1;
}

/** `count` numbers of operand `i`'s gradient from `first` on, ready to be added to: all zero where backward shall set
 *  it. So an op that goes through a gradient once, part by part, can set it as well. */
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

/** Memory for node->saved or for one call of forward, until lb_tape_reset. */
lb_real *lb_op_reals(const lb_node *node, int64_t count);

/** The same, all zero. */
lb_real *lb_op_zeros(const lb_node *node, int64_t count);

/** The position in the tape's randomness that belongs to this run of an op: two runs in a step differ. */
lb_rng lb_op_rng(const lb_node *node);

LB_END_DECLS

#ifdef __cplusplus
#    include <initializer_list>

/* Never called: the size of its result is the number of inputs, which are not computed twice for that. */
template <size_t count> char (&lb_inputs_counted(lb_tensor *const (&inputs)[count]))[count];
#endif

#endif
